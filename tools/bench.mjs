// `npm run bench`: compares both sides in one run. Not part of `npm test`, because durations depend
// on the machine.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { ensureBuilt, ensureInstalled, prepare, requireNode, root } from './setup.mjs';

prepare(requireNode, ensureInstalled, ensureBuilt);
mkdirSync(`${root}test-results`, { recursive: true });
const run = spawnSync(
  process.execPath,
  ['--import', 'tsx', `${root}e2e/bench/main.ts`, ...process.argv.slice(2)],
  {
    cwd: root,
    stdio: 'inherit',
  },
);
process.exit(run.status ?? 1);
