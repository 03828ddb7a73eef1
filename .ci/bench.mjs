// `npm run bench`: ratios, both sides measured in one run. Not part of `npm test`: times depend on the machine, ratios hardly.
import { spawnSync } from 'node:child_process';
import { ensureBuilt, ensureInstalled, requireNode, root } from './setup.mjs';

requireNode();
ensureInstalled();
ensureBuilt();
const run = spawnSync(process.execPath, ['--import', 'tsx', `${root}e2e/bench/main.ts`, ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
process.exit(run.status ?? 1);
