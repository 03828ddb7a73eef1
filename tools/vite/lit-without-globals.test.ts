import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { withoutGlobals } from './lit-without-globals.ts';

/** Lit's production modules, as the bundler sees them. */
const modules = ['lit-html', 'lit-element', '@lit/reactive-element'].flatMap((name) => {
  const folder = fileURLToPath(new URL(`../../node_modules/${name}/`, import.meta.url));
  return readdirSync(folder)
    .filter((file) => file.endsWith('.js'))
    .map((file) => readFileSync(join(folder, file), 'utf8'));
});

const GLOBALS = [
  'litHtmlVersions',
  'litElementVersions',
  'reactiveElementVersions',
  'litPropertyMetadata',
];
const HOOKS = [
  'litHtmlPolyfillSupport',
  'litElementPolyfillSupport',
  'reactiveElementPolyfillSupport',
  'litElementHydrateSupport',
];

describe('Lit without globals', () => {
  it('is tested with the Lit that is installed, which still has each of these globals', () => {
    const all = modules.join('\n');
    for (const name of [...GLOBALS, ...HOOKS]) expect(all, name).toContain(name);
  });

  it('reads and writes none of them', () => {
    const all = modules.map((code) => withoutGlobals(code, { hydrates: false })).join('\n');
    for (const name of GLOBALS)
      expect(all, name).not.toMatch(new RegExp(String.raw`(?:globalThis|\w)\.${name}\b`));
    for (const name of HOOKS)
      expect(all, name).not.toMatch(new RegExp(String.raw`(?:globalThis|\w)\.${name}\?\.`));
  });

  it('keeps hydration support where the server drew the element', () => {
    const all = modules.map((code) => withoutGlobals(code, { hydrates: true })).join('\n');
    expect(all).toContain('litElementHydrateSupport?.(');
  });
});
