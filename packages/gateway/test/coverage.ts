import { readFileSync, writeFileSync } from 'node:fs';
import { createApp } from '../src/http/app.ts';
import { declaredRoutes } from '../src/http/routing.ts';
import { loadConfig } from '../src/config.ts';
import type { Context } from '../src/context.ts';
import { ENDPOINT_TESTS, EVENT_TEST, STATE_TESTS, type Test } from './covered.ts';
import { ENDPOINTS, EVENTS, STATES } from './specification.ts';

const README = new URL('../README.md', import.meta.url);
const START = '<!-- coverage -->';
const END = '<!-- /coverage -->';

/** Something that the interface names, and the test that covers it; null when nobody named one. */
export interface Covered {
  group: string;
  name: string;
  test: Test | null;
}

/** Every route under `/v1/` of the service as it is. */
export function servedEndpoints(): string[] {
  // Nothing is asked of a database here.
  const context = { config: loadConfig({ SECRETS_KEY: '00'.repeat(32) }), chains: new Map(), clock: { now: () => 0, real: () => 0 } };
  return declaredRoutes(createApp(context as unknown as Context))
    .filter(({ path }) => path.startsWith('/v1/'))
    .map(({ method, path }) => `${method} ${path}`);
}

/** Endpoints of §4 and ours, events of §6 and states of §3, in the interface's order. */
export function coverage(): Covered[] {
  const specified = ENDPOINTS.map(([source, endpoint]) => ({ group: source, name: endpoint, test: ENDPOINT_TESTS[endpoint] ?? null }));
  const known = new Set<string>(ENDPOINTS.map(([, endpoint]) => endpoint));
  const ours = servedEndpoints()
    .filter((endpoint) => !known.has(endpoint))
    .map((endpoint) => ({ group: 'ours', name: endpoint, test: ENDPOINT_TESTS[endpoint] ?? null }));
  const events = EVENTS.map((name) => ({ group: '§6', name, test: EVENT_TEST }));
  const states = Object.entries(STATES).flatMap(([resource, names]) =>
    names.map((name) => ({ group: '§3', name: `${resource} ${name}`, test: STATE_TESTS[`${resource} ${name}`] ?? null })),
  );
  return [...specified, ...ours, ...events, ...states];
}

/** The part of the README between its marks. */
export function coverageTable(): string {
  const rows = coverage().map(({ group, name, test }) => {
    const [file, title] = test ?? ['', 'none yet'];
    return `| ${group} | \`${name}\` | \`${file}\` ${group === '§6' ? title.replace('%s', name) : title} |`;
  });
  return ['|   | What | Test |', '|---|---|---|', ...rows].join('\n');
}

/** The README with the table of today. */
export function withCoverage(readme: string): string {
  const [before = '', rest = ''] = readme.split(START);
  const [, after = ''] = rest.split(END);
  return `${before}${START}\n\n<!-- prettier-ignore -->\n${coverageTable()}\n\n${END}${after}`;
}

export function writeCoverage(): void {
  writeFileSync(README, withCoverage(readFileSync(README, 'utf8')));
}
