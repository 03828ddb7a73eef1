import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { dustLimit } from '@crypto-checkout/protocol/dust';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processPayouts } from '../src/payout/sending/process.ts';
import { requestReplacement } from '../src/payout/sending/replace.ts';
import { settle } from '../src/worker/settle.ts';
import { endLeases } from '../src/database/lease.ts';
import { killableProcess } from './support/kill.ts';
import { Money, PAID, type MoneyChain } from './support/money.ts';

/**
 * The way of the money, whatever the chain: the same cases run through the engine on each
 * chain, from an invoice to its callbacks and from a payout to the recipient.
 * `chains/test/contract.ts` has the first half: the facts of the adapter.
 */

interface Case {
  title: string;
  run(money: Money): Promise<void>;
}

const defineCases = <Id extends string>(cases: Record<Id, Case>): Record<Id, Case> => cases;

const CASES = defineCases({
  exact: {
    title: 'an invoice that is paid exactly is complete, and its amount is credited',
    async run(money) {
      const invoice = await money.invoice();
      await money.pay(invoice);
      await money.mine(money.final);
      await money.expectPaid(invoice);
      expect(await money.credit()).toBe(parseAmount(PAID));
    },
  },
  under: {
    title: 'an invoice that is paid in part waits for the rest, and reports it when it expires',
    async run(money) {
      const invoice = await money.invoice();
      await money.pay(invoice, '0.4');
      await money.mine(money.final);
      expect(await money.shop.get(invoice.id)).toMatchObject({ status: 'pending' });
      await money.anHourLater();
      expect(await money.shop.get(invoice.id)).toMatchObject({ status: 'expired' });
      expect(await money.shop.events(invoice.id)).toContain('invoice_incomplete');
      expect(await money.credit()).toBe(parseAmount('0.4'));
    },
  },
  over: {
    title: 'an invoice that is paid above its amount is complete, and everything is credited',
    async run(money) {
      const invoice = await money.invoice();
      await money.pay(invoice, '1.5');
      await money.mine(money.final);
      await money.expectPaid(invoice, '1.5');
      expect(await money.credit()).toBe(parseAmount('1.5'));
    },
  },
  twice_in_a_block: {
    title: 'two payments in one block add up',
    async run(money) {
      const invoice = await money.invoice();
      await money.pay(invoice, '0.25');
      await money.pay(invoice, '0.75');
      await money.mine(money.final);
      await money.expectPaid(invoice);
    },
  },
  several_outputs_to_one: {
    title: 'the outputs of one transaction add up',
    async run(money) {
      const invoice = await money.invoice();
      const target = await money.target(invoice);
      await money.chain.payEach([target, target], parseAmount('0.5'));
      await money.mine(money.final);
      await money.expectPaid(invoice);
      expect(await money.shop.transactions(invoice.id)).toHaveLength(2);
    },
  },
  outputs_to_several: {
    title: 'one transaction pays several invoices',
    async run(money) {
      const invoices = [await money.invoice(), await money.invoice()];
      const targets = await Promise.all(invoices.map((invoice) => money.target(invoice)));
      await money.chain.payEach(targets, parseAmount(PAID));
      await money.mine(money.final);
      for (const invoice of invoices) await money.expectPaid(invoice);
    },
  },
  smallest: {
    title: 'the smallest amount is counted to the last unit',
    async run(money) {
      const invoice = await money.invoice();
      const unit = 10n ** BigInt(18 - money.chain.decimals);
      await money.chain.pay(await money.target(invoice), unit);
      await money.mine(money.final);
      expect((await money.shop.get(invoice.id)).amount.paid?.amount).toBe(formatAmount(unit));
      expect(await money.credit()).toBe(unit);
    },
  },
  dust: {
    title: 'an amount below the dust limit is recorded, and the rest still pays the invoice',
    async run(money) {
      const invoice = await money.invoice();
      const unit = 10n ** BigInt(18 - money.chain.decimals);
      const dust = parseAmount(dustLimit(money.kind.chain)!) - unit;
      const rest = formatAmount(parseAmount(PAID) - dust);
      await money.pay(invoice, formatAmount(dust));
      await money.mine(money.final);
      expect(await money.shop.get(invoice.id)).toMatchObject({
        status: 'pending',
        amount: { paid: { amount: formatAmount(dust) } },
      });
      expect(await money.credit()).toBe(dust);
      await money.pay(invoice, rest);
      await money.mine(money.final);
      await money.expectPaid(invoice);
      expect(await money.shop.transactions(invoice.id)).toHaveLength(2);
      expect(await money.credit()).toBe(parseAmount(PAID));
    },
  },
  largest: {
    title: 'an amount beyond the exact whole numbers of a double is counted to the last unit',
    async run(money) {
      const invoice = await money.shop.create({ kind: money.chain.kind, amount: undefined });
      const amount = parseAmount('20999999') + 10n ** BigInt(18 - money.chain.decimals);
      await money.chain.pay(await money.target(invoice), amount);
      await money.mine(money.final);
      expect(await money.credit()).toBe(amount);
    },
  },
  late: {
    title: 'a payment after the price ran out is credited, and does not pay the invoice',
    async run(money) {
      const invoice = await money.invoice();
      await money.anHourLater();
      await money.pay(invoice);
      await money.look();
      await money.mine(money.final);
      expect(await money.shop.get(invoice.id)).toMatchObject({ status: 'expired' });
      expect(await money.credit()).toBe(parseAmount(PAID));
    },
  },
  dropped: {
    title: 'a payment that left the mempool does not count',
    async run(money) {
      const invoice = await money.invoice();
      const txid = await money.pay(invoice);
      await money.look();
      expect(await money.shop.get(invoice.id)).toMatchObject({ status: 'pending' });
      await money.chain.drop(txid);
      await money.lookForAMinute();
      expect(await money.shop.get(invoice.id)).toMatchObject({ status: 'new' });
      expect(await money.shop.balance(money.kind.asset)).toMatchObject({ pending: '0' });
    },
  },
  replaced_away: {
    title: 'a payment that was replaced by one to another address does not count',
    async run(money) {
      const invoice = await money.invoice();
      const txid = await money.pay(invoice);
      await money.look();
      await money.chain.replace(txid, null);
      await money.mine(money.final);
      expect(await money.shop.get(invoice.id)).toMatchObject({ status: 'new' });
      expect(await money.shop.transactions(invoice.id)).toMatchObject([{ status: 'replaced' }]);
      expect(await money.credit()).toBe(0n);
    },
  },
  replaced_to_us: {
    title: 'a payment that was replaced by another one to the invoice counts once',
    async run(money) {
      const invoice = await money.invoice();
      const txid = await money.pay(invoice);
      await money.look();
      await money.chain.replace(txid, await money.target(invoice));
      await money.mine(money.final);
      await money.expectPaid(invoice);
      expect(await money.credit()).toBe(parseAmount(PAID));
    },
  },
  failed: {
    title: 'a payment that failed in its block does not count',
    async run(money) {
      const invoice = await money.invoice();
      await money.chain.payAndFail(await money.target(invoice), parseAmount(PAID));
      await money.look();
      await money.mine(money.final);
      expect((await money.shop.get(invoice.id)).amount.paid).toBeNull();
      expect(await money.credit()).toBe(0n);
    },
  },
  reorganised_by_one: {
    title: 'a reorganisation of one block takes the payment back until its next block',
    run: (money) => reorganised(money, 1),
  },
  reorganised_by_three: {
    title: 'a reorganisation of three blocks takes the payment back until its next block',
    run: (money) => reorganised(money, 3),
  },
  reorganised_away: {
    title: 'a payment that a reorganisation removed does not count',
    async run(money) {
      const invoice = await money.invoice();
      await money.pay(invoice);
      await money.mine(2);
      expect(await money.shop.get(invoice.id)).toMatchObject({ status: 'paid' });
      await money.chain.reorganise(2, []);
      await money.lookForAMinute();
      expect(await money.shop.get(invoice.id)).toMatchObject({ status: 'new' });
      expect(await money.credit()).toBe(0n);
    },
  },
  reorganised_while_stopped: {
    title: 'a reorganisation that happens while the gateway is stopped counts the payment once',
    async run(money) {
      const invoice = await money.invoice();
      const txid = await money.pay(invoice);
      await money.mine(1);
      await money.chain.reorganise(1, [txid]);
      await money.chain.mine(money.final);
      await money.look();
      await money.expectPaid(invoice);
      expect(await money.shop.transactions(invoice.id)).toHaveLength(1);
      expect(await money.credit()).toBe(parseAmount(PAID));
    },
  },
  restarted: {
    title: 'a gateway that stops at any step of a payment counts it once',
    async run(money) {
      const invoice = await money.invoice();
      await money.pay(invoice);
      await money.chain.mine(money.final);
      const process = killableProcess(money.shop.context);
      try {
        await surviveEachStep(process, () => settle(process.context));
      } finally {
        await process.close();
      }
      await money.look();
      await money.expectPaid(invoice);
      expect(await money.credit()).toBe(parseAmount(PAID));
    },
  },
  node_fails: {
    title: 'a node that falls behind, is silent or answers with null changes nothing',
    async run(money) {
      const invoice = await money.invoice();
      await money.pay(invoice);
      await money.mine(1);
      const before = await money.shop.get(invoice.id);
      for (const fault of ['behind', 'silent', 'empty'] as const) {
        await money.chain.fault!(fault);
        await money.chain.mine(1);
        await money.lookForAMinute();
        expect(await money.shop.get(invoice.id)).toEqual(before);
      }
      await money.chain.fault!(null);
      await money.mine(money.final);
      await money.expectPaid(invoice);
    },
  },
  payout: {
    title: 'a payout arrives once, and its fee is booked to the last unit',
    async run(money) {
      const recipient = money.chain.stranger();
      const { id } = await money.payOut(recipient);
      await money.work();
      await money.work(money.final);
      await money.work();
      const payout = await money.shop.payout(id);
      expect(payout.status).toBe('complete');
      expect(await money.chain.held(recipient)).toBe(parseAmount(PAID));
      expect(await money.shop.holdings(money.kind.asset)).toMatchObject({ reserved: '0' });
    },
  },
  payout_killed: {
    title: 'a gateway that stops at any step of a payout sends it once',
    async run(money) {
      const recipient = money.chain.stranger();
      const { id } = await money.payOut(recipient);
      const process = killableProcess(money.shop.context);
      try {
        await surviveEachStep(process, () => processPayouts(process.context));
        await money.chain.mine(money.final);
        await surviveEachStep(process, () => processPayouts(process.context));
      } finally {
        await process.close();
      }
      await money.work();
      expect(await money.shop.payout(id)).toMatchObject({ status: 'complete' });
      expect(await money.chain.held(recipient)).toBe(parseAmount(PAID));
    },
  },
  payout_to_invoice: {
    title: 'a payout to an invoice of the gateway pays it, and its change is no payment',
    async run(money) {
      const invoice = await money.invoice();
      const { address } = await money.target(invoice);
      const before = await countTransactions(money);
      await money.payOut(address!);
      await money.work();
      await money.look();
      await money.mine(money.final);
      await money.expectPaid(invoice);
      expect(await countTransactions(money)).toBe(before + 1);
    },
  },
  bump: {
    title: 'a payout that is bumped arrives once',
    async run(money) {
      const recipient = money.chain.stranger();
      const { id } = await money.payOut(recipient);
      await money.work();
      await replace(money, id, 'bump');
      await money.work();
      await money.work(money.final);
      expect(await money.shop.payout(id)).toMatchObject({ status: 'complete' });
      expect(await money.chain.held(recipient)).toBe(parseAmount(PAID));
    },
  },
  cancel: {
    title: 'a payout that is cancelled does not arrive, and its amount is available again',
    async run(money) {
      const recipient = money.chain.stranger();
      const { id } = await money.payOut(recipient);
      await money.work();
      await replace(money, id, 'cancel');
      await money.work();
      await money.work(money.final);
      await money.work();
      expect(await money.shop.payout(id)).toMatchObject({ status: 'failed' });
      expect(await money.chain.held(recipient)).toBe(0n);
      expect(await money.shop.holdings(money.kind.asset)).toMatchObject({ reserved: '0' });
    },
  },
  expired: {
    title: 'a payout that ran out is sent again under its own id, and arrives once',
    async run(money) {
      const recipient = money.chain.stranger();
      const { id } = await money.payOut(recipient);
      await money.work();
      const { txid: first } = await money.shop.payout(id);
      await money.chain.expire!(first);
      const process = killableProcess(money.shop.context);
      try {
        await surviveEachStep(process, () => processPayouts(process.context));
      } finally {
        await process.close();
      }
      const again = await money.shop.payout(id);
      expect(again.status).toBe('pending');
      expect(again.txid).not.toBe(first);
      await money.work(money.final);
      expect(await money.shop.payout(id)).toMatchObject({ status: 'complete', txid: again.txid });
      expect(await money.chain.held(recipient)).toBe(parseAmount(PAID));
      expect(await money.shop.holdings(money.kind.asset)).toMatchObject({ reserved: '0' });
    },
  },
  expired_twice: {
    title: 'a payout that runs out several times keeps every attempt, and arrives',
    async run(money) {
      const { id } = await money.payOut(money.chain.stranger());
      for (let attempt = 1; attempt <= 3; attempt += 1) {
        await money.work();
        const { status, txid } = await money.shop.payout(id);
        expect(status).toBe('pending');
        await money.chain.expire!(txid);
      }
      const { rows } = await sql<{ number: number; intent: string }>`
        select number, intent from outgoing_attempt where outgoing_id = ${id} order by number`.execute(
        money.shop.context.db,
      );
      expect(rows).toEqual([1, 2, 3].map((number) => ({ number, intent: 'send' })));
      await money.work();
      await money.work(money.final);
      expect(await money.shop.payout(id)).toMatchObject({ status: 'complete' });
    },
  },
});

