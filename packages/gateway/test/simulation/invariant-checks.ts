import { CHAINS, type ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import { CONVERSION_MOVES } from '../../src/conversion/state.ts';
import { timestamp } from '../../src/database/timestamp.ts';
import { INVOICE_MOVES } from '../../src/invoice/state.ts';
import { PAYOUT_EVENT_OF, PAYOUT_MOVES } from '../../src/payout/state.ts';
import { REFUND_MOVES } from '../../src/refund/state.ts';
import { TRANSACTION_MOVES } from '../../src/transaction/state.ts';
import { verifyBooks } from '../../src/ledger/verify.ts';
import { InvariantViolation } from './invariant-violation.ts';
import type { SimulatedGateway } from './simulated-gateway.ts';
import { violations, invariantsAt, type Invariant } from './invariants.ts';

/** Rows that were checked already. */
export interface CheckProgress {
  /** Number of the last status transition. */
  lastTransition: number;
  /** Ids of callbacks. */
  callbacks: Set<string>;
  /** Payouts that passed their policies: planned or queued. */
  passedPolicies: Set<string>;
}

export const startChecks = (): CheckProgress => ({
  lastTransition: 0,
  callbacks: new Set(),
  passedPolicies: new Set(),
});

/**
 * Checks all invariants.
 * @param scanned chains that were scanned to their tip
 */
export async function checkInvariants(
  { context, environment }: SimulatedGateway,
  progress: CheckProgress,
  scanned: readonly ChainId[],
): Promise<void> {
  const { db } = context;
  const [found] = await verifyBooks(db);
  if (found) throw new InvariantViolation(found.says, found.row);
  const now = timestamp(environment.now);
  const { rows } = await violations(invariantsAt({ scanned, now })).execute(db);
  if (rows[0]) throw new InvariantViolation(rows[0].invariant, rows);
  await checkTransitions(db, progress);
  await checkAddressDelay(db, progress, now, environment.addressDelaySeconds);
}

/**
 * The first unresolved resource, once all nodes work, everything is confirmed and all deadlines
 * have passed; null when there is none.
 */
export async function findUnresolved(
  { context }: SimulatedGateway,
  invariants: readonly Invariant[],
): Promise<InvariantViolation | null> {
  const { rows } = await violations(invariants).execute(context.db);
  return rows[0] ? new InvariantViolation(rows[0].invariant, rows) : null;
}

const TRANSITIONS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  invoice: INVOICE_MOVES,
  transaction: TRANSACTION_MOVES,
  payout: PAYOUT_MOVES,
  conversion: CONVERSION_MOVES,
  refund: REFUND_MOVES,
};

/** The event that a new status requires. */
const REQUIRED_EVENT: Readonly<Record<string, (status: string) => string | undefined>> = {
  transaction: (status) =>
    status === 'unconfirmed' ? 'transaction_pending' : `transaction_${status}`,
  payout: (status) => PAYOUT_EVENT_OF[status as keyof typeof PAYOUT_EVENT_OF],
  invoice: (status) => ({ paid: 'invoice_confirmed', complete: 'invoice_complete' })[status],
};

interface Transition {
  number: number;
  resource: string;
  id: string;
  old: string;
  new: string;
  events: string[];
  /** Payouts only: the current position on the chain. */
  chain: ChainId | null;
  depth: number | null;
}

async function checkTransitions(
  db: SimulatedGateway['context']['db'],
  progress: CheckProgress,
): Promise<void> {
  const { rows } = await sql<Transition>`
    select m.*, array(select c.event from callback c where c.resource_id = m.id) as events, p.chain, h.height - b.height + 1 as depth
    from simulation_transition m left join payout p on p.id = m.id
    left join sandbox_transaction s on s.chain = p.chain and s.txid = p.txid and s.state = 'block'
    left join sandbox_block b on b.chain = s.chain and b.hash = s.block_hash and b.best
    left join sandbox_chain h on h.chain = b.chain
    where m.number > ${progress.lastTransition} order by m.number`.execute(db);
  for (const transition of rows) {
    progress.lastTransition = transition.number;
    const table = TRANSITIONS[transition.resource];
    if (table && !isReachable(table, transition))
      throw new InvariantViolation('every status transition is in its table', transition);
    const event = REQUIRED_EVENT[transition.resource]?.(transition.new);
    if (event !== undefined && !transition.events.includes(event))
      throw new InvariantViolation('every status transition has its callback', transition);
    if (
      transition.resource === 'payout' &&
      transition.new === 'complete' &&
      (transition.depth ?? 0) < CHAINS[transition.chain!].finalConfirmations
    )
      throw new InvariantViolation('a complete payout is final on its chain', transition);
  }
}

/** A payout can pass several statuses in one update; other resources change in single steps. */
function isReachable(
  table: Readonly<Record<string, readonly string[]>>,
  { resource, old, new: to }: Transition,
): boolean {
  if (table[old]?.includes(to)) return true;
  if (resource !== 'payout') return false;
  const seen = new Set([old]);
  for (const status of seen) for (const next of table[status] ?? []) seen.add(next);
  return seen.has(to);
}

/**
 * A payout that passed its policies since the last check must have waited for the address delay.
 * Queued payouts (TON) passed earlier.
 */
async function checkAddressDelay(
  db: SimulatedGateway['context']['db'],
  progress: CheckProgress,
  now: string,
  delaySeconds: number,
): Promise<void> {
  const { rows } = await sql<{ id: string; too_early: boolean }>`
    select p.id, p.approved_at is null and ${now}::timestamptz < p.created_at + make_interval(secs => ${delaySeconds})
      and exists (select from payout_recipient r where r.payout_id = p.id and not exists (
        select from payout_recipient o join payout q on q.id = o.payout_id
        where o.address = r.address and q.id <> p.id and q.txid is not null)) as too_early
    from payout p where (p.status = 'queued' or exists (select from outgoing g where g.id = coalesce(p.batch_id, p.id))) and p.id <> all(${[...progress.passedPolicies]}::uuid[])`.execute(
    db,
  );
  for (const { id, too_early } of rows) {
    progress.passedPolicies.add(id);
    if (too_early)
      throw new InvariantViolation('a payout to a new address waits for the address delay', {
        id,
        delaySeconds,
      });
  }
}
