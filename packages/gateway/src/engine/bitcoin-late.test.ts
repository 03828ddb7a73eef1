import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  startBitcoinPayer,
  type BitcoinPayer,
} from '../../../chains/test/support/bitcoin-chain.ts';
import { describeOnLitecoind } from '../../../chains/test/support/litecoind.ts';
import { startBitcoinMoney } from '../../test/support/bitcoin-money.ts';
import { Money } from '../../test/support/money.ts';

const MINUTE_MS = 60_000;
/** The price of an invoice is valid for 15 minutes. */
const IN_TIME_MS = 5 * MINUTE_MS;
const TOO_LATE_MS = 90 * MINUTE_MS;
/** BIP 113: the median of eleven blocks follows the clock when six of them have a new time. */
const HALF_OF_ELEVEN = 6;

describeOnLitecoind('a payment that the mempool never showed', () => {
  let payer: BitcoinPayer;
  let money: Money;
  // Each case has a clock of its own.
  beforeEach(async () => {
    payer = await startBitcoinPayer();
    money = new Money(await startBitcoinMoney(payer, 'bitcoin'));
    await money.look();
  }, 30_000);
  afterEach(async () => {
    await money.shop.close();
    await money.chain.close();
    await payer.stop();
  });

  /** Moves the clocks of the chain, and of a gateway that does not look meanwhile. */
  async function wait(ms: number): Promise<void> {
    await money.chain.advance(ms);
    money.shop.context.clock.advance(ms);
  }
  const isLate = async (): Promise<boolean[]> =>
    (
      await sql<{ late: boolean }>`select late from transaction`.execute(money.shop.context.db)
    ).rows.map(({ late }) => late);

  it('is in time by its block, however late the gateway looks', async () => {
    const invoice = await money.invoice();
    await wait(IN_TIME_MS);
    await money.pay(invoice);
    await money.chain.mine(1);
    await wait(TOO_LATE_MS);
    await money.mine(money.final);
    expect(await isLate()).toEqual([false]);
    await money.expectPaid(invoice);
  });

  it('is late by the median time of its blocks', async () => {
    const invoice = await money.invoice();
    await wait(TOO_LATE_MS);
    await money.chain.mine(HALF_OF_ELEVEN);
    await money.pay(invoice);
    await money.mine(money.final);
    expect(await isLate()).toEqual([true]);
    expect((await money.shop.get(invoice.id)).status).toBe('expired');
  });

  it("is in time although its block's own clock is two hours ahead", async () => {
    const invoice = await money.invoice();
    await wait(IN_TIME_MS);
    await money.pay(invoice);
    await money.chain.advance(2 * 60 * MINUTE_MS);
    await money.chain.mine(1);
    money.shop.context.clock.advance(TOO_LATE_MS);
    await money.mine(money.final);
    expect(await isLate()).toEqual([false]);
    await money.expectPaid(invoice);
  });
});
