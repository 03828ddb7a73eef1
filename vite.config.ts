import { readFileSync } from 'node:fs';
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
    if (!/packages\/(elements|page)\/src\/.*\.ts$/.test(id) || /generated/.test(id) || !/(html|svg|css)`/.test(code)) return null;
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

/** Inside the repository packages are used from their sources. */
const browser = { consumer: 'client' as const, resolve: { conditions: ['source', ...defaultClientConditions] } };

/** Our own `msg` replaces what the package would set up by itself. */
const treeshake = { moduleSideEffects: (id: string): boolean => !id.includes('@lit/localize') };

const ours = /^(?:\.|\/|\0|@crypto-checkout\/|@oxc-project\/)/;

export default defineConfig({
  appType: 'mpa',
  resolve: { conditions: ['source', ...defaultClientConditions] },
  ssr: { resolve: { conditions: ['source', ...defaultServerConditions] } },
  define: { __VERSION__: JSON.stringify(version) },
  build: { target: 'es2022', sourcemap: false, reportCompressedSize: false, emptyOutDir: true },
  plugins: [literals(), plainImport()],
  test: {
    include: ['packages/{protocol,client,gateway,bff,page}/{src,test}/**/*.test.ts', 'demo/**/*.test.ts'],
    environment: 'node',
    pool: 'forks',
    testTimeout: 20_000,
    hookTimeout: 60_000,
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
          input: { 'crypto-checkout': here('packages/elements/src/embed.ts') },
          treeshake,
          preserveEntrySignatures: 'allow-extension',
          output: { format: 'es', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
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
    // The script tag as a classic file: everything in one.
    classic: {
      ...browser,
      build: {
        outDir: here('dist/classic'),
        lib: {
          entry: here('packages/elements/src/index.ts'),
          formats: ['iife'],
          name: 'CryptoCheckout',
          fileName: () => 'crypto-checkout.js',
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
            bff: here('packages/bff/src/main.ts'),
            shop: here('demo/shop.ts'),
            start: here('demo/start.ts'),
          },
          external: (id: string) => !ours.test(id),
          output: { entryFileNames: '[name].mjs', chunkFileNames: 'chunk/[name]-[hash].mjs' },
        },
      },
    },
  },
});
