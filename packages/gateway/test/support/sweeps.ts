import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { CHAINS, kindOf } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import { expect } from 'vitest';
import type { TestShopOptions } from './shop.ts';
import { payoutShop, requirePayoutBooks, type PayoutShop } from './payouts.ts';
import { presentWallet, type Wallet } from '../../src/wallet/present.ts';
import { listWallets } from '../../src/wallet/store.ts';
import { sweepDeposits } from '../../src/sweep/sweep.ts';
import type { Sweep } from '../../src/sweep/store.ts';

export interface SweepShop extends PayoutShop {
  /**
   * Creates an invoice without an amount, pays it and makes it final.
   * @returns its id
   */
  deposit(
    kind: string,
    amount: string,
    more?: { invoiceId?: string; paidKind?: string },
  ): Promise<string>;
  /** Runs the sweep worker once, then checks the ledger. */
  sweep(): Promise<void>;
  sweeps(): Promise<Sweep[]>;
  wallet(kind: string): Promise<Wallet>;
  /**
   * Balance of a simulated deposit address: the outputs to it minus the plans that spend from it.
   */
  onChain(invoiceId: string, asset: string): Promise<string>;
}

export async function sweepShop(options: TestShopOptions = {}): Promise<SweepShop> {
  const shop = await payoutShop(options);
  const { context, accountId, profileId } = shop;
  const all = async (): Promise<Sweep[]> =>
    (await sql<Sweep>`select * from sweep order by number`.execute(context.db)).rows;
  return {
    ...shop,
    async deposit(kind, amount, { invoiceId, paidKind = kind } = {}) {
      const id =
        invoiceId ?? (await shop.create({ kind, amount: undefined, profile_id: profileId })).id;
      await shop.pay(id, { amount, kind: paidKind });
      await shop.mine(kind, CHAINS[kindOf(kind)!.chain].finalConfirmations);
      return id;
    },
    async sweep() {
      await sweepDeposits(context);
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
      select (t.raw::jsonb->>'message')::jsonb as plan, s.fee_asset from outgoing_attempt t
      join sweep s on s.id = t.outgoing_id join sandbox_transaction x on x.chain = s.chain and x.txid = t.txid and x.state = 'block'
      where s.invoice_id = ${invoiceId})
    select coalesce((select sum(o.amount) from sandbox_output o join sandbox_transaction x using (chain, txid)
        join ours using (watch_key) where x.state = 'block' and o.asset = ${asset}), 0)
      - coalesce((select sum((plan->'outputs'->0->>'amount')::numeric) from spent where plan->'outputs'->0->>'asset' = ${asset}), 0)
      - coalesce((select sum((plan->>'fee')::numeric) from spent where fee_asset = ${asset}), 0) as amount`.execute(
    context.db,
  );
  return formatAmount(parseAmount(rows[0]!.amount));
}

/** Checks the ledger and the invariants of sweeps. */
export async function requireSweepBooks(shop: Pick<PayoutShop, 'context'>): Promise<void> {
  const { db } = shop.context;
  await requirePayoutBooks(shop);
  const expectNoRows = async (invariant: string, query: ReturnType<typeof sql>): Promise<void> => {
    const { rows } = await query.execute(db);
    expect(rows, invariant).toEqual([]);
  };
  await expectNoRows(
    'transfers of the gateway itself are no payments',
    sql`select t.id from transaction t join outgoing_attempt a on a.txid = t.txid
      join outgoing o on o.id = a.outgoing_id and o.chain = t.chain where o.purpose in ('sweep', 'top_up')`,
  );
  await expectNoRows(
    'a deposit is in one sweep at a time',
    sql`select chain, invoice_id from sweep where status in ('topping_up', 'sending') group by chain, invoice_id having count(*) > 1`,
  );
}