export type MoneyCase = keyof typeof CASES;

async function reorganised(money: Money, depth: number): Promise<void> {
  const invoice = await money.invoice();
  const txid = await money.pay(invoice);
  await money.mine(depth);
  expect(await money.shop.get(invoice.id)).toMatchObject({ status: 'paid' });
  await money.chain.reorganise(depth, [txid]);
  await money.look();
  expect(await money.shop.get(invoice.id)).toMatchObject({ status: 'pending' });
  expect(await money.credit()).toBe(0n);
  await money.mine(money.final);
  await money.expectPaid(invoice);
  expect(await money.credit()).toBe(parseAmount(PAID));
}

/** Runs the work again and again; each time the process crashes some operations later. */
async function surviveEachStep(
  process: ReturnType<typeof killableProcess>,
  work: () => Promise<unknown>,
): Promise<void> {
  for (let steps = 0; ; steps += 1 + Math.floor(steps / 8)) {
    process.surviveFor(steps);
    await work().catch((error: unknown) => {
      if (!process.isKilled()) throw error;
    });
    const killed = process.isKilled();
    process.surviveFor(Number.POSITIVE_INFINITY);
    await process.waitUntilIdle();
    await endLeases(process.context.db);
    if (!killed) return;
  }
}

async function replace(money: Money, id: string, intent: 'bump' | 'cancel'): Promise<void> {
  const by = { accountId: money.shop.accountId, username: 'ops' };
  await requestReplacement(money.shop.context, by, id, intent);
}

async function countTransactions({ shop }: Money): Promise<number> {
  const rows = await shop.context.db.selectFrom('transaction').select('id').execute();
  return rows.length;
}

export interface MoneyOptions {
  create(): Promise<MoneyChain>;
  /** Where all cases run on another chain of the same adapter. Default: all. */
  only?: readonly MoneyCase[];
  /** Cases that this chain cannot have, with the reason. */
  except?: Partial<Record<MoneyCase, string>>;
}

/** Runs every case with a new chain and a new gateway. */
export function describeMoney(name: string, { create, only, except = {} }: MoneyOptions): void {
  describe(`${name}: the money of a shop`, () => {
    let money: Money;
    beforeEach(async () => {
      money = new Money(await create());
      await money.look();
    }, 30_000);
    afterEach(async () => {
      await money.shop.close();
      await money.chain.close();
    });
    for (const [id, { title, run }] of Object.entries(CASES)) {
      if (only?.includes(id as MoneyCase) === false) continue;
      const reason = except[id as MoneyCase];
      if (reason === undefined) it(title, () => run(money), 60_000);
      else it.skip(`${title} (${reason})`, () => {});
    }
  });
}
