import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defaultClientConditions, defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';
import { adoptedStyleSheets } from './tools/vite/adopted-style-sheets.ts';
import { languageFiles } from './tools/vite/language-files.ts';
import { litUnused } from './tools/vite/lit-unused.ts';
import { litWithoutGlobals } from './tools/vite/lit-without-globals.ts';
import { messageNumbers } from './tools/vite/message-numbers.ts';
import { minifyTemplates } from './tools/vite/minify-templates.ts';
import { plainImport } from './tools/vite/plain-import.ts';
import { qrSegments } from './tools/vite/qr-segments.ts';
import { sharedHash } from './tools/vite/shared-hash.ts';
import { shortHydration } from './tools/vite/short-hydration.ts';
import { shortNames } from './tools/vite/short-names.ts';
import { singleEntryFile } from './tools/vite/single-entry-file.ts';
import { twoMinifiers } from './tools/vite/two-minifiers.ts';
import { stylesFromPage } from './tools/vite/styles-from-page.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const { version } = JSON.parse(readFileSync(here('packages/elements/package.json'), 'utf8')) as {
  version: string;
};

const generated = here('packages/elements/src/generated/');

/** Inside the repository packages resolve to their sources. */
const browser = {
  consumer: 'client' as const,
  resolve: { conditions: ['source', ...defaultClientConditions] },
};

/** Our own `msg` replaces the runtime of the package. */
const treeshake = { moduleSideEffects: (id: string): boolean => !id.includes('@lit/localize') };

/** The markup that built servers write for built scripts. */
const forBuiltScripts = { __SHORT_DIGESTS__: 'true' };

/** One file without a global name. */
const classic = { format: 'iife' as const, codeSplitting: false, entryFileNames: '[name].js' };

const ours = /^(?:\.|\/|\0|@crypto-checkout\/|@oxc-project\/)/;

