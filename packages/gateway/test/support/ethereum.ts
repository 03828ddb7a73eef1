import { mnemonicToSeedSync } from '@scure/bip39';
import type { Address } from 'viem';
import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import { createEvmAdapter } from '@crypto-checkout/chains/evm/adapter';
import { createJsonRpc } from '@crypto-checkout/chains/json-rpc';
import { createEvmNode } from '@crypto-checkout/chains/evm/node';
import { createEvmSendNode } from '@crypto-checkout/chains/evm/send/send-node';
import { createEvmSender, evmSendingAddress } from '@crypto-checkout/chains/evm/sender';
import { setUpEvm } from '@crypto-checkout/chains/evm/setup';
import { publicKeysOf } from '@crypto-checkout/chains/keys';
import type { EvmChainId } from '@crypto-checkout/protocol/kind';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import { nodeSettingNames } from '../../src/settings/evm-nodes.ts';
import { type Anvil, compileContracts } from '../../../chains/test/support/anvil.ts';

// Published test words without funds.
export const words =
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
const keys = publicKeysOf(mnemonicToSeedSync(words), { network: 'testnet' });
/** The address that payouts are sent from. */
export const payoutAddress = evmSendingAddress(keys) as Address;
export const contracts = compileContracts();

export interface Ethereum {
  adapter: ChainAdapter;
  sender: ChainSender;
}

/** Ethereum over a node, with a test token as ETH_USDT. */
export const ethereumAt = (url: string, token: Address): Promise<Ethereum> =>
  evmAt('ethereum', url, { ETH_USDT: token });

/** An EVM chain over a node. */
export async function evmAt(
  chain: EvmChainId,
  url: string,
  tokens: Readonly<Record<string, Address>>,
): Promise<Ethereum> {
  const rpc = createJsonRpc({ url });
  const node = createEvmNode(rpc);
  const settings = nodeSettingNames(chain);
  const setup = await setUpEvm({ chain, node, tokens, settings });
  return {
    adapter: createEvmAdapter({ chain, node, setup, keys }),
    sender: createEvmSender({
      chain,
      chainId: setup.chainId,
      node: createEvmSendNode(rpc),
      assets: setup.assets,
      keys,
    }),
  };
}

/** Balance of the test token in its smallest unit. */
export async function tokensOf(
  { wallet }: Anvil,
  token: Address,
  address: Address,
): Promise<bigint> {
  const { abi } = contracts['Token']!;
  return (await wallet.readContract({
    address: token,
    abi,
    functionName: 'balanceOf',
    args: [address],
  })) as bigint;
}
