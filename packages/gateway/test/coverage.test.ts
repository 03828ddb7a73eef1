import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { coverage, coverageTable, servedEndpoints } from './coverage.ts';
import { ENDPOINT_TESTS, STATE_TESTS } from './covered.ts';
import { ENDPOINTS, STATES } from './specification.ts';

/** Without the padding that a formatter adds to tables. */
const plain = (text: string): string =>
  text.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---').replaceAll('| --- ', '|---').replaceAll('|---|\n', '|---|\n');

const source = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');

/** Tests that several nouns run with their own path. */
const SHARED = new Set(['src/exchange/test-rule-routes.ts']);

/** From the title of a test to the next test: what it says. */
function textOf(file: string, title: string): string {
  const text = source(file);
  const at = ["'", '`', '"'].map((quote) => text.indexOf(`${quote}${title}${quote}`)).find((found) => found >= 0) ?? -1;
  if (at < 0) return '';
  const before = /\b(?:it|test)(?:\.each)?\([^\n]*$|\]\)\($/.test(text.slice(0, at));
  const rest = text.slice(at);
  const end = rest.slice(1).search(/\n\s*(?:it|test|describe)[.(]/);
  return before ? rest.slice(0, end < 0 ? undefined : end + 1) : '';
}

describe('every endpoint, event and state', () => {
  it('is named by the interface and served, and each of ours is known', () => {
    const served = servedEndpoints();
    expect(ENDPOINTS.map(([, endpoint]) => endpoint).filter((endpoint) => !served.includes(endpoint))).toEqual([]);
    expect(Object.keys(ENDPOINT_TESTS).filter((endpoint) => !served.includes(endpoint))).toEqual([]);
    const states = Object.entries(STATES).flatMap(([resource, names]) => names.map((name) => `${resource} ${name}`));
    expect(Object.keys(STATE_TESTS).toSorted()).toEqual(states.toSorted());
  });

  it('has a test that is there', () => {
    const missing = coverage().filter(
      ({ test }) => test === null || !existsSync(new URL(`../${test[0]}`, import.meta.url)) || textOf(...test) === '',
    );
    expect(missing.map(({ name, test }) => `${name}: ${test?.join(' ') ?? 'none'}`)).toEqual([]);
  });

  it('has a test that speaks of it', () => {
    const silent = coverage().filter(({ group, name, test }) => {
      if (test === null) return false;
      const [file, title] = test;
      if (group === '§3') return !new RegExp(`\\b${name.split(' ').at(-1)}\\b`).test(textOf(file, title));
      if (group === '§6') return !source(file).includes(name);
      // A file's helpers may put the path together, from the noun or for several nouns.
      const parts = name
        .split('/')
        .slice(2, -1)
        .filter((part) => !part.startsWith(':'));
      return !SHARED.has(file) && !source(file).includes(`/v1/${parts[0]}/`) && !source(file).includes(parts.at(-1) ?? name);
    });
    expect(silent.map(({ name, test }) => `${name}: ${test?.join(' ') ?? ''}`)).toEqual([]);
  });

  it('is listed in the README (`npm run docs` writes the table)', () => {
    expect(plain(source('README.md'))).toContain(plain(coverageTable()));
  });
});
