import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hono } from 'hono';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Env } from '../http/env.ts';
import { routedPath } from '../http/routing.ts';
import { mount } from '../http/routing.ts';
import { pageRoutes } from './page.ts';

let folder: string;
let found: string | null = null;
const app = new Hono<Env>({ getPath: routedPath });
mount(
  app,
  pageRoutes(() => found),
);
app.onError((error, c) => c.json({ message: error.message }, 404));

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cc-dashboard-'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Dashboard</title>');
  writeFileSync(join(folder, 'main-12345678.mjs'), 'export {};');
  writeFileSync(join(folder, 'main-12345678.mjs.br'), 'compressed');
  writeFileSync(join(folder, 'notes.txt'), 'nobody’s');
});
afterAll(() => rmSync(folder, { recursive: true }));

it('explains how to build it if it is not built', async () => {
  const answer = await app.request('/dashboard/');
  expect([answer.status, await answer.text()]).toEqual([
    503,
    'The dashboard is not built: run `npm run build`, then open this page again.\n',
  ]);
  expect((await app.request('/dashboard/files/main-12345678.mjs')).status).toBe(404);
});

it('serves one page at every URL, under a strict policy', async () => {
  found = folder;
  for (const path of [
    '/dashboard',
    '/dashboard/',
    '/dashboard/invoices/',
    '/dashboard/payouts/x/',
    '/dashboard/refunds/',
    '/dashboard/sign-in/',
  ]) {
    const answer = await app.request(path);
    expect([path, answer.status, answer.headers.get('content-type')]).toEqual([
      path,
      200,
      'text/html; charset=utf-8',
    ]);
    expect(answer.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types lit-html",
    );
    expect(answer.headers.get('x-frame-options')).toBe('DENY');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  }
  expect((await app.request('/dashboard/elsewhere/')).status).toBe(404);
  expect((await app.request('/dashboard/api/elsewhere/')).status).toBe(404);
});

it('serves immutable files, compressed if accepted', async () => {
  const plain = await app.request('/dashboard/files/main-12345678.mjs');
  expect([plain.headers.get('cache-control'), await plain.text()]).toEqual([
    'public, max-age=31536000, immutable',
    'export {};',
  ]);
  const small = await app.request('/dashboard/files/main-12345678.mjs', {
    headers: { 'accept-encoding': 'gzip, br' },
  });
  expect([
    small.headers.get('content-encoding'),
    small.headers.get('content-type'),
    await small.text(),
  ]).toEqual(['br', 'text/javascript; charset=utf-8', 'compressed']);
});

it.each([
  'notes.txt',
  'index.html',
  '..%2findex.html',
  '%2e%2e%2f%2e%2e%2fpackage.json',
  'main-12345678.mjs.br',
])('does not serve %s', async (name) => {
  expect((await app.request(`/dashboard/files/${name}`)).status).toBe(404);
});
