// `npm run bench`: compares both sides in one run. Not part of `npm test`, because durations depend
// on the machine.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import {
  ensureBuilt,
  ensureChromium,
  ensureInstalled,
  prepare,
  requireNode,
  root,
} from './setup.mjs';

/** Benches that need a browser. */
const IN_BROWSER = ['buyer', 'screen'];

const wanted = process.argv.slice(2);
prepare(requireNode, ensureInstalled);
const needsBrowser = wanted.length === 0 || wanted.some((name) => IN_BROWSER.includes(name));
const [chromium] = needsBrowser ? prepare(ensureChromium) : [];
prepare(ensureBuilt);
mkdirSync(`${root}test-results`, { recursive: true });
const run = spawnSync(
  process.execPath,
  ['--import', 'tsx', `${root}e2e/bench/main.ts`, ...wanted],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...(chromium ? { CHROMIUM: chromium } : {}) },
  },
);
process.exit(run.status ?? 1);
