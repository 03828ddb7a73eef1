import { mnemonicToSeedSync } from '@scure/bip39';
import type { Address } from 'viem';
import type { ChainAdapter } from '../src/chain/adapter.ts';
import { createEvmChain } from '../src/chain/evm/chain.ts';
import { createJsonRpc } from '../src/chain/evm/json-rpc.ts';
import { createEvmNode } from '../src/chain/evm/node.ts';
import { createEvmSendNode } from '../src/chain/evm/send-node.ts';
import { createEvmSender, evmSendingAddress } from '../src/chain/evm/send.ts';
import { setUpEvm } from '../src/chain/evm/setup.ts';
import { publicKeysOf } from '../src/chain/keys.ts';
import type { ChainSender } from '../src/chain/sender.ts';
import { type Anvil, compileContracts } from './anvil.ts';

// Published test words; nothing but tests has them.
export const words = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
const keys = publicKeysOf(mnemonicToSeedSync(words), { network: 'testnet' });
/** The address that pays out. */
export const hot = evmSendingAddress(keys) as Address;
export const contracts = compileContracts();

export interface Ethereum {
  adapter: ChainAdapter;
  sender: ChainSender;
}

/**
 * Ethereum over a node, where a test token is ETH_USDT.
 * @param watched addresses whose balances are compared where the node can't trace
 */
export async function ethereumAt(url: string, token: Address, watched: readonly string[] = []): Promise<Ethereum> {
  const rpc = createJsonRpc({ url });
  const node = createEvmNode(rpc);
  const settings = { url: 'ETH_RPC_URL', tokens: 'ETH_TOKENS' };
  const setup = await setUpEvm({ chain: 'ethereum', node, tokens: { ETH_USDT: token }, settings });
  const balances = { addresses: async () => watched };
  return {
    adapter: createEvmChain({ chain: 'ethereum', node, setup, keys, balances, onIgnoredToken: () => {} }),
    sender: createEvmSender({ chain: 'ethereum', chainId: setup.chainId, node: createEvmSendNode(rpc), assets: setup.assets, keys }),
  };
}

/** What an address holds of the test token, in its units. */
export async function tokensOf({ wallet }: Anvil, token: Address, address: Address): Promise<bigint> {
  const { abi } = contracts['Token']!;
  return (await wallet.readContract({ address: token, abi, functionName: 'balanceOf', args: [address] })) as bigint;
}
