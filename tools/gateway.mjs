// The operator's command line: `npm run gateway -- <command>`. Installs and builds first when
// needed.
import { spawnSync } from 'node:child_process';
import { ensureBuilt, ensureInstalled, prepare, requireNode, root } from './setup.mjs';

prepare(requireNode, ensureInstalled, ensureBuilt);
const { status } = spawnSync(
  process.execPath,
  [
    '--enable-source-maps',
    `${root}dist/server/crypto-checkout-gateway.mjs`,
    ...process.argv.slice(2),
  ],
  {
    stdio: 'inherit',
  },
);
process.exit(status ?? 1);
