import { createHmac } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import { CONVERSION_MOVES } from '../../src/conversion/state.ts';
import { call } from '../../src/http/test-call.ts';
import { INVOICE_MOVES } from '../../src/invoice/state.ts';
import { PAYOUT_EVENT_OF, PAYOUT_MOVES } from '../../src/payout/state.ts';
import { TRANSACTION_MOVES } from '../../src/transaction/state.ts';
import { verifyBooks } from '../../src/wallet/verify.ts';
import { Broken } from './broken.ts';
import type { Arena } from './arena.ts';
import { AUTOMATIC } from './perform.ts';

/** What was looked at already. */
export interface Watch {
  /** The last move of a status. */
  move: number;
  told: Set<string>;
}

export const newWatch = (): Watch => ({ move: 0, told: new Set() });

/**
 * Everything that holds whatever happened.
 * @param read chains that were read to their tip: only of these can be told whether what is credited is there
 */
export async function requireRules({ context }: Arena, watch: Watch, read: readonly ChainId[]): Promise<void> {
  const [found] = await verifyBooks(context.db);
  if (found) throw new Broken(found.says, found.row);
  const { rows } = await sql<{ rule: string; row: unknown }>`${rules(read)}`.execute(context.db);
  if (rows[0]) throw new Broken(rows[0].rule, rows);
  await requireMoves(context.db, watch);
}

const rules = (read: readonly ChainId[]) => sql`
  select 'every event has exactly one callback' as rule, to_jsonb(f) as row from (
    select e.id, e.event, c.id as callback_of from (select id, unnest(events) as event from invoice
      union all select id, unnest(events) from transaction union all select id, unnest(events) from payout) e
    full join (select resource_id as id, event from callback) c using (id, event)
    where c.id is null or e.id is null or (e.id, e.event) in (select id, unnest(events) from (select id, events from invoice
      union all select id, events from transaction union all select id, events from payout) r group by 1, 2 having count(*) > 1)) f
  union all
  select 'what is credited is on the best chain', to_jsonb(f) from (
    select t.id, t.txid, t.status, t.credit, t.amount, s.state, b.best, o.amount as sent from transaction t
    left join sandbox_transaction s on s.chain = t.chain and s.txid = t.txid
    left join sandbox_block b on b.chain = s.chain and b.hash = s.block_hash
    left join sandbox_output o on o.chain = t.chain and t.observation_key = o.txid || ':' || o.slot
    where t.chain = any(${[...read]}::text[]) and t.credit in ('pending', 'available') and not t.owed
      and (s.state is null or s.state not in ('mempool', 'block') or (t.credit = 'available' and b.best is distinct from true and t.zero_conf_status is distinct from 'confirmed')
        or o.amount is distinct from t.amount)) f
  union all
  select 'what arrived is known', to_jsonb(f) from (
    select o.chain, o.txid, o.slot, o.watch_key from sandbox_output o
    join sandbox_transaction s on s.chain = o.chain and s.txid = o.txid
    where o.chain = any(${[...read]}::text[]) and s.state in ('mempool', 'block')
      and o.watch_key in (select watch_key from deposit_target)
      -- What we send to an address of ours ourselves, so that it can pay its fee, is no payment.
      and not exists (select 1 from outgoing g where g.txid = o.txid)
      and not exists (select 1 from transaction t where t.chain = o.chain and t.observation_key = o.txid || ':' || o.slot)
      and not exists (select 1 from unassigned u where u.chain = o.chain and u.observation_key = o.txid || ':' || o.slot)) f
  union all
  select 'confirmations are the depth in the chain', to_jsonb(f) from (
    select t.id, t.confirmations, t.block_height, c.height from transaction t join sandbox_chain c on c.chain = t.chain
    where t.chain = any(${[...read]}::text[]) and t.status in ('pending', 'confirmed')
      and t.confirmations <> case when t.block_height is null then 0 else c.height - t.block_height + 1 end) f
  union all
  select 'no two live invoices with an amount share address and tag', to_jsonb(f) from (
    select chain, address, tag, count(*) from invoice
    where address is not null and requested_text is not null and status in ('new', 'pending', 'paid')
    group by chain, address, tag having count(*) > 1) f
  union all
  select 'what an invoice was paid is the sum of its payments', to_jsonb(f) from (
    select i.id, i.paid_total, p.amount from invoice i
    left join (select invoice_id, sum(amount) as amount from transaction
      where counted and status not in ('replaced', 'failed', 'quarantined') and (in_mempool or block_height is not null)
      group by invoice_id) p on p.invoice_id = i.id
    where i.paid_total <> coalesce(p.amount, 0) and i.kind <> 'BTC_LIGHTNING_LNURL') f
  union all
  select 'an invoice that expired with a payment says so', to_jsonb(f) from (
    select i.id from invoice i where i.status = 'expired' and exists (select 1 from transaction t where t.invoice_id = i.id
        and t.counted and not t.late and t.status in ('pending', 'confirmed', 'complete') and (t.in_mempool or t.block_height is not null))
      and not exists (select 1 from callback c where c.resource_id = i.id and c.event = 'invoice_incomplete')) f
  union all
  select 'a sum that was there in time never expires', to_jsonb(f) from (
    select id, invoiced, paid_total from invoice where status = 'expired' and matched) f
  union all
  select 'a recipient is paid once', to_jsonb(f) from (
    select r.address, r.tag, count(*) from payout_recipient r join sandbox_output o on o.address = r.address
      and (r.tag is null or o.watch_key like '%:' || r.tag)
    where r.address <> all(${Object.values(AUTOMATIC).map((address) => address.replace(/:1$/, ''))}::text[]) or r.tag <> '1'
    group by r.payout_id, r.address, r.tag, r.number having count(*) > 1) f
  union all
  select 'what is sent is what the recipients were to get', to_jsonb(f) from (
    select p.id, p.total, o.amount from payout p
    join (select txid, sum(amount) as amount from sandbox_output group by txid) o on o.txid = p.txid where o.amount <> p.total) f`;

