import { sql } from 'kysely';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import type { Context } from '../src/context.ts';
import { transact } from '../src/database/database.ts';

/** Copies the rows of the newest payments under new ids; failed ones, which no scan looks up. */
export async function copyRows({ db }: Context, chain: ChainId, count: number): Promise<void> {
  const fresh = (id: string) => sql.raw(`md5(${id}::text || clock_timestamp())::uuid`);
  await transact(db, async (trx) => {
    await sql`create temp table paid on commit drop as
      select t.*, ${fresh('id')} as fresh_id, ${fresh('txid')} as fresh_entry, 'bare' || md5(id::text || clock_timestamp()) as fresh_txid
      from transaction t where txid not like 'bare%' order by number desc limit ${count}`.execute(
      trx,
    );
    await sql`insert into transaction (account_id, id, chain, observation_key, txid, kind, asset, invoice_id, profile_id, wallet_id, counted,
        amount, status, confirmations, required_confirmations, final_confirmations, conflicts, credit, risk_data, quotes, currency_rates,
        created_at, events, version, updated_at)
      select account_id, fresh_id, chain, fresh_txid || ':0', fresh_txid, kind, asset, invoice_id, profile_id, wallet_id, counted,
        amount, 'failed', 0, required_confirmations, final_confirmations, conflicts, 'none', risk_data, quotes, currency_rates,
        created_at, events, 1, updated_at from paid`.execute(trx);
    await sql`insert into callback (account_id, id, resource, resource_id, event, profile_id, url, body, next_at_real, created_at_real)
      select c.account_id, ${fresh('c.id')}, c.resource, paid.fresh_id, c.event, c.profile_id, c.url, c.body, c.next_at_real, c.created_at_real
      from paid join callback c on c.resource_id = paid.id`.execute(trx);
    await sql`update chain_cursor set cursor = cursor where chain = ${chain}`.execute(trx);
  });
}
