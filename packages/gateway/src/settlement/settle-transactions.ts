import { parseAmount } from '@crypto-checkout/protocol/amount';
import { CHAIN_DETAILS } from '@crypto-checkout/protocol/chain-details';
import type { TransactionEvent } from '@crypto-checkout/protocol/event';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import { raiseAlarm } from '../alarm/raise.ts';
import type { FundsAt } from '../settings/payouts.ts';
import type { Context } from '../context.ts';
import { milliseconds, timestamp, type Trx } from '../database/database.ts';
import { postAll, type Entry, type Line } from '../ledger/post.ts';
import type { Batch, Draft } from './batch.ts';
import { markOwedReversals, OWED_REVERSAL_ALARM } from './owed-reversals.ts';
import { saveTransactions, type TransactionRow } from '../transaction/store.ts';
import {
  checkTransactionMoves,
  transactionState,
  UNCONFIRMED_AFTER_MS,
  type Credit,
} from '../transaction/state.ts';

checkTransactionMoves();

/** Changes of a batch's transactions. */
export interface SettledTransactions {
  /** Invoices whose paid amounts may have changed. */
  invoiceIds: ReadonlySet<string>;
  /** Events to queue as callbacks, in order. */
  events: readonly { row: TransactionRow; event: TransactionEvent }[];
  /** Rows to save. */
  changed: readonly Draft[];
  alarms: readonly { id: string; chain: string; reason: string }[];
}

/**
 * Updates the status of every transaction of a batch from its facts, and saves the changes: rows,
 * ledger entries, alarms. Idempotent: unchanged facts change nothing.
 */
export async function settleTransactions(
  trx: Trx,
  context: Context,
  batch: Batch,
  now: number,
): Promise<SettledTransactions> {
  const settled = await decideTransactions(trx, context, batch, now);
  await writeTransactions(trx, context, settled, now);
  return settled;
}

/** First half of `settleTransactions`: updates the batch in memory and writes nothing. */
export async function decideTransactions(
  trx: Trx,
  context: Pick<Context, 'config' | 'network'>,
  { drafts }: Batch,
  now: number,
): Promise<SettledTransactions> {
  const fundsAt = payoutFundsAt(context);
  const decided = [...drafts.values()].flatMap((draft) => {
    const outcome = decide(draft.row, fundsAt, now);
    return isUnchanged(draft) ? [] : [{ draft, ...outcome }];
  });
  await markOwedReversals(
    trx,
    decided.map(({ draft }) => draft),
  );
  const at = timestamp(now);
  const changed: Draft[] = [];
  const events: { row: TransactionRow; event: TransactionEvent }[] = [];
  const alarms: { id: string; chain: string; reason: string }[] = [];
  for (const { draft, events: newEvents, alarm } of decided) {
    // Owed before and still owed.
    if (isUnchanged(draft)) continue;
    const { row } = draft;
    row.version = (draft.stored?.version ?? 0) + 1;
    row.updated_at = at;
    changed.push(draft);
    for (const event of newEvents) events.push({ row, event });
    // An owed reversal raised its alarm when it began.
    const reasons = draft.stored?.owed
      ? []
      : [alarm, row.owed ? OWED_REVERSAL_ALARM : null].filter((reason) => reason !== null);
    alarms.push(...reasons.map((reason) => ({ id: row.id, chain: row.chain, reason })));
  }
  return { invoiceIds: new Set(changed.map(({ row }) => row.invoice_id)), events, changed, alarms };
}

/** Second half of `settleTransactions`: saves rows, ledger entries and alarms. */
export async function writeTransactions(
  trx: Trx,
  context: Context,
  settled: SettledTransactions,
  now: number,
): Promise<void> {
  const { changed, alarms } = settled;
  await saveTransactions(trx, rowsOf(changed, true), rowsOf(changed, false));
  await postAll(
    trx,
    changed.flatMap((draft) => creditEntry(draft, now) ?? []),
  );
  for (const { id, chain, reason } of alarms) {
    await raiseAlarm(trx, {
      id: context.ids.uuid(),
      chain,
      resource_id: id,
      reason,
      raised_at: timestamp(now),
    });
  }
}

