import { bitcoinNetwork, type UtxoChainId } from '@crypto-checkout/chains/bitcoin/network';
import { changeAddress, formatsOf, ownAddress } from '@crypto-checkout/chains/bitcoin/send/own-key';
import { evmAddress } from '@crypto-checkout/chains/evm/address';
import { evmSendingAddress } from '@crypto-checkout/chains/evm/sender';
import { uncompressedReceivingKey } from '@crypto-checkout/chains/hd-keys';
import type { BitcoinPlan, EvmPlan } from '@crypto-checkout/chains/sender';
import { parseEther } from 'viem';
import type { BitcoinRequest, EvmRequest } from '../../src/signer/request.ts';
import { keysOn } from './attacked-signer.ts';

/** The public keys of the signer that the requests are for. */
export const keys = keysOn('mainnet');
export const HOT = evmSendingAddress(keys);
export const SHOP = '0x52908400098527886E0F7030069857D2E4169EE7';
export const BTC_SHOP = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';

export const depositAt = (index: number): string =>
  evmAddress(uncompressedReceivingKey(keys.evm, index));

export type EvmChanges = Partial<Omit<EvmRequest, 'plan'>> & { plan?: Partial<EvmPlan> };

/** A payout of ether to the shop. */
export function evmPayout(
  id: string,
  ether: string,
  { plan = {}, ...more }: EvmChanges = {},
): EvmRequest {
  return {
    id,
    purpose: 'payout',
    chain: 'ethereum',
    recipientIndex: null,
    approval: null,
    ...more,
    plan: {
      family: 'evm',
      chainId: 1,
      from: { branch: 1, index: 0, address: HOT },
      nonce: 0,
      to: SHOP,
      token: null,
      units: parseEther(ether).toString(),
      memo: null,
      gasLimit: '21000',
      maxFeePerGas: '30000000000',
      maxPriorityFeePerGas: '1000000000',
      ...plan,
    },
  };
}

export const units = (coins: number): string => String(Math.round(coins * 1e8));

export function ownUtxoAddress(chain: UtxoChainId, branch: 0 | 1, index: number): string {
  const network = bitcoinNetwork(chain, 'main');
  return ownAddress(keys, network, { branch, index }, formatsOf(network)[0]!);
}

/** An output at an address of the wallet. */
export const coin = (
  name: number,
  coins: number,
  more: Partial<BitcoinPlan['inputs'][number]> = {},
) => ({
  outpoint: `${String(name).padStart(64, '0')}:0`,
  units: units(coins),
  branch: 0 as const,
  index: name,
  address: ownUtxoAddress('bitcoin', 0, name),
  ...more,
});

export const change = (
  coins: number,
  address = changeAddress(keys, bitcoinNetwork('bitcoin', 'main'), 4),
) => ({ index: 4, address, units: units(coins) });

/** A payout of 0.5 BTC to the shop, from an output of 1. */
export const bitcoinPayout = (id: string, plan: Partial<BitcoinPlan> = {}): BitcoinRequest => ({
  id,
  purpose: 'payout',
  chain: 'bitcoin',
  recipientIndex: null,
  approval: null,
  plan: {
    family: 'bitcoin',
    chain: 'bitcoin',
    network: 'main',
    inputs: [coin(1, 1)],
    outputs: [{ address: BTC_SHOP, units: units(0.5) }],
    change: change(0.4999),
    height: 800_000,
    ...plan,
  },
});
