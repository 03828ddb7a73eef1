import type { Config } from '../config.ts';
import { EVM_CHAINS } from '../settings/evm-nodes.ts';
import { checkDatabase } from './database.ts';
import { checkFiles } from './files.ts';
import { type Finding, manual } from './finding.ts';
import { checkNodes } from './nodes.ts';
import { checkOutside, type OutsideOptions } from './outside.ts';
import { checkSettings } from './settings.ts';

/** Steps of the list in docs/run/networks.md that no program can see. */
const MANUAL: readonly (readonly [about: string, says: string])[] = [
  ['backups', 'Back up database, DATA_DIR and settings, and try one restore.'],
  ['words', 'Write down the words of keys.json, or of the signer, and keep them apart.'],
  ['payouts', 'Give keys that create payouts a --max-payout and a --max-payout-daily.'],
  // Only EVM chains need it.
  ['fees', 'Send coin for fees to the payout address, and assign it to the wallet.'],
  ['first payment', 'Take one small payment of each coin, and pay it out to an address of yours.'],
  ['monitoring', 'Put /readyz, the metrics and `alarms list` into the monitoring.'],
  ['firewall', 'Nothing but the proxy listens outside.'],
];

/**
 * Goes through the list of "From the sandbox to a main network" (docs/run/networks.md), as far as a
 * program can see it. It changes nothing, also beside a running service.
 */
export async function runCheck(config: Config, options: OutsideOptions = {}): Promise<Finding[]> {
  const { findings, db, isUsed, end } = await checkDatabase(config);
  const hasFees = EVM_CHAINS.some((chain) => config.nodes[chain].providers.length > 0);
  try {
    return [
      ...(await checkNodes(config, db)),
      ...(await checkSettings(config)),
      ...(await checkFiles(config, isUsed)),
      ...findings,
      ...(await checkOutside(config, db, options)),
      ...MANUAL.filter(([about]) => about !== 'fees' || hasFees).map(([about, says]) =>
        manual(about, says),
      ),
    ];
  } finally {
    await end();
  }
}