const MOVES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  invoice: INVOICE_MOVES,
  transaction: TRANSACTION_MOVES,
  payout: PAYOUT_MOVES,
  conversion: CONVERSION_MOVES,
};

/** What has to be told when a status is reached. */
const TELLS: Readonly<Record<string, (status: string) => string | undefined>> = {
  transaction: (status) => (status === 'unconfirmed' ? 'transaction_pending' : `transaction_${status}`),
  payout: (status) => PAYOUT_EVENT_OF[status as keyof typeof PAYOUT_EVENT_OF],
  invoice: (status) => ({ paid: 'invoice_confirmed', complete: 'invoice_complete' })[status],
};

interface Move {
  number: number;
  what: string;
  id: string;
  old: string;
  new: string;
  told: string[];
}

async function requireMoves(db: Arena['context']['db'], watch: Watch): Promise<void> {
  const { rows } = await sql<Move>`
    select m.*, array(select c.event from callback c where c.resource_id = m.id) as told
    from simulation_move m where m.number > ${watch.move} order by m.number`.execute(db);
  for (const move of rows) {
    watch.move = move.number;
    const table = MOVES[move.what];
    if (table && !isReachable(table, move)) throw new Broken('no status moves where its table forbids', move);
    const event = TELLS[move.what]?.(move.new);
    if (event !== undefined && !move.told.includes(event)) throw new Broken('every change of a status is told', move);
  }
}

/** A payout may pass several statuses in one look at its chain; everything else moves in single steps. */
function isReachable(table: Readonly<Record<string, readonly string[]>>, { what, old, new: to }: Move): boolean {
  if (table[old]?.includes(to)) return true;
  if (what !== 'payout') return false;
  const seen = new Set([old]);
  for (const status of seen) for (const next of table[status] ?? []) seen.add(next);
  return seen.has(to);
}

