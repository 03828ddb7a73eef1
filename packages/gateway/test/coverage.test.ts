import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { coverage, coverageTable, PAGE, servedEndpoints, servedRoutes } from './coverage.ts';
import { ENDPOINT_TESTS, STATE_TESTS } from './covered.ts';
import { ENDPOINTS, STATES } from './interface.ts';

/** Removes the padding that the formatter adds to tables. */
const plain = (text: string): string =>
  text
    .replaceAll(/ +/g, ' ')
    .replaceAll(/-{3,}/g, '---')
    .replaceAll('| --- ', '|---')
    .replaceAll('|---|\n', '|---|\n');

const source = (file: string): string =>
  readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');

/** Test files that build the path of several resources. */
const SHARED = new Set(['test/support/rule-routes.ts']);

/** The source between the title of a test and the next test. */
function textOf(file: string, title: string): string {
  const text = source(file);
  const at =
    ["'", '`', '"']
      .map((quote) => text.indexOf(`${quote}${title}${quote}`))
      .find((found) => found >= 0) ?? -1;
  if (at < 0) return '';
  const isTitle = /\b(?:it|test)(?:\.each)?\([^\n]*$|\]\)\($|\)\(\s*$/.test(text.slice(0, at));
  const rest = text.slice(at);
  const end = rest.slice(1).search(/\n\s*(?:it|test|describe)[.(]/);
  return isTitle ? rest.slice(0, end < 0 ? undefined : end + 1) : '';
}

describe('every endpoint, event and status', () => {
  it('is listed in the interface or as an extension, and is served', () => {
    const served = servedEndpoints();
    expect(
      ENDPOINTS.map(([, endpoint]) => endpoint).filter((endpoint) => !served.includes(endpoint)),
    ).toEqual([]);
    expect(Object.keys(ENDPOINT_TESTS).filter((endpoint) => !served.includes(endpoint))).toEqual(
      [],
    );
    const states = Object.entries(STATES).flatMap(([resource, names]) =>
      names.map((name) => `${resource} ${name}`),
    );
    expect(Object.keys(STATE_TESTS).toSorted()).toEqual(states.toSorted());
  });

  it('is an extension unless the interface lists it', () => {
    const listed = new Set<string>(ENDPOINTS.map(([, endpoint]) => endpoint));
    const wrong = servedRoutes().filter(
      ({ endpoint, operation }) => (operation?.isExtension ?? false) === listed.has(endpoint),
    );
    expect(
      wrong.map(({ endpoint }) => endpoint),
      'these need `isExtension: true` in their Operation, or a line in packages/gateway/test/interface.ts',
    ).toEqual([]);
  });

  it('is in docs/interface.md', () => {
    const page = readFileSync(new URL('../../../docs/interface.md', import.meta.url), 'utf8');
    // Rules of the automations: one sentence names the path of all five operations.
    const shared = new Set(page.match(/(?<=[Pp]ath )`\/v1\/[a-z-]+\/`/g));
    const missing = servedEndpoints().filter((endpoint) => {
      const [noun = ''] = /\/v1\/[a-z-]+\//.exec(endpoint) ?? [];
      const shown = endpoint.replace(/:(\w+)/g, (_, name: string) => `<${name.toUpperCase()}>`);
      return !page.includes(`\`${shown}\``) && !shared.has(`\`${noun}\``);
    });
    expect(missing, 'docs/interface.md lacks these endpoints').toEqual([]);
  });

  it('has a test that exists', () => {
    const missing = coverage().filter(
      ({ test }) =>
        test === null ||
        !existsSync(new URL(`../${test[0]}`, import.meta.url)) ||
        textOf(...test) === '',
    );
    expect(
      missing.map(({ name, test }) => `${name}: ${test?.join(' ') ?? 'none'}`),
      'packages/gateway/test/covered.ts needs an existing file and the title of a test in it',
    ).toEqual([]);
  });

  it('has a test that mentions it', () => {
    const unrelated = coverage().filter(({ group, name, test }) => {
      if (test === null) return false;
      const [file, title] = test;
      if (group === 'Status')
        return !new RegExp(`\\b${name.split(' ').at(-1)}\\b`).test(textOf(file, title));
      if (group === 'Events') return !source(file).includes(name);
      // A helper may build the path from the resource's name.
      const parts = name
        .split('/')
        .slice(2, -1)
        .filter((part) => !part.startsWith(':'));
      return (
        !SHARED.has(file) &&
        !source(file).includes(`/v1/${parts[0]}/`) &&
        !source(file).includes(parts.at(-1) ?? name)
      );
    });
    expect(
      unrelated.map(({ name, test }) => `${name}: ${test?.join(' ') ?? ''}`),
      'packages/gateway/test/covered.ts names a test that does not have the name',
    ).toEqual([]);
  });

  it('is listed in docs/design/test-coverage.md (`npm run docs` writes the table)', () => {
    expect(plain(readFileSync(PAGE, 'utf8'))).toContain(plain(coverageTable()));
  });
});
