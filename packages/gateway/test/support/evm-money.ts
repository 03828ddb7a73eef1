import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import { KINDS, kindOf, type EvmChainId } from '@crypto-checkout/protocol/kind';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { startEvmChain } from '../../../chains/test/support/evm-chain.ts';
import type { MoneyChain } from './money.ts';
import { testClock } from './context.ts';
import { payoutShop } from './payouts.ts';

/** A gateway whose shop is paid on anvil, with a node in between that can fail. */
export async function startEvmMoney(chain: EvmChainId, kind: string): Promise<MoneyChain> {
  const evm = await startEvmChain(chain, kind, 'testnet');
  // Blocks have real times.
  const clock = testClock(Date.now());
  const shop = await payoutShop({ chains: [chain], overrides: { clock } });
  (shop.context.chains as Map<string, ChainAdapter>).set(chain, await evm.open());
  (shop.context.senders as Map<string, ChainSender>).set(chain, await evm.openSender());
  await evm.fund(parseAmount('10'));
  await shop.fund(kind, '10');
  const { token } = kindOf(kind)!;
  // A token's fees are paid in the coin of its chain.
  if (token) await shop.fund(coinOf(chain), '10');
  return { ...evm, kind, shop, stranger: () => privateKeyToAddress(generatePrivateKey()) };
}

/** The chain's own coin, which pays its fees. */
const coinOf = (chain: EvmChainId): string =>
  KINDS.find((kind) => kind.chain === chain && !kind.token)!.kind;
