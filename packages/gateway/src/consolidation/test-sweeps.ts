import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { CHAINS, kindOf } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import { expect } from 'vitest';
import type { TestShopOptions } from '../invoice/test-shop.ts';
import { payoutShop, requirePayoutBooks, type PayoutShop } from '../payout/test-payouts.ts';
import { presentWallet, type Wallet } from '../wallet/present.ts';
import { listWallets } from '../wallet/store.ts';
import { consolidateDeposits } from './consolidate.ts';
import type { Sweep } from './store.ts';

export interface SweepShop extends PayoutShop {
  /** An invoice without an amount of a kind, paid and final. @returns its id */
  deposit(kind: string, amount: string, more?: { invoiceId?: string; paidKind?: string }): Promise<string>;
  /** What the worker does, once; then the books are checked. */
  consolidate(): Promise<void>;
  sweeps(): Promise<Sweep[]>;
  wallet(kind: string): Promise<Wallet>;
  /** What a simulated deposit address holds, by the outputs that pay it and the plans that spend from it. */
  onChain(invoiceId: string, asset: string): Promise<string>;
}

export async function sweepShop(options: TestShopOptions = {}): Promise<SweepShop> {
  const shop = await payoutShop(options);
  const { context, accountId, profileId } = shop;
  const all = async (): Promise<Sweep[]> => (await sql<Sweep>`select * from sweep order by number`.execute(context.db)).rows;
  return {
    ...shop,
    async deposit(kind, amount, { invoiceId, paidKind = kind } = {}) {
      const id = invoiceId ?? (await shop.create({ kind, amount: undefined, profile_id: profileId })).id;
      await shop.pay(id, { amount, kind: paidKind });
      await shop.mine(kind, CHAINS[kindOf(kind)!.chain].finalConfirmations);
      return id;
    },
    async consolidate() {
      await consolidateDeposits(context);
      await requireSweepBooks(shop);
    },
    sweeps: all,
    async wallet(kind) {
      const wallets = await listWallets(context.db, accountId, null);
      return presentWallet(wallets.find(({ chain }) => chain === kindOf(kind)!.chain)!);
    },
    onChain: (invoiceId, asset) => onChain(shop, invoiceId, asset),
  };
}

async function onChain({ context }: PayoutShop, invoiceId: string, asset: string): Promise<string> {
  const { rows } = await sql<{ amount: string }>`
    with ours as (select watch_key, chain from deposit_target where invoice_id = ${invoiceId}),
    spent as (
      select (t.raw::jsonb->>'message')::jsonb as plan, s.fee_asset from outgoing t
      join sweep s on s.id = t.id join sandbox_transaction x on x.chain = t.chain and x.txid = t.txid and x.state = 'block'
      where s.invoice_id = ${invoiceId})
    select coalesce((select sum(o.amount) from sandbox_output o join sandbox_transaction x using (chain, txid)
        join ours using (watch_key) where x.state = 'block' and o.asset = ${asset}), 0)
      - coalesce((select sum((plan->'outputs'->0->>'amount')::numeric) from spent where plan->'outputs'->0->>'asset' = ${asset}), 0)
      - coalesce((select sum((plan->>'fee')::numeric) from spent where fee_asset = ${asset}), 0) as amount`.execute(context.db);
  return formatAmount(parseAmount(rows[0]!.amount));
}

/** The books, and what sweeps add to them. */
export async function requireSweepBooks(shop: Pick<PayoutShop, 'context'>): Promise<void> {
  const { db } = shop.context;
  await requirePayoutBooks(shop);
  const none = async (what: string, query: ReturnType<typeof sql>): Promise<void> => {
    const { rows } = await query.execute(db);
    expect(rows, what).toEqual([]);
  };
  await none(
    'what we moved ourselves is no payment',
    sql`select t.id from transaction t join outgoing o on o.txid = t.txid and o.chain = t.chain where o.purpose in ('sweep', 'top_up')`,
  );
  await none(
    'a deposit is in one sweep at a time',
    sql`select chain, invoice_id from sweep where status in ('topping_up', 'sending') group by chain, invoice_id having count(*) > 1`,
  );
}
