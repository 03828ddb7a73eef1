// Builds the examples that the demo shop serves at /frameworks/<name>/ into dist/frameworks/.
import { cpSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import vue from '@vitejs/plugin-vue';
import { build, defaultClientConditions } from 'vite';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const out = (name) => here(`../../dist/frameworks/${name}`);

const PLUGINS = {
  react: [],
  vue: [
    vue({ template: { compilerOptions: { isCustomElement: (tag) => tag.startsWith('crypto-') } } }),
  ],
  svelte: [svelte({ configFile: false })],
};

// A plain page is served without a build.
rmSync(out('html'), { recursive: true, force: true });
cpSync(here('html'), out('html'), { recursive: true });
for (const [name, plugins] of Object.entries(PLUGINS))
  await build({
    configFile: false,
    root: here(name),
    base: `/frameworks/${name}/`,
    logLevel: 'warn',
    plugins,
    // Inside the repository packages are used from their sources.
    resolve: { conditions: ['source', ...defaultClientConditions] },
    oxc: name === 'react' ? { jsx: { runtime: 'automatic' } } : {},
    build: {
      target: 'es2022',
      outDir: out(name),
      emptyOutDir: true,
      modulePreload: false,
      reportCompressedSize: false,
    },
  });
