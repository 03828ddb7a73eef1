import type { Config } from '../config.ts';
import { isOnThisMachine, requireSafeOwnAddresses } from '../http/own-address.ts';
import { requireRates } from '../rate/open-rates.ts';
import { faultOf, fault, type Finding, ok, present, warning } from './finding.ts';

/** The settings that a main network needs. */
export async function checkSettings(config: Config): Promise<Finding[]> {
  const findings = present([
    await faultOf('RATES', () => requireRates(config, 'mainnet')),
    await faultOf('PUBLIC_URL', () => requireSafeOwnAddresses(config)),
    isOnThisMachine(config.publicUrl)
      ? warning(
          'PUBLIC_URL',
          `It is ${config.publicUrl}, which only this machine reaches: set the public address of the pages, which LNURLs and notices carry.`,
        )
      : null,
    config.testMnemonic === null
      ? null
      : fault('TEST_MNEMONIC', 'Its value is published: remove TEST_MNEMONIC.'),
    config.sandbox
      ? warning('SANDBOX', 'Nothing is simulated beside a main network: set SANDBOX=false.')
      : null,
    config.hotLimit === null && Object.keys(config.sweepTo).length === 0
      ? warning(
          'HOT_LIMIT',
          'Nothing limits what the hot wallet holds: set HOT_LIMIT or a SWEEP_TO address, or make automatic payouts to a cold one.',
        )
      : null,
  ]);
  return findings.some(({ result }) => result === 'fault')
    ? findings
    : [ok('settings', 'They fit a main network.'), ...findings];
}
