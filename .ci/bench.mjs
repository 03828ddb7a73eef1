// `npm run bench`: ratios, both sides measured in one run. Not part of `npm test`: times depend on the machine, ratios hardly.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { ensureBuilt, ensureInstalled, requireNode, root } from './setup.mjs';

requireNode();
ensureInstalled();
ensureBuilt();
mkdirSync(`${root}test-results`, { recursive: true });
const run = spawnSync(process.execPath, ['--import', 'tsx', `${root}e2e/bench/main.ts`, ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
process.exit(run.status ?? 1);
