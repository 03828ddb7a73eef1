import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { minifyHTMLLiterals } from 'minify-literals';
import { type Plugin, defaultClientConditions, defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const { version } = JSON.parse(readFileSync(here('packages/elements/package.json'), 'utf8')) as { version: string };

/** Minifies html``, svg`` and css`` of our own elements. Messages keep explicit ids: a generated id would hash the minified text. */
const literals = (): Plugin => ({
  name: 'literals',
  apply: 'build',
  enforce: 'pre',
  async transform(code, id) {
    if (!/packages\/(elements|page|dashboard)\/src\/.*\.ts$/.test(id) || /generated/.test(id) || !/(html|svg|css)`/.test(code)) return null;
    const out = await minifyHTMLLiterals(code, { fileName: id });
    return out ? { code: out.code, map: (out.map as never) ?? null } : null;
  },
});

/** Our lazy files bring no styles, so loading one is a plain import: without this each bundle carries a preload helper. */
const plainImport = (): Plugin => ({
  name: 'plain-import',
  apply: 'build',
  enforce: 'pre',
  load: (id) => (id.includes('vite/preload-helper') ? 'export const __vitePreload = (load) => load();' : null),
});

/** Builds in which the elements take over what the server has drawn. */
const hydrating = ['page', 'hydrate'];

/**
 * Lit keeps four globals: its versions, for a warning that only its development build shows, and what decorators declare. We leave none
 * on a shop's page, and ask for none: what the page has brought for a Lit of its own is not let into our elements.
 */
const noGlobals = (): Plugin => ({
  name: 'no-globals',
  apply: 'build',
  enforce: 'pre',
  transform(code, id) {
    if (!/node_modules\/(lit-html|lit-element|@lit\/reactive-element)\/(?!.*development)/.test(id)) return null;
    const out = code
      .replace(/\(\w+\.(?:litHtml|litElement|reactiveElement)Versions\s*\?\?=\s*\[\]\)\.push\([^)]*\)/g, '0')
      // Properties that standard decorators declare: we have none of these.
      .replace(/\w+\.litPropertyMetadata\s*\?\?=\s*new WeakMap(?:\(\))?/, '0')
      .replace(/(?<![.\w])litPropertyMetadata\.get\(\w+\)/, 'void 0')
      .replace(/\w+\.(?:litHtml|litElement|reactiveElement)PolyfillSupport/, 'void 0')
      // Where the server has drawn the element, we bring it ourselves.
      .replace(/\w+\.litElementHydrateSupport\?\.\(\{[^}]*\}\)/, (call) => (hydrating.includes(this.environment.name) ? call : '0'));
    return out === code ? null : { code: out, map: null };
  },
});

const generated = here('packages/elements/src/generated/');

/**
 * A language's files stand beside each script, under names that one mark makes its own: so that a script need not carry a list of
 * sixty names, and a classic file, which has no files of its own, finds those of the module.
 */
const languages = (): Plugin => {
  const texts = ['first', 'later'].flatMap((part) =>
    readdirSync(generated + part).map((file) => ({ id: `${generated}${part}/${file}`, name: file.replace('.ts', '') + afterDash(part) })),
  );
  const mark = createHash('sha256')
    .update(texts.map(({ id }) => readFileSync(id, 'utf8')).join())
    .digest('base64url')
    .slice(0, 8);
  const loaders = `export const load = (name) => import(/* @vite-ignore */ './' + name + '-${mark}.mjs')`;
  return {
    name: 'languages',
    apply: 'build',
    enforce: 'pre',
    applyToEnvironment: ({ name }) => ['embed', 'hydrate', 'page', 'classic'].includes(name),
    buildStart() {
      if (this.environment.name === 'classic') return;
      for (const { id, name } of texts) this.emitFile({ type: 'chunk', id, fileName: `${name}-${mark}.mjs`, preserveSignature: 'strict' });
    },
    load: (id) => (id === `${generated}loaders.ts` ? loaders : null),
    // Its one import is replaced: a file that imports nothing fits every script.
    transform(code, id) {
      if (!texts.some((text) => text.id === id)) return null;
      const str = 'const str = (strings, ...values) => ({ strTag: true, strings, values });';
      return { code: code.replace("import { str } from '@lit/localize';", str), map: null };
    },
  };
};
const afterDash = (part: string): string => (part === 'later' ? '-later' : '');

/**
 * What a script needs from the start is one file. A lazy file that needs a little of it, but not the rest, would otherwise move that
 * little into a third file, and everybody's start would wait for it.
 */
const oneFirstFile = (): Plugin => {
  const lazy = new Set<string>();
  return {
    name: 'one-first-file',
    apply: 'build',
    enforce: 'pre',
    applyToEnvironment: ({ name }) => ['embed', 'hydrate', 'page'].includes(name),
    async resolveDynamicImport(specifier, importer) {
      const found = typeof specifier === 'string' ? await this.resolve(specifier, importer) : null;
      if (found && /packages\/(elements|page)\/src\//.test(found.id)) lazy.add(found.id);
      return null;
    },
    transform(code, id) {
      const [entry] = Object.values(this.environment.config.build.rolldownOptions.input ?? {});
      return lazy.has(id) ? { code: `${code}\nimport ${JSON.stringify(entry)};`, map: null } : null;
    },
  };
};

/**
 * Lit's style sheets also work in browsers that cannot adopt one; every browser that runs our scripts can. A tenth of what the first
 * script may weigh beyond Lit would be for nobody.
 */
const adoptedStyles = (): Plugin => ({
  name: 'adopted-styles',
  apply: 'build',
  enforce: 'pre',
  applyToEnvironment: ({ config }) => config.consumer === 'client',
  load: (id) =>
    !id.endsWith('/@lit/reactive-element/css-tag.js')
      ? null
      : `export class CSSResult {
          constructor(text) { this.cssText = text; }
          get styleSheet() {
            if (!this.sheet) (this.sheet = new CSSStyleSheet()).replaceSync(this.cssText);
            return this.sheet;
          }
          toString() { return this.cssText; }
        }
        export const supportsAdoptingStyleSheets = true;
        export const unsafeCSS = (text) => new CSSResult(String(text));
        export const css = (strings, ...values) => unsafeCSS(strings.reduce((text, next, at) => text + values[at - 1] + next));
        export const getCompatibleStyle = (style) => style;
        export const adoptStyles = (root, styles) => {
          root.adoptedStyleSheets = styles.map((style) => style.styleSheet ?? style);
        };`,
});

/**
 * The encoder's package searches the cheapest way to split a text with a graph library and tables of four modes; ours hands it the
 * segments (protocol/qr), so that a browser needs only their three kinds.
 */
const qrSegments = (): Plugin => ({
  name: 'qr-segments',
  apply: 'build',
  enforce: 'pre',
  applyToEnvironment: ({ config }) => config.consumer === 'client',
  resolveId: (id, from) => (from?.includes('/qrcode/lib/core/') && /^\.\/(?:segments|regex)$/.test(id) ? `\0qr${id.slice(1)}` : null),
  load(id) {
    if (id === '\0qr/regex') return 'module.exports = {};';
    if (id !== '\0qr/segments') return null;
    const kinds = ['numeric', 'alphanumeric', 'byte'].map((mode) => `${mode}: require('qrcode/lib/core/${mode}-data')`);
    return `const kinds = { ${kinds.join(', ')} };\nexports.fromArray = (segments) => segments.map(({ mode, data }) => new kinds[mode](data));`;
  },
});

/** Inside the repository packages are used from their sources. */
const browser = { consumer: 'client' as const, resolve: { conditions: ['source', ...defaultClientConditions] } };

/** Our own `msg` replaces what the package would set up by itself. */
const treeshake = { moduleSideEffects: (id: string): boolean => !id.includes('@lit/localize') };

/** One file that leaves no name behind. */
const classic = { format: 'iife' as const, codeSplitting: false, entryFileNames: '[name].js' };

const ours = /^(?:\.|\/|\0|@crypto-checkout\/|@oxc-project\/)/;

export default defineConfig({
  appType: 'mpa',
  resolve: { conditions: ['source', ...defaultClientConditions] },
  ssr: { resolve: { conditions: ['source', ...defaultServerConditions] } },
  define: { __VERSION__: JSON.stringify(version) },
  build: { target: 'es2022', sourcemap: false, reportCompressedSize: false, emptyOutDir: true },
  plugins: [literals(), plainImport(), noGlobals(), languages(), adoptedStyles(), qrSegments(), oneFirstFile()],
  test: {
    environment: 'node',
    pool: 'forks',
    // Much of it waits for databases, processes and browsers.
    maxWorkers: 2,
    testTimeout: 45_000,
    // A second is short where browsers and databases share two cores.
    expect: { poll: { timeout: 20_000 } },
    // Only who waited in vain on a busy machine tries again, and `npm test` tells of it; a wrong value is wrong the first time.
    retry: { count: 1, condition: /timeout exceeded|timed out/i },
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'services',
          include: ['packages/{protocol,client,gateway,bff,dashboard}/{src,test}/**/*.test.ts', 'demo/**/*.test.ts'],
          // Half of the time was spent on reading the same modules again for each file; no test here changes what others read.
          isolate: false,
        },
      },
      // What is drawn on a server depends on what was evaluated before it.
      { extends: true, test: { name: 'page', include: ['packages/page/{src,test}/**/*.test.ts'] } },
    ],
  },
  builder: {
    async buildApp(builder) {
      for (const [name, environment] of Object.entries(builder.environments))
        if (name !== 'ssr' && name !== 'client') await builder.build(environment);
    },
  },
  environments: {
    // The script tag as a module: languages and the QR encoder stay lazy.
    embed: {
      ...browser,
      build: {
        outDir: here('dist/embed'),
        modulePreload: false,
        rolldownOptions: {
          input: { 'crypto-checkout': here('packages/elements/src/script.ts') },
          treeshake,
          preserveEntrySignatures: 'allow-extension',
          output: { format: 'es', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash:6].mjs' },
        },
      },
    },
    // The hosted page: the same elements with hydration, its own copy of Lit.
    page: {
      ...browser,
      build: {
        outDir: here('dist/page'),
        modulePreload: false,
        rolldownOptions: {
          input: { page: here('packages/page/src/client.ts') },
          treeshake,
          preserveEntrySignatures: false,
          output: { format: 'es', entryFileNames: '[name]-[hash].mjs', chunkFileNames: '[name]-[hash].mjs' },
        },
      },
    },
    // The script tag for a page whose server has drawn the element.
    hydrate: {
      ...browser,
      build: {
        outDir: here('dist/hydrate'),
        modulePreload: false,
        rolldownOptions: {
          input: { 'crypto-checkout-ssr': here('packages/page/src/embed.ts') },
          treeshake,
          preserveEntrySignatures: 'allow-extension',
          output: { format: 'es', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
        },
      },
    },
    // The script tag as a classic file: everything but the languages in one. Where the elements are already, it does nothing.
    classic: {
      ...browser,
      build: {
        outDir: here('dist/classic'),
        rolldownOptions: {
          input: { 'crypto-checkout': here('packages/elements/src/script.ts') },
          treeshake,
          output: { ...classic, banner: 'customElements.get("crypto-checkout")||' },
        },
      },
    },
    // What a page that was written for sdk2.js loads instead.
    sdk: {
      ...browser,
      build: {
        outDir: here('dist/sdk'),
        rolldownOptions: { input: { sdk2: here('packages/elements/src/sdk2.ts') }, output: classic },
      },
    },
    // The operator's dashboard; its page is written beside it (.ci/build.mjs).
    dashboard: {
      ...browser,
      build: {
        outDir: here('dist/dashboard'),
        modulePreload: false,
        rolldownOptions: {
          input: { dashboard: here('packages/dashboard/src/main.ts') },
          output: { format: 'es', entryFileNames: '[name]-[hash].mjs', assetFileNames: '[name]-[hash][extname]' },
        },
      },
    },
    demo: {
      ...browser,
      build: {
        outDir: here('dist/demo'),
        modulePreload: false,
        rolldownOptions: {
          input: { shop: here('demo/browser/shop.ts') },
          output: { format: 'es', entryFileNames: '[name].mjs', assetFileNames: '[name][extname]' },
        },
      },
    },
    // Servers: our own sources in one file each, libraries from node_modules.
    server: {
      consumer: 'server',
      resolve: { noExternal: [/^@crypto-checkout\//], conditions: ['source', ...defaultServerConditions] },
      build: {
        outDir: here('dist/server'),
        ssr: true,
        minify: false,
        sourcemap: true,
        rolldownOptions: {
          input: {
            gateway: here('packages/gateway/src/main.ts'),
            'crypto-checkout-gateway': here('packages/gateway/src/cli/main.ts'),
            bff: here('packages/bff/src/main.ts'),
            shop: here('demo/shop.ts'),
            start: here('demo/start.ts'),
            // For a shop's own server: the templates must be those of the scripts, letter by letter.
            page: here('packages/page/src/index.ts'),
          },
          external: (id: string) => !ours.test(id),
          output: { entryFileNames: '[name].mjs', chunkFileNames: 'chunk/[name]-[hash].mjs' },
        },
      },
    },
  },
});
