import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ADDRESS, payoutShop, type PayoutShop } from '../../../test/support/payouts.ts';
import { migrate } from '../../database/migrate.ts';

let shop: PayoutShop;
beforeAll(async () => {
  shop = await payoutShop({ chains: ['bitcoin'] });
  await shop.fund('BTC', '10');
});
afterAll(() => shop?.close());

/** The tables as they were before several transactions of a payout could be stored. */
async function downgrade(): Promise<void> {
  const { db } = shop.context;
  for (const statement of [
    'alter table outgoing add column plan jsonb, add column raw text, add column txid text',
    'update outgoing o set plan = a.plan, raw = a.raw, txid = a.txid from outgoing_attempt a where a.outgoing_id = o.id',
    'alter table outgoing alter column plan set not null',
    'create index outgoing_txid on outgoing(txid) where txid is not null',
    'drop table outgoing_attempt',
    'drop index sandbox_transaction_input',
    "delete from migration where name in ('075-outgoing-attempts', '081-chain-txids')",
  ])
    await sql.raw(statement).execute(db);
}

it.each(['planned', 'signed', 'sent', 'confirmed'])(
  'a payout that is %s during an upgrade is paid once',
  async (stage) => {
    const paidBefore = (await shop.sent(ADDRESS.BTC)).length;
    const { id } = await shop.payOut();
    await shop.work();
    const { txid } = await shop.payout(id);
    if (stage === 'confirmed') {
      await shop.mine('BTC', 1);
      await shop.work();
    } else if (stage !== 'sent') {
      // As if the process had stopped before.
      const { db } = shop.context;
      await sql`delete from sandbox_output where txid = ${txid}`.execute(db);
      await sql`delete from sandbox_transaction where txid = ${txid}`.execute(db);
      await sql`update payout set status = 'new', txid = null, executed_at = null, events = '{}' where id = ${id}`.execute(
        db,
      );
      await sql`delete from callback where resource_id = ${id}`.execute(db);
      await sql`update outgoing set tries = 0, result = null where id = ${id}`.execute(db);
      if (stage === 'planned')
        await sql`update outgoing_attempt set raw = null, txid = null where outgoing_id = ${id}`.execute(
          db,
        );
    }
    await downgrade();
    await migrate(shop.context.db);
    await shop.work();
    await shop.mine('BTC', 6);
    await shop.work();
    expect(await shop.payout(id)).toMatchObject({ status: 'complete', txid });
    expect((await shop.sent(ADDRESS.BTC)).length - paidBefore).toBe(1);
  },
);
