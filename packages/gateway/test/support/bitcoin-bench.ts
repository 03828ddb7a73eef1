import type { BitcoinPlan, SignedTransaction } from '@crypto-checkout/chains/sender';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import {
  startBitcoinPayer,
  type BitcoinChain,
  type BitcoinPayer,
} from '../../../chains/test/support/bitcoin-chain.ts';
import { startBitcoinMoney } from './bitcoin-money.ts';
import { Money } from './money.ts';

interface BitcoinBench {
  payer: BitcoinPayer;
  money: Money;
  change: BitcoinChain['change'];
}

/** One node for a block of tests; for each of them a gateway whose shop is paid on it. */
export function serveBitcoinEach(begin: (bench: BitcoinBench) => void): void {
  let payer: BitcoinPayer;
  let money: Money;
  beforeAll(async () => {
    payer = await startBitcoinPayer();
  });
  afterAll(() => payer?.stop());
  beforeEach(async () => {
    const chain = await startBitcoinMoney(payer, 'bitcoin');
    money = new Money(chain);
    begin({ payer, money, change: chain.change });
  }, 60_000);
  afterEach(async () => {
    await money.shop.close();
    await money.chain.close();
  });
}

export type BitcoinAttempt = SignedTransaction & { plan: BitcoinPlan };

/** All transactions that the gateway planned, oldest first. */
export async function bitcoinAttempts({ shop }: Money): Promise<BitcoinAttempt[]> {
  const { rows } = await sql<BitcoinAttempt>`
    select raw, txid, plan from outgoing_attempt order by created_at_real`.execute(shop.context.db);
  return rows;
}
