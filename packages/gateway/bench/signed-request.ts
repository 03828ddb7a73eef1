import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, defaultServerConditions } from 'vite';

/**
 * Builds `signed-call.ts` like the service and runs it. Runners that execute TypeScript directly
 * assign a name to each function at run time, which the built service does not do.
 */
const root = fileURLToPath(new URL('../../../', import.meta.url));
const outDir = `${root}dist/bench`;
try {
  await build({
    configFile: false,
    root,
    logLevel: 'error',
    ssr: {
      noExternal: [/^@crypto-checkout\//],
      resolve: { conditions: ['source', ...defaultServerConditions] },
    },
    build: {
      ssr: fileURLToPath(new URL('signed-call.ts', import.meta.url)),
      outDir,
      minify: false,
    },
  });
  const { status } = spawnSync(process.execPath, [`${outDir}/signed-call.js`], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  process.exitCode = status ?? 1;
} finally {
  rmSync(outDir, { recursive: true, force: true });
}
