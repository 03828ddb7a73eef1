import { expect, it } from 'vitest';
import { pathTo, readRoute } from './route.ts';

const read = (path: string) => {
  const { pathname, search } = new URL(path, 'http://gateway');
  return readRoute({ pathname, search });
};

it.each([
  ['/dashboard', 'home', null, ''],
  ['/dashboard/', 'home', null, ''],
  ['/dashboard/invoices', 'invoices', null, ''],
  ['/dashboard/invoices/?status=paid&p=2', 'invoices', null, 'status=paid&p=2'],
  ['/dashboard/payouts/0aefa3a0/', 'payouts', '0aefa3a0', ''],
  ['/dashboard/callbacks/x', 'callbacks', 'x', ''],
  ['/dashboard/sign-in/', 'sign-in', null, ''],
])('%s shows a view', (path, view, id, query) => {
  expect(read(path)).toEqual({ view, id, query });
});

it.each([
  '/dashboard/home/',
  '/dashboard/nothing/',
  '/dashboard/balances/x/',
  '/dashboard/invoices/a/b/',
  '/dashboard/constructor/',
])('%s shows nothing', (path) => {
  expect(read(path)).toBeNull();
});

it('names each view and one thing in it, and leaves out filters that are empty', () => {
  expect(pathTo('home')).toBe('/dashboard/');
  expect(pathTo('invoices', 'a b/c')).toBe('/dashboard/invoices/a%20b%2Fc/');
  expect(pathTo('invoices', null, { status: 'paid', txid: '', address: 'x&y=1' })).toBe(
    '/dashboard/invoices/?status=paid&address=x%26y%3D1',
  );
});
