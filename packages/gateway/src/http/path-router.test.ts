import fc from 'fast-check';
import { TrieRouter } from 'hono/router/trie-router';
import { describe, expect, it } from 'vitest';
import { PathRouter } from './path-router.ts';

const ROUTES: [method: string, path: string][] = [
  ['ALL', '/*'],
  ['ALL', '/v1/*'],
  ['GET', '/v1/payouts/'],
  ['POST', '/v1/payouts/'],
  ['GET', '/v1/payouts/confirmations/'],
  ['GET', '/v1/payouts/:id/'],
  ['PUT', '/v1/payouts/:id/'],
  ['POST', '/v1/payouts/:id/resend/'],
  ['ALL', '/desk/api/*'],
  ['POST', '/desk/api/sign-in/'],
  ['GET', '/desk/api/payouts/:id/'],
  ['GET', '/desk/'],
  ['GET', '/desk/files/:name/'],
  ['GET', '/desk/:view/'],
  ['GET', '/desk/:view/:id/'],
];

function routers() {
  const [ours, theirs] = [new PathRouter<string>(), new TrieRouter<string>()];
  for (const [method, path] of ROUTES)
    for (const router of [ours, theirs]) router.add(method, path, `${method} ${path}`);
  return { ours, theirs };
}

/** The router's result: the handlers in order, each with its parameters. */
function found(router: PathRouter<string> | TrieRouter<string>, method: string, path: string) {
  const [handlers, parts] = router.match(method, path);
  return handlers.map(([handler, params]) => [
    handler,
    Object.fromEntries(
      Object.entries(params).map(([name, value]) => [name, parts ? parts[value as number] : value]),
    ),
  ]);
}

describe('the router', () => {
  it('matches like the framework’s own router, also on repeated calls', () => {
    const { ours, theirs } = routers();
    const part = fc.constantFrom(
      'v1',
      'payouts',
      'confirmations',
      'resend',
      'desk',
      'api',
      'sign-in',
      'files',
      'a',
      '%20',
      '*',
    );
    const path = fc
      .array(part, { maxLength: 6 })
      .map((parts) => `/${parts.map((one) => `${one}/`).join('')}`);
    fc.assert(
      fc.property(
        fc.constantFrom('GET', 'POST', 'PUT', 'OPTIONS', 'FETCH'),
        path,
        (method, asked) => {
          expect(found(ours, method, asked)).toEqual(found(theirs, method, asked));
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it('never matches an empty parameter', () => {
    expect(found(routers().ours, 'GET', '/v1/payouts//').map(([handler]) => handler)).toEqual([
      'ALL /*',
      'ALL /v1/*',
    ]);
  });

  it('runs the middleware of paths that a parameter matches', () => {
    const { ours } = routers();
    found(ours, 'GET', '/desk/other/1/');
    expect(found(ours, 'GET', '/desk/api/1/').map(([handler]) => handler)).toContain(
      'ALL /desk/api/*',
    );
    expect(found(ours, 'GET', '/desk/other/1/').map(([handler]) => handler)).not.toContain(
      'ALL /desk/api/*',
    );
  });

  it('accepts routes added after the first match', () => {
    const { ours } = routers();
    expect(found(ours, 'DELETE', '/v1/payouts/1/')).toHaveLength(2);
    ours.add('DELETE', '/v1/payouts/:id/', 'late');
    expect(found(ours, 'DELETE', '/v1/payouts/1/').at(-1)).toEqual(['late', { id: '1' }]);
  });

  it('merges a middleware with its only handler, which keeps its parameters', () => {
    const router = new PathRouter<string>((middleware, handler) =>
      middleware === 'all' ? `${middleware} + ${handler}` : null,
    );
    router.add('ALL', '/*', 'all');
    router.add('GET', '/a/:id/', 'get');
    router.add('ALL', '/b/*', 'some');
    router.add('GET', '/b/:id/', 'other');
    expect(found(router, 'GET', '/a/1/')).toEqual([['all + get', { id: '1' }]]);
    expect(found(router, 'GET', '/b/1/').map(([handler]) => handler)).toEqual([
      'all',
      'some',
      'other',
    ]);
    // No handler answers after a middleware: it must call its own `next`.
    expect(found(router, 'POST', '/b/1/').map(([handler]) => handler)).toEqual(['all', 'some']);
    expect(found(router, 'POST', '/c/').map(([handler]) => handler)).toEqual(['all']);
  });

  it.each(['/a', '/:id{[0-9]+}/', '/:id?/', '/*/a/', '/v1/:id/*', 'a/'])(
    'refuses the pattern %s',
    (path) => {
      expect(() => new PathRouter<string>().add('GET', path, 'x')).toThrow(path);
    },
  );
});
