import { CHAINS } from '@crypto-checkout/protocol/kind';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import { sql } from 'kysely';
import { formatEther, parseEther } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deploy, startAnvil, type Anvil } from '../../../chains/test/support/anvil.ts';
import { testClock, testIds } from '../../test/support/context.ts';
import type { TestDatabase } from '../../test/support/database.ts';
import { contracts, ethereumAt, payoutAddress } from '../../test/support/ethereum.ts';
import { oldDatabase, type OldSchema } from '../../test/support/old-database.ts';
import { ADDRESS } from '../../test/support/payouts.ts';
import { requireSweepBooks, sweepShop, type SweepShop } from '../../test/support/sweeps.ts';
import { addMissingChains } from '../sandbox/genesis.ts';
import type { Db } from './database.ts';
import { migrate } from './migrate.ts';

/** Business time of the newest rows. */
const THEN = Date.UTC(2026, 10, 21, 12);
const CHAINS_IN_USE = ['bitcoin', 'litecoin', 'polygon', 'ethereum'] as const;
/** The payouts of the rows, by the amount that each sends. */
const PAYOUTS = {
  complete: '0.11',
  inBlock: '0.12',
  sent: '0.13',
  signed: '0.14',
  planned: '0.15',
  scheduled: '0.16',
  ethereum: '1.5',
} as const;

describe.each<OldSchema>(['064-lost-inputs', '085-default-confirmations'])(
  'a database of the schema %s in use',
  (schema) => {
    let anvil: Anvil;
    let old: TestDatabase;
    let shop: SweepShop;
    let before: Awaited<ReturnType<typeof stateOf>>;

    beforeAll(async () => {
      anvil = await startAnvil();
      const token = await deploy(anvil, contracts['Token']!);
      await anvil.wallet.setBalance({ address: payoutAddress, value: parseEther('500') });
      old = await oldDatabase(schema);
      before = await stateOf(old);
      await migrate(old.db);
      await addMissingChains(old.db, Object.keys(CHAINS) as (keyof typeof CHAINS)[]);
      const overrides = { clock: testClock(THEN), ids: testIds('later') };
      shop = await sweepShop({ chains: CHAINS_IN_USE, database: old, overrides });
      const { sender } = await ethereumAt(anvil.url, token);
      (shop.context.senders as Map<string, ChainSender>).set('ethereum', sender);
    }, 60_000);
    afterAll(async () => {
      await shop?.close();
      await anvil?.stop();
    });

    const idOf = async (total: string): Promise<string> =>
      (await sql<{ id: string }>`select id from payout where total = ${total}`.execute(old.db))
        .rows[0]!.id;
    const payoutOf = async (name: keyof typeof PAYOUTS) => shop.payout(await idOf(PAYOUTS[name]));
    const statusOf = async (kind: string, requested: string | null) =>
      (
        await sql<{ id: string; status: string }>`
        select id, status from invoice where kind = ${kind} and requested_text is not distinct from ${requested}`.execute(
          old.db,
        )
      ).rows[0]!;

    it('keeps each row, each signed byte and each posting, and its books are right', async () => {
      expect(await stateOf(old)).toEqual(before);
      await requireSweepBooks(shop);
      const { rows } = await sql`
        select conname from pg_constraint where not convalidated
        union all select indexrelid::regclass::text from pg_index where not indisvalid`.execute(
        old.db,
      );
      expect(rows).toEqual([]);
    });

    it('names the fee that an earlier version did not post', async () => {
      const { rows } = await sql`
        select resource_id, trim_scale(amount)::text as amount from owed_fee`.execute(old.db);
      expect(rows).toEqual([{ resource_id: await idOf(PAYOUTS.complete), amount: '0.0001' }]);
    });

    it('allows no second open transaction with a nonce, and no second sweep of a deposit', async () => {
      const again = (table: string, columns: string, more: string) =>
        sql.raw(
          `insert into ${table} (${columns}) select ${columns.replace(/^id/, 'gen_random_uuid()')} from ${table} where ${more}`,
        );
      const nonce = again(
        'outgoing',
        'id, purpose, chain, lane, nonce, created_at_real',
        'nonce is not null limit 1',
      );
      await expect(nonce.execute(old.db)).rejects.toThrow('outgoing_nonce');
      const sweep = again(
        'sweep',
        'id, account_id, wallet_id, chain, invoice_id, address, asset, fee_asset, status, amount, fee_reserve, top_up_id, hold, created_at, updated_at',
        "status in ('topping_up', 'sending') limit 1",
      );
      await expect(sweep.execute(old.db)).rejects.toThrow('sweep_open');
    });

    it('finishes the payouts that were in flight, each with the transaction that it had', async () => {
      const txids = await txidsOf(old);
      for (let round = 0; round < 7; round++) {
        await shop.work();
        await shop.mine('BTC', 1);
        await anvil.wallet.mine({ blocks: 2 });
      }
      await shop.work();
      for (const name of ['complete', 'inBlock', 'sent', 'signed', 'planned', 'ethereum'] as const)
        expect([name, (await payoutOf(name)).status]).toEqual([name, 'complete']);
      expect((await payoutOf('scheduled')).status).toBe('scheduled');
      for (const name of ['inBlock', 'sent', 'signed', 'ethereum'] as const) {
        const { id, txid } = await payoutOf(name);
        expect([name, txids.get(id)]).toEqual([name, txid]);
      }
      const paid = await shop.sent(ADDRESS.BTC);
      const inBlocks = paid.filter(({ state }) => state === 'block').map(({ amount }) => amount);
      expect(inBlocks.toSorted()).toEqual(['0.11', '0.12', '0.13', '0.14', '0.15']);
      expect(formatEther(await anvil.wallet.getBalance({ address: ADDRESS.ETH }))).toBe('1.5');
    });

    it('pays the scheduled payout on its day, and books the fee that was owed', async () => {
      const { rows } = await sql`select amount from owed_fee`.execute(old.db);
      expect(rows).toEqual([]);
      expect((await payoutOf('complete')).amount.network_fee).toMatch(/^0\.0001/);
      await shop.advance(86_400);
      await shop.work();
      await shop.mine('BTC', 6);
      await shop.work();
      expect((await payoutOf('scheduled')).status).toBe('complete');
    });

    it('finishes the sweeps that were in flight', async () => {
      for (let round = 0; round < 3; round++) {
        await shop.sweep();
        await shop.mine('POL', 20);
      }
      await shop.sweep();
      const sweeps = await shop.sweeps();
      expect(sweeps.slice(0, 3).map(({ status }) => status)).toEqual(Array(3).fill('complete'));
      for (const { invoice_id, asset } of sweeps)
        expect(await shop.onChain(invoice_id, asset)).toBe('0');
    });

    it('goes on with the invoices', async () => {
      expect((await statusOf('BTC', '100')).status).toBe('complete');
      expect((await statusOf('BTC', '50')).status).toBe('complete');
      expect((await statusOf('BTC', '20')).status).toBe('expired');
      const { id } = await statusOf('LTC', '40');
      await shop.mine('LTC', 6);
      expect((await shop.get(id)).status).toBe('complete');
      const fresh = await shop.create({ amount: '80' });
      await shop.pay(fresh.id);
      await shop.mine('BTC', 6);
      expect((await shop.get(fresh.id)).status).toBe('complete');
    });

    it('has no alarm left whose cause is gone', async () => {
      const { rows } = await sql<{ reason: string }>`
        select reason from alarm where lapses_at is null`.execute(old.db);
      expect(rows).toEqual([]);
    });
  },
);

