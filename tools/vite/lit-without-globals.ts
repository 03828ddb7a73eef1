// Isolation, not size: 189 B of the embed script would not pay for it (measured 2026-11-23, brotli
// bytes of dist/embed/crypto-checkout.mjs with and without this plugin). Without it "leaves no
// global" fails: e2e/tests/policy.spec.ts, packages/page/src/embed.test.ts.
import type { Plugin } from 'vite';

/** Environments whose elements hydrate server-rendered markup. */
const HYDRATING = ['page', 'hydrate'];

/**
 * The globals that Lit writes or reads, each with its replacement. A Lit release that changes one
 * of them fails the plugin's test.
 */
const REPLACEMENTS: readonly [pattern: RegExp, replacement: string][] = [
  [/\(\w+\.(?:litHtml|litElement|reactiveElement)Versions\s*\?\?=\s*\[\]\)\.push\([^)]*\)/g, '0'],
  // Metadata of standard decorators, which our elements do not use.
  [/\w+\.litPropertyMetadata\s*\?\?=\s*new WeakMap(?:\(\))?/, '0'],
  [/(?<![.\w])litPropertyMetadata\.get\(\w+\)/, 'void 0'],
  [/\w+\.(?:litHtml|litElement|reactiveElement)PolyfillSupport/, 'void 0'],
];

/** Hydration support is imported by the hydrating scripts themselves. */
const HYDRATE_SUPPORT = /\w+\.litElementHydrateSupport\?\.\(\{[^}]*\}\)/;

/** Removes the globals from one of Lit's modules. */
export function withoutGlobals(code: string, { hydrates }: { hydrates: boolean }): string {
  const replaced = REPLACEMENTS.reduce(
    (text, [pattern, replacement]) => text.replace(pattern, replacement),
    code,
  );
  return hydrates ? replaced : replaced.replace(HYDRATE_SUPPORT, '0');
}

/**
 * Builds Lit without its globals (versions, polyfill hooks, decorator metadata). A shop's page gets
 * no global of ours, and another Lit on the page cannot hook into our elements.
 */
export const litWithoutGlobals = (): Plugin => ({
  name: 'lit-without-globals',
  apply: 'build',
  enforce: 'pre',
  transform(code, id) {
    if (!/node_modules\/(lit-html|lit-element|@lit\/reactive-element)\/(?!.*development)/.test(id))
      return null;
    const out = withoutGlobals(code, { hydrates: HYDRATING.includes(this.environment.name) });
    return out === code ? null : { code: out, map: null };
  },
});
