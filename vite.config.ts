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

/** Lit writes its version to three globals, for a warning that only its development build shows. We leave none on a shop's page. */
const noGlobals = (): Plugin => ({
  name: 'no-globals',
  apply: 'build',
  enforce: 'pre',
  transform(code, id) {
    if (!/node_modules\/(lit-html|lit-element|@lit\/reactive-element)\//.test(id)) return null;
    const out = code.replace(/\(\w+\.(?:litHtml|litElement|reactiveElement)Versions\s*\?\?=\s*\[\]\)\.push\([^)]*\)/g, '0');
    return out === code ? null : { code: out, map: null };
  },
});

const LANGUAGE = /generated\/(first|later)\/([\w-]+)\.ts$/;

/** A language's file imports nothing, so that every script can use the same one. */
const pureLanguages = (): Plugin => ({
  name: 'pure-languages',
  apply: 'build',
  enforce: 'pre',
  transform(code, id) {
    if (!LANGUAGE.test(id)) return null;
    const str = 'const str = (strings, ...values) => ({ strTag: true, strings, values });';
    return { code: code.replace(/import \{ str \} from '@lit\/localize';/, str), map: null };
  },
});

/** The classic file takes languages from the files beside it: `.ci/build.mjs` fills in their names. */
const languagesBeside = (): Plugin => ({
  name: 'languages-beside',
  apply: 'build',
  enforce: 'pre',
  applyToEnvironment: ({ name }) => name === 'classic',
  resolveId(source, importer) {
    const [, part, code] = (importer?.endsWith('generated/loaders.ts') && /^\.\/(first|later)\/([\w-]+)\.ts$/.exec(source)) || [];
    return code ? { id: `language:${part}/${code}`, external: true } : null;
  },
});

/** Writes down which file a language became. */
const namesOfLanguages = (): Plugin => ({
  name: 'names-of-languages',
  apply: 'build',
  applyToEnvironment: ({ name }) => name === 'embed' || name === 'page',
  generateBundle(_, bundle) {
    const names = Object.values(bundle).flatMap((file) => {
      const [, part, code] = (file.type === 'chunk' && LANGUAGE.exec(file.facadeModuleId ?? '')) || [];
      return code ? [[`${part}/${code}`, file.fileName]] : [];
    });
    this.emitFile({ type: 'asset', fileName: 'languages.json', source: JSON.stringify(Object.fromEntries(names)) });
  },
});

const chunkFileNames = ({ facadeModuleId }: { facadeModuleId?: string | null }): string => {
  const [, part, code] = LANGUAGE.exec(facadeModuleId ?? '') ?? [];
  return `${code ?? '[name]'}${part === 'later' ? '-later' : ''}-[hash].mjs`;
};

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
  plugins: [literals(), plainImport(), noGlobals(), pureLanguages(), languagesBeside(), namesOfLanguages()],
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
          input: { 'crypto-checkout': here('packages/elements/src/script.ts') },
          treeshake,
          preserveEntrySignatures: 'allow-extension',
          output: { format: 'es', entryFileNames: '[name].mjs', chunkFileNames },
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
          output: { format: 'es', entryFileNames: '[name]-[hash].mjs', chunkFileNames },
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
          output: { format: 'es', entryFileNames: '[name].mjs', chunkFileNames },
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
