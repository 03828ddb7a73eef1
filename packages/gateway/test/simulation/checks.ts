import { CHAINS, type ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import { CONVERSION_MOVES } from '../../src/conversion/state.ts';
import { timestamp } from '../../src/database/timestamp.ts';
import { INVOICE_MOVES } from '../../src/invoice/state.ts';
import { PAYOUT_EVENT_OF, PAYOUT_MOVES } from '../../src/payout/state.ts';
import { TRANSACTION_MOVES } from '../../src/transaction/state.ts';
import { verifyBooks } from '../../src/wallet/verify.ts';
import { Broken } from './broken.ts';
import type { Arena } from './arena.ts';
import { allOf, rulesAt, type Rule } from './rules.ts';

/** What was looked at already. */
export interface Watch {
  /** The last move of a status. */
  move: number;
  /** Callbacks. */
  told: Set<string>;
  /** Payouts that were let through: planned, or in their turn. */
  passed: Set<string>;
}

export const newWatch = (): Watch => ({ move: 0, told: new Set(), passed: new Set() });

/**
 * Everything that holds whatever happened.
 * @param read chains that were read to their tip
 */
export async function requireRules({ context, weather }: Arena, watch: Watch, read: readonly ChainId[]): Promise<void> {
  const { db } = context;
  const [found] = await verifyBooks(db);
  if (found) throw new Broken(found.says, found.row);
  const now = timestamp(weather.now);
  const { rows } = await allOf(rulesAt({ read, now })).execute(db);
  if (rows[0]) throw new Broken(rows[0].rule, rows);
  await requireMoves(db, watch);
  await requirePatience(db, watch, now, weather.addressDelay);
}

/** What is left open of what must not be, once every node answers, all that can confirm has confirmed and all time is over. */
export async function leftOpen({ context }: Arena, rules: readonly Rule[]): Promise<Broken | null> {
  const { rows } = await allOf(rules).execute(context.db);
  return rows[0] ? new Broken(rows[0].rule, rows) : null;
}

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
  /** Of a payout: where it is in the chain now. */
  chain: ChainId | null;
  depth: number | null;
}

async function requireMoves(db: Arena['context']['db'], watch: Watch): Promise<void> {
  const { rows } = await sql<Move>`
    select m.*, array(select c.event from callback c where c.resource_id = m.id) as told, p.chain, h.height - b.height + 1 as depth
    from simulation_move m left join payout p on p.id = m.id
    left join sandbox_transaction s on s.chain = p.chain and s.txid = p.txid and s.state = 'block'
    left join sandbox_block b on b.chain = s.chain and b.hash = s.block_hash and b.best
    left join sandbox_chain h on h.chain = b.chain
    where m.number > ${watch.move} order by m.number`.execute(db);
  for (const move of rows) {
    watch.move = move.number;
    const table = MOVES[move.what];
    if (table && !isReachable(table, move)) throw new Broken('no status moves where its table forbids', move);
    const event = TELLS[move.what]?.(move.new);
    if (event !== undefined && !move.told.includes(event)) throw new Broken('every change of a status is told', move);
    if (move.what === 'payout' && move.new === 'complete' && (move.depth ?? 0) < CHAINS[move.chain!].finalConfirmations)
      throw new Broken('a payout is complete when it is final on its chain', move);
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

/** What was let through since the last look had waited as long as a policy wants it to. What has its turn to wait for (TON) was let through before. */
async function requirePatience(db: Arena['context']['db'], watch: Watch, now: string, delaySeconds: number): Promise<void> {
  const { rows } = await sql<{ id: string; hasty: boolean }>`
    select p.id, p.approved_at is null and ${now}::timestamptz < p.created_at + make_interval(secs => ${delaySeconds})
      and exists (select from payout_recipient r where r.payout_id = p.id and not exists (
        select from payout_recipient o join payout q on q.id = o.payout_id
        where o.address = r.address and q.id <> p.id and q.txid is not null)) as hasty
    from payout p where (p.status = 'queued' or exists (select from outgoing g where g.id = p.id)) and p.id <> all(${[...watch.passed]}::uuid[])`.execute(
    db,
  );
  for (const { id, hasty } of rows) {
    watch.passed.add(id);
    if (hasty) throw new Broken('a payout to a new address waits', { id, delaySeconds });
  }
}
