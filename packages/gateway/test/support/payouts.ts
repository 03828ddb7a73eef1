import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { kindOf } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { requireBooks, testShop, type TestShop, type TestShopOptions } from './shop.ts';
import { timestamp, transact } from '../../src/database/database.ts';
import { post } from '../../src/ledger/post.ts';
import { createPayout } from '../../src/payout/create.ts';
import type { Creator } from '../../src/payout/new-payout.ts';
import { presentPayout } from '../../src/payout/present.ts';
import { processPayouts } from '../../src/payout/sending/process.ts';
import { findPayouts } from '../../src/payout/store.ts';

/** An address without a known key. */
export const ADDRESS = {
  BTC: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
  LTC: 'tltc1qw508d6qejxtdg4y5r3zarvary0c5xw7klfsuq0',
  ETH: '0x52908400098527886E0F7030069857D2E4169EE7',
  XRP: 'rN7n7otQDd6FczFgLdSqtcsAUxDkw6fzRH',
  TON: '0:83dfd552e63729b472fcbcc8c45ebcc6691702558b68ec7527e1ba403a0f31a8',
  TRX: 'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK',
  SOL: 'Hh8QwFUA6MtVu1qAoq12ucvFHNwCcVTV7hpWjeY1Hztb',
  DOGE: 'nbd7uLzo1Lgo76fNyCunfBFhMnybPxDsZW',
} as const;

export type ShownPayout = ReturnType<typeof presentPayout>;

export interface PayoutShop extends TestShop {
  creator: Creator;
  /** Adds funds to the wallet of a kind. Default: of the shop's own account. */
  fund(kind: string, amount: string, accountId?: string): Promise<void>;
  /** Creates a payout. Default: 0.1 BTC to one recipient. */
  payOut(payload?: Record<string, unknown>, creator?: Creator): Promise<ShownPayout>;
  payout(id: string): Promise<ShownPayout>;
  /** Runs the payout worker once, then checks the ledger. */
  work(): Promise<void>;
  holdings(asset: string): Promise<{ available: string; reserved: string }>;
  /** Simulated transactions that pay an address. */
  sent(address: string): Promise<{ txid: string; state: string; amount: string; asset: string }[]>;
}

export async function payoutShop(options: TestShopOptions = {}): Promise<PayoutShop> {
  const shop = await testShop(options);
  const { context, accountId, profileId } = shop;
  const creator: Creator = { accountId, key: null };
  const show = async (id: string): Promise<ShownPayout> =>
    presentPayout((await findPayouts(context.db, [id]))[0]!);
  return {
    ...shop,
    creator,
    fund: (kind, amount, of = accountId) => fund({ context, accountId: of }, kind, amount),
    async payOut(payload = {}, by = creator) {
      const recipients = [{ amount: '0.1', currency: 'BTC', address: ADDRESS.BTC }];
      const { payout } = await createPayout(context, by, {
        kind: 'BTC',
        profile_id: profileId,
        recipients,
        ...payload,
      });
      await requirePayoutBooks(shop);
      return presentPayout(payout);
    },
    payout: show,
    async work() {
      await processPayouts(context);
      await requirePayoutBooks(shop);
    },
    async mine(kind, blocks) {
      await shop.mine(kind, blocks);
      await requirePayoutBooks(shop);
    },
    async holdings(asset) {
      const { rows } = await sql<{ bucket: string; amount: string }>`
        select bucket, sum(amount)::text as amount from balance where currency = ${asset} group by bucket`.execute(
        context.db,
      );
      const of = (bucket: string): string =>
        formatAmount(parseAmount(rows.find((row) => row.bucket === bucket)?.amount ?? '0'));
      return { available: of('available'), reserved: of('reserved') };
    },
    async sent(address) {
      const { rows } = await sql<{ txid: string; state: string; amount: string; asset: string }>`
        select t.txid, t.state, trim_scale(o.amount)::text as amount, o.asset from sandbox_output o
        join sandbox_transaction t using (chain, txid) where o.address = ${address} order by t.number, o.slot`.execute(
        context.db,
      );
      return rows;
    },
  };
}

async function fund(
  { context, accountId }: Pick<TestShop, 'context' | 'accountId'>,
  name: string,
  text: string,
): Promise<void> {
  const kind = kindOf(name)!;
  const amount = parseAmount(text);
  const { wallet_id: walletId } = await context.db
    .selectFrom('profile_currency')
    .select('wallet_id')
    .where('kind', '=', name)
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  await transact(context.db, (trx) =>
    post(trx, {
      accountId,
      reason: 'test_funds',
      resourceId: context.ids.uuid(),
      at: timestamp(context.clock.now()),
      lines: [
        { book: 'wallet', walletId, bucket: 'available', currency: kind.asset, amount },
        { book: 'chain', currency: kind.asset, amount: -amount },
      ],
    }),
  );
}

/** Checks the ledger and the invariants of payouts. */
export async function requirePayoutBooks(shop: Pick<TestShop, 'context'>): Promise<void> {
  const { db } = shop.context;
  await requireBooks(shop.context);
  const expectNoRows = async (invariant: string, query: ReturnType<typeof sql>): Promise<void> => {
    const { rows } = await query.execute(db);
    expect(rows, invariant).toEqual([]);
  };
  await expectNoRows(
    'a payout has at most one transaction',
    sql`select p.id from payout p join sandbox_transaction t on t.txid = p.txid group by p.id having count(*) > 1`,
  );
  await expectNoRows(
    'a payout sends the total of its recipients',
    sql`select p.id from payout p join (select txid, sum(amount) as amount from sandbox_output group by txid) o on o.txid = p.txid
        where o.amount <> p.total`,
  );
}