interface Told {
  id: string;
  resource: string;
  resource_id: string;
  event: string;
  body: string;
  version: number;
  current: number;
}

/**
 * Whatever was told since is what a GET says, as long as nothing happened in between.
 * @param stale whether the look had several parts, after which an invoice's transactions are deeper than the callback says
 */
export async function requireTold({ context, app, account }: Arena, watch: Watch, stale: boolean): Promise<void> {
  const { rows } = await sql<Told>`
    select c.id, c.resource, c.resource_id, c.event, c.body, s.version, r.version as current
    from callback c join simulation_told s on s.callback_id = c.id
    join (select id, version from invoice union all select id, version from transaction union all select id, version from payout) r
      on r.id = c.resource_id
    where not (c.id = any(${[...watch.told]}::uuid[]))`.execute(context.db);
  const [owner] = rows.length === 0 ? [] : await context.db.selectFrom('account').select('callback_token_sealed').execute();
  const shown = new Map<string, unknown>();
  for (const { id, resource, resource_id, event, body, version, current } of rows) {
    watch.told.add(id);
    const sent = JSON.parse(body) as Record<string, unknown>;
    const token = context.secrets.unseal(owner!.callback_token_sealed, account.account_id);
    const expected = { id, event, signature: createHmac('sha256', token).update(id).digest('hex') };
    const found = { id: sent['callback_id'], event: sent['callback_status'], signature: sent['signature'] };
    if (!isDeepStrictEqual(found, expected)) throw new Broken('a callback says what it is', { found, expected });
    if (!isDeepStrictEqual(sent['result'], sent[resource])) throw new Broken('a callback carries its resource twice', sent);
    if (version !== current || stale) continue;
    if (!shown.has(resource_id)) {
      const { body: answer } = await call(app, account.api, 'GET', `/v1/${resource}s/${resource_id}/`);
      shown.set(resource_id, answer.result);
    }
    if (!isDeepStrictEqual(sent['result'], shown.get(resource_id)))
      throw new Broken('a callback says what a GET says', { event, sent: sent['result'], shown: shown.get(resource_id) });
  }
}

/** When every node answers, all that can confirm has confirmed and all time is over, nothing is left open. */
export async function requireEnd({ context }: Arena): Promise<void> {
  const { rows } = await sql<{ rule: string; row: unknown }>`
    select 'in the end an invoice is complete or expired' as rule, to_jsonb(f) as row from (
      select id, status from invoice i where status not in ('complete', 'expired') and requested_text is not null
        and not (status = 'pending' and exists (select 1 from transaction t where t.invoice_id = i.id and t.status = 'quarantined'))) f
    union all
    select 'in the end a transaction is what its chain says', to_jsonb(f) from (
      select t.id, t.status, t.credit, s.state from transaction t join sandbox_transaction s on s.chain = t.chain and s.txid = t.txid
      where t.status <> 'quarantined' and not t.owed and (s.state = 'block') <> (t.status = 'complete' and t.credit = 'available')
        and not (s.state <> 'block' and (t.credit = 'none' or (t.status = 'complete' and t.credit = 'frozen')))) f
    union all
    select 'in the end a payout is decided', to_jsonb(f) from (
      select p.id, p.status, p.hold, s.state from payout p left join sandbox_transaction s on s.chain = p.chain and s.txid = p.txid
      left join sandbox_transaction r on r.chain = s.chain and r.txid = s.replaced_by
      where p.status not in ('complete', 'failed', 'rejected', 'draft', 'awaiting_funds')
        -- Whatever took its place was lost itself: nobody can say what becomes of it.
        and not (s.state = 'replaced' and r.state is distinct from 'block')) f`.execute(context.db);
  if (rows[0]) throw new Broken(rows[0].rule, rows);
}