/** Payouts of all accounts leave from one address: an undone payment would be a loss for all. */
export const payoutFundsAt = ({ config, network }: Pick<Context, 'config' | 'network'>): FundsAt =>
  config.payoutFundsAt ?? (network === 'mainnet' ? 'final' : 'confirmed');

/** Updates status, credit and times in the row. */
function decide(
  row: TransactionRow,
  fundsAt: FundsAt,
  now: number,
): { events: TransactionEvent[]; alarm: string | null } {
  if (row.zero_conf_status === 'confirmed' && isGone(row)) row.zero_conf_status = 'unconfirmed';
  const isProven =
    !row.must_compare || (row.agreed_hash !== null && row.agreed_hash === row.block_hash);
  const outcome = transactionState({
    status: row.version === 0 ? null : row.status,
    events: row.events,
    inMempool: row.in_mempool,
    // Without the agreement of a second provider, where it is needed, it stays short of final.
    confirmations: isProven
      ? row.confirmations
      : Math.min(row.confirmations, row.final_confirmations - 1),
    requiredConfirmations: row.required_confirmations,
    finalConfirmations: row.final_confirmations,
    finalized: isProven && row.finalized,
    finalizedBlock: CHAIN_DETAILS[row.chain as ChainId].finalizedBlock,
    replacedBy: row.replaced_by,
    failure: row.failure,
    quarantined: row.quarantined,
    zeroConfirmed: row.zero_conf_status === 'confirmed',
    credit: row.credit,
    fundsAt,
    aged: now - milliseconds(row.created_at) > UNCONFIRMED_AFTER_MS,
  });
  row.status = outcome.status;
  row.credit = outcome.credit;
  row.events = [...row.events, ...outcome.events];
  row.confirmed_at = confirmedAt(row, now);
  return outcome;
}

/** A zero-confirmation payment that disappeared is no longer accepted, even if it returns. */
function isGone({ in_mempool, block_height, replaced_by, failure }: TransactionRow): boolean {
  return (!in_mempool && block_height === null) || replaced_by !== null || failure !== null;
}

function confirmedAt({ status, confirmed_at }: TransactionRow, now: number): string | null {
  if (status === 'confirmed' || status === 'complete') return confirmed_at ?? timestamp(now);
  return null;
}

/** Columns that a scan, a risk check or an operator can change. */
const FACTS = [
  'status',
  'amount',
  'confirmations',
  'block_height',
  'block_hash',
  'in_mempool',
  'finalized',
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
  'refunded',
] as const satisfies readonly (keyof TransactionRow)[];

function isUnchanged({ row, stored }: Draft): boolean {
  if (stored === null) return false;
  return (
    FACTS.every((fact) => row[fact] === stored[fact]) && row.events.length === stored.events.length
  );
}

const rowsOf = (drafts: readonly Draft[], fresh: boolean): TransactionRow[] =>
  drafts.filter((draft) => (draft.stored === null) === fresh).map((draft) => draft.row);

/**
 * Moves the amount to its new bucket, or between wallet and chain when it arrives or is lost. A
 * corrected amount moves the difference, too.
 */
function creditEntry({ row, stored }: Draft, now: number): Entry | null {
  const from = stored?.credit ?? 'none';
  const amount = parseAmount(row.amount);
  const before = parseAmount(stored?.amount ?? row.amount);
  if (from === row.credit && (from === 'none' || before === amount)) return null;
  return {
    accountId: row.account_id,
    reason: `transaction_${row.status}`,
    resourceId: row.id,
    at: timestamp(now),
    lines: [
      ledgerLine(row, row.credit, amount),
      ledgerLine(row, from, -before),
      ...(before === amount ? [] : [ledgerLine(row, 'none', before - amount)]),
    ],
  };
}

function ledgerLine(
  { wallet_id: walletId, asset: currency }: TransactionRow,
  credit: Credit,
  amount: bigint,
): Line {
  return credit === 'none'
    ? { book: 'chain', currency, amount }
    : { book: 'wallet', walletId, bucket: credit, currency, amount };
}
