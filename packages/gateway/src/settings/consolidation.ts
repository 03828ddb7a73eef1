import { UTXO_CHAINS, type UtxoChainId } from '@crypto-checkout/chains/bitcoin/network';
import { CHAINS } from '@crypto-checkout/protocol/kind';
import {
  integer,
  setting,
  type Setting,
  type SettingValues,
} from '@crypto-checkout/protocol/schema/setting';

/** The setting of each chain, and a rate of its quiet times. */
const RATES = {
  bitcoin: ['CONSOLIDATE_RATE_BTC', '4'],
  litecoin: ['CONSOLIDATE_RATE_LTC', '4'],
  dogecoin: ['CONSOLIDATE_RATE_DOGE', '1000'],
} as const satisfies Record<UtxoChainId, readonly [name: string, rate: string]>;

type RateName = (typeof RATES)[UtxoChainId][0];

/** Settings of the transactions that join small coins, for the table of all settings. */
export const CONSOLIDATION_SETTINGS = {
  CONSOLIDATE_COINS: setting(
    '20',
    integer(2, 100_000),
    'Bitcoin, Litecoin and Dogecoin on a node: least number of small coins that one transaction joins while the network fee is low. The ten largest coins stay as they are.',
  ),
  ...(Object.fromEntries(
    UTXO_CHAINS.map((chain) => {
      const [name, rate] = RATES[chain];
      const text = `Highest network fee at which small coins of ${CHAINS[chain].name} are joined, in the smallest unit per byte: the node's estimate for 24 blocks. 0 joins none.`;
      return [name, setting(rate, integer(0, 1_000_000), text)];
    }),
  ) as Record<RateName, Setting<number>>),
};

/** The highest rate of each chain; 0 for never. */
export const consolidateRates = (
  values: Pick<SettingValues<typeof CONSOLIDATION_SETTINGS>, RateName>,
): Readonly<Record<UtxoChainId, number>> =>
  Object.fromEntries(UTXO_CHAINS.map((chain) => [chain, values[RATES[chain][0]]])) as Record<
    UtxoChainId,
    number
  >;
