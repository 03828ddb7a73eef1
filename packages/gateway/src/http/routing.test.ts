import { expect, it } from 'vitest';
import { routedPath } from './routing.ts';

const pathOf = (path: string): string => routedPath(new Request(`http://localhost${path}`));

it.each([
  ['/v1/invoices/', '/v1/invoices/'],
  ['//v1//invoices?p=1', '/v1/invoices/'],
  ['/v1/%69nvoices/', '/v1/invoices/'],
  ['/v1/%69nvoices', '/v1/invoices/'],
  // A coded slash, percent sign or space is part of a name.
  ['/v1/a%2Fb/', '/v1/a%2Fb/'],
  ['/v1/a%2569/', '/v1/a%2569/'],
  ['/v1/a%20b/', '/v1/a%20b/'],
  ['/v1/x/%2e%2e/invoices/', '/v1/invoices/'],
  ['/v1/%', '/v1/%/'],
])('reads %s as %s', (path, routed) => {
  expect(pathOf(path)).toBe(routed);
});
