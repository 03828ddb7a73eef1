import { parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import type { Db, Trx } from '../database/database.ts';

/** One asset on one deposit address, as the books have it. */
export interface KnownBalance {
  watchKey: string;
  asset: string;
  /** Credited or listed: this much must lie on the address. */
  known: Amount;
  /** Of it, what only a comparison of the balance has shown, in all. */
  found: Amount;
  /** Of that, what waits for an operator. */
  open: Amount;
}

export interface BooksAtHeight {
  /** Height of the last block whose payments are final, and of the books. */
  height: number;
  balances: readonly KnownBalance[];
}

/** Observation keys of money that only a balance shows begin with it. */
export const FOUND = 'balance:';

/**
 * Reads what the books have for addresses at the newest final block, in one snapshot. Addresses
 * with a sweep on its way, or in a later block, are left out: their balance changes.
 * @returns null before the first scan, and before there is a final block
 */
export async function knownBalances(
  db: Db | Trx,
  chain: ChainId,
  finalConfirmations: number,
  watchKeys: readonly string[],
): Promise<BooksAtHeight | null> {
  const { rows } = await sql<{
    height: number;
    watch_key: string | null;
    asset: string;
    known: string;
    found: string;
    open: string;
  }>`
    with scanned as (
      select (cursor->>'height')::bigint - ${finalConfirmations} + 1 as height from chain_cursor where chain = ${chain}),
    target as (
      select d.watch_key, d.invoice_id from deposit_target d
      where d.watch_key = any(${[...watchKeys]}::text[])
        and not exists (select from sweep s, scanned where s.chain = ${chain} and s.invoice_id = d.invoice_id
          and (s.status in ('topping_up', 'sending') or greatest(s.top_up_height, s.block_height) > scanned.height))),
    part as (
      select g.watch_key, d.asset, d.amount, 0 as found, 0 as open
      from target g join deposit d on d.chain = ${chain} and d.invoice_id = g.invoice_id
      union all
      select g.watch_key, t.asset, t.amount, 0, 0
      from target g join transaction t on t.chain = ${chain} and t.invoice_id = g.invoice_id, scanned
      where not t.collected and t.block_height <= scanned.height
      union all
      select g.watch_key, t.asset, 0, t.amount, 0
      from target g join transaction t on t.chain = ${chain} and t.invoice_id = g.invoice_id
      where starts_with(t.observation_key, ${FOUND})
      union all
      select g.watch_key, u.asset, case when u.invoice_id is null then u.amount else 0 end,
        case when starts_with(u.observation_key, ${FOUND}) then u.amount else 0 end,
        case when starts_with(u.observation_key, ${FOUND}) and u.settled_at is null then u.amount else 0 end
      from target g join unassigned u on u.chain = ${chain} and u.address in (g.watch_key, split_part(g.watch_key, ':', 2)), scanned
      where coalesce(u.block_height, 0) <= scanned.height)
    select scanned.height, g.watch_key, p.asset, sum(p.amount) as known, sum(p.found) as found, sum(p.open) as open
    from scanned left join target g on true left join part p on p.watch_key = g.watch_key
    group by scanned.height, g.watch_key, p.asset`.execute(db);
  const height = rows[0]?.height ?? -1;
  if (height < 0) return null;
  const balances = rows.flatMap(({ watch_key: watchKey, asset, known, found, open }) =>
    watchKey === null
      ? []
      : [
          {
            watchKey,
            asset,
            known: parseAmount(known ?? '0'),
            found: parseAmount(found ?? '0'),
            open: parseAmount(open ?? '0'),
          },
        ],
  );
  return { height, balances };
}

/** Money that comparisons have shown on an address so far, whatever was decided about it. */
export async function foundSoFar(
  trx: Trx,
  chain: ChainId,
  watchKey: string,
  asset: string,
): Promise<Amount> {
  const address = watchKey.slice(watchKey.indexOf(':') + 1);
  // Concurrent processes that compared the same balance take turns.
  await sql`select pg_advisory_xact_lock(hashtext(${`${FOUND}${chain}:${address}:${asset}`}))`.execute(
    trx,
  );
  const { rows } = await sql<{ found: string }>`
    select coalesce(sum(amount), 0)::text as found from (
      select amount from unassigned where chain = ${chain} and address = ${address} and asset = ${asset}
        and starts_with(observation_key, ${FOUND})
      union all
      select t.amount from transaction t join deposit_target d on d.invoice_id = t.invoice_id
      where d.watch_key = ${watchKey} and t.chain = ${chain} and t.asset = ${asset}
        and starts_with(t.observation_key, ${FOUND})) f`.execute(trx);
  return parseAmount(rows[0]?.found ?? '0');
}
