import { readFileSync, writeFileSync } from 'node:fs';
import { createApp } from '../src/app.ts';
import { operationOf } from '../src/http/authorized.ts';
import type { Operation } from '../src/http/operation.ts';
import { declaredRoutes } from '../src/http/routing.ts';
import { loadConfig } from '../src/config.ts';
import type { Context } from '../src/context.ts';
import { ENDPOINT_TESTS, EVENT_TEST, STATE_TESTS, type Test } from './covered.ts';
import { ENDPOINTS, EVENTS, STATES } from './interface.ts';

export const PAGE = new URL('../../../docs/design/test-coverage.md', import.meta.url);
const START = '<!-- coverage -->';
const END = '<!-- /coverage -->';

/** A name of the interface and the test that covers it; null without one. */
export interface Covered {
  group: string;
  name: string;
  test: Test | null;
}

/** All routes of the service under `/v1/`, with their descriptions. */
export function servedRoutes(): { endpoint: string; operation: Operation | null }[] {
  // No route is called here, so the context needs no database.
  const context = {
    config: loadConfig({ SECRETS_KEY: '00'.repeat(32) }),
    chains: new Map(),
    clock: { now: () => 0, real: () => 0 },
  };
  return declaredRoutes(createApp(context as unknown as Context))
    .filter(({ path }) => path.startsWith('/v1/'))
    .map(({ method, path, handlers }) => ({
      endpoint: `${method} ${path}`,
      operation: handlers.map(operationOf).find((found) => found !== null) ?? null,
    }));
}

export const servedEndpoints = (): string[] => servedRoutes().map(({ endpoint }) => endpoint);

/** Endpoints of the interface, extensions, events and statuses, in the interface's order. */
export function coverage(): Covered[] {
  const specified = ENDPOINTS.map(([source, endpoint]) => ({
    group: source,
    name: endpoint,
    test: ENDPOINT_TESTS[endpoint] ?? null,
  }));
  const known = new Set<string>(ENDPOINTS.map(([, endpoint]) => endpoint));
  const ours = servedEndpoints()
    .filter((endpoint) => !known.has(endpoint))
    .map((endpoint) => ({
      group: 'Extensions',
      name: endpoint,
      test: ENDPOINT_TESTS[endpoint] ?? null,
    }));
  const events = EVENTS.map((name) => ({ group: 'Events', name, test: EVENT_TEST }));
  const states = Object.entries(STATES).flatMap(([resource, names]) =>
    names.map((name) => ({
      group: 'Status',
      name: `${resource} ${name}`,
      test: STATE_TESTS[`${resource} ${name}`] ?? null,
    })),
  );
  return [...specified, ...ours, ...events, ...states];
}

/** The content of the page's generated block. */
export function coverageTable(): string {
  const rows = coverage().map(({ group, name, test }) => {
    const [file, title] = test ?? ['', 'none yet'];
    return `| ${group} | \`${name}\` | \`${file}\` ${group === 'Events' ? title.replace('%s', name) : title} |`;
  });
  return ['| Group | Name | Test |', '|---|---|---|', ...rows].join('\n');
}

/** Replaces the generated block of the page. */
export function withCoverage(page: string): string {
  const [before = '', rest = ''] = page.split(START);
  const [, after = ''] = rest.split(END);
  return `${before}${START}\n\n<!-- prettier-ignore -->\n${coverageTable()}\n\n${END}${after}`;
}

export function writeCoverage(): void {
  writeFileSync(PAGE, withCoverage(readFileSync(PAGE, 'utf8')));
}
