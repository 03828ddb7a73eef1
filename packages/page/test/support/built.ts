import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createBuilder } from 'vite';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

/** The page from the build, with minified templates and styles, as servers have it. */
export async function importBuilt(): Promise<typeof import('../../src/index.ts')> {
  const builder = await createBuilder({
    root,
    configFile: `${root}vite.config.ts`,
    logLevel: 'error',
  });
  const { server } = builder.environments;
  // Libraries resolve from inside the repository.
  const folder = mkdtempSync(join(root, 'node_modules', '.page-test-'));
  try {
    const { build } = server!.config;
    build.outDir = folder;
    build.sourcemap = false;
    build.rolldownOptions.input = {
      page: fileURLToPath(new URL('../../src/index.ts', import.meta.url)),
    };
    await builder.build(server!);
    return (await import(
      pathToFileURL(join(folder, 'page.mjs')).href
    )) as typeof import('../../src/index.ts');
  } finally {
    rmSync(folder, { recursive: true });
  }
}