export default defineConfig({
  appType: 'mpa',
  resolve: { conditions: ['source', ...defaultClientConditions] },
  ssr: { resolve: { conditions: ['source', ...defaultServerConditions] } },
  define: { __VERSION__: JSON.stringify(version) },
  build: { target: 'es2022', sourcemap: false, reportCompressedSize: false, emptyOutDir: true },
  plugins: [
    minifyTemplates(),
    plainImport(),
    litUnused(),
    litWithoutGlobals(),
    shortHydration(),
    languageFiles(generated),
    messageNumbers(generated),
    shortNames(here('packages/elements/src/core/contracts.ts')),
    stylesFromPage(),
    adoptedStyleSheets(),
    qrSegments(),
    singleEntryFile(),
    twoMinifiers(),
    sharedHash(),
  ],
  test: {
    environment: 'node',
    pool: 'forks',
    // Most tests wait for databases, processes and browsers.
    maxWorkers: 2,
    testTimeout: 90_000,
    // One second is too short when browsers and databases share two cores.
    expect: { poll: { timeout: 30_000 } },
    // Retries only tests that timed out on a busy machine; `npm test` reports them. A wrong value
    // fails at the first try.
    retry: { count: 1, condition: /timeout exceeded|timed out|aborted due to timeout/i },
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'services',
          include: [
            'packages/{protocol,client,chains,gateway,bff,dashboard}/{src,test}/**/*.test.ts',
            'demo/**/*.test.ts',
            'tools/**/!(pack).test.ts',
          ],
          // No `exclude` here: it would replace the one of the command line (tools/test.mjs).
          // Modules are shared between files, which halves the duration; no test changes the
          // modules of another.
          isolate: false,
        },
      },
      // Packs and installs every package. It takes minutes, so it is a separate step of `npm test`.
      { extends: true, test: { name: 'packages', include: ['tools/pack.test.ts'] } },
      // Server rendering depends on the order in which modules are evaluated, so these files are
      // isolated.
      {
        extends: true,
        test: {
          name: 'page',
          include: ['packages/page/{src,test}/**/*.test.ts'],
          // Hooks build several scripts, beside the browsers of the other steps.
          hookTimeout: 240_000,
        },
      },
    ],
  },
  builder: {
    async buildApp(builder) {
      for (const [name, environment] of Object.entries(builder.environments))
        if (name !== 'ssr' && name !== 'client') await builder.build(environment);
    },
  },
  environments: {
    // The script tag as a module. Languages and the QR encoder are lazy.
    embed: {
      ...browser,
      build: {
        outDir: here('dist/embed'),
        modulePreload: false,
        rolldownOptions: {
          input: { 'crypto-checkout': here('packages/elements/src/script.ts') },
          treeshake,
          preserveEntrySignatures: 'allow-extension',
          output: {
            format: 'es',
            entryFileNames: '[name].mjs',
            chunkFileNames: '[name]-[hash:6].mjs',
          },
        },
      },
    },
    // The hosted page: the same elements with hydration and its own copy of Lit.
    page: {
      ...browser,
      build: {
        outDir: here('dist/page'),
        modulePreload: false,
        rolldownOptions: {
          input: { page: here('packages/page/src/client.ts') },
          treeshake,
          preserveEntrySignatures: false,
          output: {
            format: 'es',
            entryFileNames: '[name]-[hash].mjs',
            chunkFileNames: '[name]-[hash:6].mjs',
          },
        },
      },
    },
    // The script tag for a page with server-rendered elements.
    hydrate: {
      ...browser,
      build: {
        outDir: here('dist/hydrate'),
        modulePreload: false,
        rolldownOptions: {
          input: { 'crypto-checkout-ssr': here('packages/page/src/embed.ts') },
          treeshake,
          preserveEntrySignatures: 'allow-extension',
          output: {
            format: 'es',
            entryFileNames: '[name].mjs',
            chunkFileNames: '[name]-[hash:6].mjs',
          },
        },
      },
    },
    // The script tag as a classic script: one file, except for the languages. It does nothing when
    // the elements are already defined.
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
    // The replacement script for pages that were written for sdk2.js.
    sdk: {
      ...browser,
      build: {
        outDir: here('dist/sdk'),
        rolldownOptions: {
          input: { sdk2: here('packages/elements/src/sdk2/sdk2.ts') },
          output: classic,
        },
      },
    },
    // The operator's dashboard; tools/build.mjs writes its page.
    dashboard: {
      ...browser,
      build: {
        outDir: here('dist/dashboard'),
        modulePreload: false,
        rolldownOptions: {
          input: { dashboard: here('packages/dashboard/src/main.ts') },
          output: {
            format: 'es',
            entryFileNames: '[name]-[hash].mjs',
            chunkFileNames: '[name]-[hash].mjs',
            assetFileNames: '[name]-[hash][extname]',
          },
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
    // The page package of `npm run pack`, with the same templates as the browser scripts.
    pagePackage: {
      consumer: 'server',
      define: forBuiltScripts,
      resolve: {
        noExternal: [/^@crypto-checkout\//],
        conditions: ['source', ...defaultServerConditions],
      },
      build: {
        outDir: here('dist/page-package'),
        ssr: true,
        rolldownOptions: {
          input: { index: here('packages/page/src/index.ts') },
          external: (id: string) => !ours.test(id),
          output: { entryFileNames: '[name].js', chunkFileNames: 'chunk/[name]-[hash].js' },
        },
      },
    },
    // Servers: one file of our own sources each, with libraries from node_modules.
    server: {
      consumer: 'server',
      define: forBuiltScripts,
      resolve: {
        noExternal: [/^@crypto-checkout\//],
        conditions: ['source', ...defaultServerConditions],
      },
      build: {
        outDir: here('dist/server'),
        ssr: true,
        sourcemap: true,
        rolldownOptions: {
          input: {
            gateway: here('packages/gateway/src/main.ts'),
            'crypto-checkout-gateway': here('packages/gateway/src/cli/main.ts'),
            'crypto-checkout-signer': here('packages/gateway/src/signer/main.ts'),
            bff: here('packages/bff/src/main.ts'),
            shop: here('demo/shop.ts'),
            start: here('demo/start.ts'),
            // For a shop's own server: its templates must be identical to those of the scripts.
            page: here('packages/page/src/index.ts'),
          },
          external: (id: string) => !ours.test(id),
          output: {
            // tools/build.mjs writes the files of the other names, which check the version of Node.
            entryFileNames: ({ name }) => (name === 'page' ? 'page.mjs' : `${name}-program.mjs`),
            chunkFileNames: 'chunk/[name]-[hash].mjs',
          },
        },
      },
    },
  },
});
