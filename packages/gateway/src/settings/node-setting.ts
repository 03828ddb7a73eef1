import { isUtxoChain } from '@crypto-checkout/chains/bitcoin/network';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import type { Config } from '../config.ts';
import { bitcoinSettingNames } from './bitcoin.ts';
import { EVM_CHAINS, nodeSettingNames } from './evm-nodes.ts';

const LIGHTNING = { lnd: 'LND_URL', cln: 'CLN_URL', phoenixd: 'PHOENIXD_URL' } as const;

/** Puts the setting of the node before a sentence about it, unless it is there. */
export const withSetting = (sentence: string, setting: string | null): string =>
  setting === null || sentence.startsWith(setting) ? sentence : `${setting}: ${sentence}`;

/** The setting that names the node of a chain, for an operator; null without one. */
export function nodeSetting(
  { nodes, bitcoinNodes, lightning }: Pick<Config, 'nodes' | 'bitcoinNodes' | 'lightning'>,
  chain: ChainId,
): string | null {
  if (chain === 'lightning') return lightning && LIGHTNING[lightning.program];
  if (isUtxoChain(chain)) {
    const sources = bitcoinNodes[chain];
    if (sources === undefined) return null;
    const names = bitcoinSettingNames(chain);
    return sources.node === null ? names.esplora : names.url;
  }
  const evm = EVM_CHAINS.find((id) => id === chain);
  return evm !== undefined && nodes[evm].providers.length > 0 ? nodeSettingNames(evm).url : null;
}
