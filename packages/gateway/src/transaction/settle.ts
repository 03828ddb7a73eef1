import { parseAmount } from '@crypto-checkout/protocol/amount';
import type { TransactionEvent } from '@crypto-checkout/protocol/event';
import type { Context } from '../context.ts';
import { milliseconds, timestamp, type Trx } from '../database/database.ts';
import { postAll, type Entry, type Line } from '../wallet/post.ts';
import type { Batch, Draft } from './batch.ts';
import { findOwed, OWED } from './owed.ts';
import { raiseAlarm, saveTransactions, type TransactionRow } from './store.ts';
import { checkTransactionMoves, transactionState, UNCONFIRMED_AFTER_MS, type Credit } from './state.ts';

checkTransactionMoves();

/** What became of a batch's transactions. */
export interface SettledTransactions {
  /** Invoices whose sums may have changed. */
  invoiceIds: ReadonlySet<string>;
  /** To be reported, in order. */
  events: readonly { row: TransactionRow; event: TransactionEvent }[];
  /** To be written. */
  changed: readonly Draft[];
  alarms: readonly { id: string; chain: string; reason: string }[];
}

/**
 * Brings every transaction of a batch into the status that follows from its facts, and writes what changed: rows, ledger, alarms.
 * Facts that were there before change nothing.
 */
export async function settleTransactions(trx: Trx, context: Context, batch: Batch, now: number): Promise<SettledTransactions> {
  const settled = await decideTransactions(trx, batch, now);
  await writeTransactions(trx, context, settled, now);
  return settled;
}

/** The first half of `settleTransactions`: the batch shows what comes next, nothing is written yet. */
export async function decideTransactions(trx: Trx, { drafts }: Batch, now: number): Promise<SettledTransactions> {
  const decided = [...drafts.values()].flatMap((draft) => {
    const outcome = decide(draft.row, now);
    return isSame(draft) ? [] : [{ draft, ...outcome }];
  });
  await findOwed(
    trx,
    decided.map(({ draft }) => draft),
  );
  const at = timestamp(now);
  const changed: Draft[] = [];
  const events: { row: TransactionRow; event: TransactionEvent }[] = [];
  const alarms: { id: string; chain: string; reason: string }[] = [];
  for (const { draft, events: fresh, alarm } of decided) {
    // Still owed, as before.
    if (isSame(draft)) continue;
    const { row } = draft;
    row.version = (draft.stored?.version ?? 0) + 1;
    row.updated_at = at;
    changed.push(draft);
    for (const event of fresh) events.push({ row, event });
    // What is owed was told when it began.
    const reasons = draft.stored?.owed ? [] : [alarm, row.owed ? OWED : null].filter((reason) => reason !== null);
    alarms.push(...reasons.map((reason) => ({ id: row.id, chain: row.chain, reason })));
  }
  return { invoiceIds: new Set(changed.map(({ row }) => row.invoice_id)), events, changed, alarms };
}

/** The second half. */
export async function writeTransactions(trx: Trx, context: Context, settled: SettledTransactions, now: number): Promise<void> {
  const { changed, alarms } = settled;
  await saveTransactions(trx, rowsOf(changed, true), rowsOf(changed, false));
  await postAll(
    trx,
    changed.flatMap((draft) => creditEntry(draft, now) ?? []),
  );
  for (const { id, chain, reason } of alarms) {
    await raiseAlarm(trx, { id: context.ids.uuid(), chain, resource_id: id, reason, raised_at: timestamp(now) });
    context.log.error({ transactionId: id, chain }, reason);
  }
}

/** Writes status, credit and times into the row; returns what is to be told. */
function decide(row: TransactionRow, now: number): { events: TransactionEvent[]; alarm: string | null } {
  if (row.zero_conf_status === 'confirmed' && isLost(row)) row.zero_conf_status = 'unconfirmed';
  const outcome = transactionState({
    status: row.version === 0 ? null : row.status,
    events: row.events,
    inMempool: row.in_mempool,
    confirmations: row.confirmations,
    requiredConfirmations: row.required_confirmations,
    finalConfirmations: row.final_confirmations,
    replacedBy: row.replaced_by,
    failure: row.failure,
    quarantined: row.quarantined,
    zeroConfirmed: row.zero_conf_status === 'confirmed',
    credit: row.credit,
    aged: now - milliseconds(row.created_at) > UNCONFIRMED_AFTER_MS,
  });
  row.status = outcome.status;
  row.credit = outcome.credit;
  row.events = [...row.events, ...outcome.events];
  row.confirmed_at = confirmedAt(row, now);
  return outcome;
}

/** What was accepted without a block and is gone is safe no more, also if it should come back. */
function isLost({ in_mempool, block_height, replaced_by, failure }: TransactionRow): boolean {
  return (!in_mempool && block_height === null) || replaced_by !== null || failure !== null;
}

function confirmedAt({ status, confirmed_at }: TransactionRow, now: number): string | null {
  if (status === 'confirmed' || status === 'complete') return confirmed_at ?? timestamp(now);
  return null;
}

/** What a scan, an analysis or somebody's decision can change in a row. */
const FACTS = [
  'status',
  'confirmations',
  'block_height',
  'block_hash',
  'in_mempool',
  'replaced_by',
  'failure',
  'credit',
  'executed_at',
  'confirmed_at',
  'zero_conf_status',
  'risk_level',
  'quarantined',
  'quarantined_by',
  'released_by',
  'owed',
] as const satisfies readonly (keyof TransactionRow)[];

function isSame({ row, stored }: Draft): boolean {
  if (stored === null) return false;
  return FACTS.every((fact) => row[fact] === stored[fact]) && row.events.length === stored.events.length;
}

const rowsOf = (drafts: readonly Draft[], fresh: boolean): TransactionRow[] =>
  drafts.filter((draft) => (draft.stored === null) === fresh).map((draft) => draft.row);

/** Moves the amount to the bucket where it belongs now; from and to the chain when it arrives or vanishes. */
function creditEntry({ row, stored }: Draft, now: number): Entry | null {
  const from = stored?.credit ?? 'none';
  if (from === row.credit) return null;
  const amount = parseAmount(row.amount);
  return {
    accountId: row.account_id,
    reason: `transaction_${row.status}`,
    resourceId: row.id,
    at: timestamp(now),
    lines: [place(row, row.credit, amount), place(row, from, -amount)],
  };
}

function place({ wallet_id: walletId, asset: currency }: TransactionRow, credit: Credit, amount: bigint): Line {
  return credit === 'none' ? { book: 'chain', currency, amount } : { book: 'wallet', walletId, bucket: credit, currency, amount };
}
