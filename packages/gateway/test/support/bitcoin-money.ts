import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import { bitcoinNetwork, type UtxoChainId } from '@crypto-checkout/chains/bitcoin/network';
import { fundingAddress } from '@crypto-checkout/chains/bitcoin/send/own-key';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import type { Signer } from '@crypto-checkout/chains/signer';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import { CHAINS } from '@crypto-checkout/protocol/kind';
import {
  keys,
  openBitcoinChain,
  type BitcoinChain,
  type BitcoinPayer,
} from '../../../chains/test/support/bitcoin-chain.ts';
import { nextChangeIndex, unspentCoins, watchFunding } from '../../src/engine/coin-store.ts';
import { scanChain } from '../../src/engine/scan.ts';
import { testClock } from './context.ts';
import type { MoneyChain } from './money.ts';
import { payoutShop } from './payouts.ts';

/** The wallet of the shop holds its money in this number of coins. */
const COINS = 5;

/**
 * A gateway whose shop is paid on a node of Debian, with a proxy in between that can fail.
 * @param signer elsewhere. Default: the keys are in this process
 * @param openChain how the node is reached. Default: by its own interface
 */
export async function startBitcoinMoney(
  payer: BitcoinPayer,
  chain: UtxoChainId,
  signer?: Signer,
  openChain = openBitcoinChain,
): Promise<MoneyChain & Pick<BitcoinChain, 'change'>> {
  const bitcoin = await openChain(payer, chain);
  const network = bitcoinNetwork(chain, 'regtest');
  // Blocks have real times.
  const shop = await payoutShop({
    chains: [chain],
    overrides: { clock: testClock(Date.now()), ...(signer && { signer }) },
  });
  const { db } = shop.context;
  const sender = bitcoin.openSender({
    coins: () => unspentCoins(db, chain),
    nextChange: () => nextChangeIndex(db, chain),
    provesAmounts: signer !== undefined,
  });
  (shop.context.chains as Map<string, ChainAdapter>).set(chain, await bitcoin.open());
  (shop.context.senders as Map<string, ChainSender>).set(chain, sender);
  const [kind = ''] = Object.keys(CHAINS[chain].coins);
  const address = fundingAddress(keys, network);
  await watchFunding(db, chain, address);
  await scanChain(shop.context, chain);
  const target = { ...(await bitcoin.target()), address };
  await bitcoin.payEach(
    Array.from({ length: COINS }, () => target),
    parseAmount('2'),
  );
  await bitcoin.mine(1);
  await scanChain(shop.context, chain);
  await shop.fund(kind, '10');
  return { ...bitcoin, kind, shop };
}
