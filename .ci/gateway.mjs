// The operator's command line: `npm run gateway -- <command>`. Set up first, as every command here.
import { spawnSync } from 'node:child_process';
import { ensureBuilt, ensureInstalled, requireNode, root } from './setup.mjs';

requireNode();
ensureInstalled();
ensureBuilt();
const { status } = spawnSync(
  process.execPath,
  ['--enable-source-maps', `${root}dist/server/crypto-checkout-gateway.mjs`, ...process.argv.slice(2)],
  {
    stdio: 'inherit',
  },
);
process.exit(status ?? 1);
