import { parseEvmAddress } from '@crypto-checkout/chains/evm/address';
import { AddressError } from '@crypto-checkout/chains/parsed-address';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import { CHAINS, type ChainId, type EvmChainId } from '@crypto-checkout/protocol/kind';
import {
  setting,
  text,
  type Setting,
  type SettingValues,
} from '@crypto-checkout/protocol/schema/setting';
import type { z } from 'zod';
import { EVM_CHAINS, nodeSettingNames } from './evm-nodes.ts';

type SweepTo = ReturnType<typeof nodeSettingNames>['sweepTo'];

const usd = text.regex(/^(\d{1,12}(\.\d{1,2})?)?$/, 'must be an amount of US dollars, as in 5000');

/** Settings of sweeps, for the table of all settings. */
export const SWEEP_SETTINGS = {
  HOT_LIMIT: setting(
    '',
    usd.transform((value) => (value === '' ? null : parseAmount(value))),
    'US dollars that sweeps may bring to the payout address of each chain with a node. Beyond, they go to the cold address of SWEEP_TO_…; without one they wait with an alarm.',
  ),
  ...(Object.fromEntries(
    EVM_CHAINS.map((chain) => [
      nodeSettingNames(chain).sweepTo,
      setting(
        '',
        text.transform(readAddress),
        `Cold address that deposits on ${CHAINS[chain].name.replace(/ \(.*/, '')} are swept to; with HOT_LIMIT only what is beyond it. Without it, they are swept to the payout address.`,
      ),
    ]),
  ) as Record<SweepTo, Setting<string | null>>),
};

/** The cold address of each chain that has one. */
export const sweepTargets = (
  values: Pick<SettingValues<typeof SWEEP_SETTINGS>, SweepTo>,
): Partial<Record<ChainId, string>> =>
  Object.fromEntries(
    EVM_CHAINS.flatMap((chain): [EvmChainId, string][] => {
      const address = values[nodeSettingNames(chain).sweepTo];
      return address === null ? [] : [[chain, address]];
    }),
  );

function readAddress(value: string, check: z.RefinementCtx): string | null {
  if (value === '') return null;
  try {
    return parseEvmAddress(value).address;
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    check.addIssue('must be an address of the chain with a right checksum');
    return null;
  }
}
