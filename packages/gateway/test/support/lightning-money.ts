import type { ChainAdapter, DepositTarget } from '@crypto-checkout/chains/adapter';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import { millisatoshi } from '@crypto-checkout/chains/lightning/payment-request';
import { decodeBolt11 } from '@crypto-checkout/chains/lightning/bolt11';
import { fromUnits, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import type { LightningNetwork } from '../../../chains/test/support/lightning/lightning-network.ts';
import type { ContractChain } from '../../../chains/test/contract.ts';
import { startClnChain } from '../../../chains/test/support/lightning/cln-chain.ts';
import { startLndChain } from '../../../chains/test/support/lightning/lnd-chain.ts';
import { testClock } from './context.ts';
import { PAID, type MoneyChain } from './money.ts';
import { payoutShop } from './payouts.ts';

/** A node with the interface of one program. */
type Node = ContractChain & { openSender(): Promise<ChainSender> };

/** A gateway whose shop is paid over LND, and pays out over it. */
export const startLndMoney = async (network: LightningNetwork): Promise<MoneyChain> =>
  startMoney(network, await startLndChain(network));

/** The same over Core Lightning. */
export const startClnMoney = async (network: LightningNetwork): Promise<MoneyChain> =>
  startMoney(network, await startClnChain(network));

async function startMoney(network: LightningNetwork, node: Node): Promise<MoneyChain> {
  // The node's requests have real times.
  const clock = testClock(Date.now());
  const shop = await payoutShop({ chains: ['lightning'], overrides: { clock } });
  (shop.context.chains as Map<string, ChainAdapter>).set('lightning', await node.open());
  (shop.context.senders as Map<string, ChainSender>).set('lightning', await node.openSender());
  await shop.fund('BTC_LIGHTNING', '10');
  return {
    ...node,
    // Satoshis, the unit of the coin.
    decimals: 8,
    kind: 'BTC_LIGHTNING',
    payoutKind: 'BTC_LIGHTNING_TO_LIGHTNING',
    shop,
    pay: (target, amount) => payRequest(network, target, amount),
    stranger: () => network.payer.request(millisatoshi(parseAmount(PAID))).request,
    held: async (request) =>
      fromUnits(network.payer.received(decodeBolt11(request).paymentHash), 11),
  };
}

async function payRequest(
  { book, payer }: LightningNetwork,
  { watchKeys }: DepositTarget,
  amount: Amount,
): Promise<string> {
  const hash = watchKeys[0]!.replace('ln:', '');
  const { paid } = await payer.pay(book.invoices.get(hash)!.request, millisatoshi(amount));
  if (!paid) throw new Error('The payment did not arrive');
  return hash;
}
