import type { ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import type { Context } from '../src/context.ts';
import { transact } from '../src/database/database.ts';
import { verifyBooks } from '../src/ledger/verify.ts';

/** Watched addresses beside those that are paid. */
const WATCHED = 1_000_000;

/** Adds a reusable address for each payment to come, and a million watched ones of one invoice. */
export async function addAddresses(
  { db }: Context,
  {
    accountId,
    profileId,
    kind,
    chain,
    addresses,
    keyPrefix,
    restPrefix,
  }: {
    accountId: string;
    profileId: string;
    kind: string;
    chain: ChainId;
    addresses: readonly string[];
    /** An address's watch key is this and the address. */
    keyPrefix: string;
    /** The same for the others, whose addresses end with 20 bytes in hex. */
    restPrefix: string;
  },
): Promise<void> {
  await transact(db, async (trx) => {
    await sql`set local statement_timeout = 0`.execute(trx);
    await sql`
      with made as (
        insert into invoice (account_id, id, profile_id, wallet_id, kind, chain, status, created_at, requested_currency,
          required_confirmations, positive_difference, negative_difference, address, updated_at)
        select ${accountId}, gen_random_uuid(), ${profileId}, c.wallet_id, ${kind}, ${chain}, 'new', now(), 'USD', 1, 0.5, 0.5,
          address, now()
        from unnest(${addresses}::text[]) as address, profile_currency c
        where c.profile_id = ${profileId} and c.kind = ${kind}
        returning account_id, id, chain, address, created_at)
      insert into deposit_target (watch_key, account_id, invoice_id, chain, key_index, created_at)
      select ${keyPrefix} || address, account_id, id, chain, row_number() over (), created_at from made`.execute(
      trx,
    );
    await sql`
      insert into deposit_target (watch_key, account_id, invoice_id, chain, created_at)
      select ${restPrefix} || encode(substring(sha256(number::text::bytea) from 1 for 20), 'hex'), d.account_id, d.invoice_id, d.chain, d.created_at
      from generate_series(1, ${WATCHED}::int) as number, (select * from deposit_target limit 1) d`.execute(
      trx,
    );
  });
  await sql`analyze`.execute(db);
}

/** @throws Error unless the scan has found each payment once, and the books are right */
export async function requirePayments({ db }: Context, count: number): Promise<void> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from transaction where txid not like 'bare%'`.execute(db);
  if (rows[0]?.count !== count) throw new Error(JSON.stringify(rows));
  await sql`delete from transaction where txid like 'bare%'`.execute(db);
  const broken = (await verifyBooks(db)).filter(({ rule }) => !rule.includes('posting'));
  if (broken.length > 0) throw new Error(JSON.stringify(broken.slice(0, 3)));
}