/** A migration keeps these: the number of rows, the balances, and what was signed. */
async function stateOf({ db }: TestDatabase) {
  const counts = new Map<string, number>();
  for (const table of KEPT) {
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from ${sql.table(table)}`.execute(db);
    counts.set(table, rows[0]!.n);
  }
  const balances = await sql`
    select wallet_id, currency, bucket, amount::text from balance order by 1, 2, 3`.execute(db);
  return { counts, balances: balances.rows, signed: await signedOf(db) };
}

const KEPT = [
  'account',
  'api_key',
  'profile_currency',
  'invoice',
  'quote',
  'deposit_target',
  'transaction',
  'posting',
  'payout',
  'payout_recipient',
  'outgoing',
  'deposit',
  'sweep',
  'unassigned',
  'callback',
  'sandbox_output',
];

/** Ids and signed bytes of all transactions, oldest first; before migration 075 each had one. */
async function signedOf(
  db: Db,
): Promise<{ id: string; raw: string | null; txid: string | null }[]> {
  const { rows } = await sql<{ known: string | null }>`
    select to_regclass('outgoing_attempt')::text as known`.execute(db);
  const source =
    rows[0]?.known == null
      ? 'select id, raw, txid from outgoing order by id'
      : 'select outgoing_id as id, raw, txid from outgoing_attempt order by outgoing_id, number';
  return (
    await sql.raw<{ id: string; raw: string | null; txid: string | null }>(source).execute(db)
  ).rows;
}

const txidsOf = async ({ db }: TestDatabase): Promise<Map<string, string | null>> =>
  new Map((await signedOf(db)).map(({ id, txid }) => [id, txid]));
