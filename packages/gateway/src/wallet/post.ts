import { type Amount, formatAmount } from '@crypto-checkout/protocol/amount';
import { sql } from 'kysely';
import type { Trx } from '../database/database.ts';
import { recordset, type ColumnType } from '../database/recordset.ts';
import type { Bucket } from '../database/tables/wallet.ts';

/** One side of an entry: money in a bucket of a wallet, or its counterpart outside: on the chain, or at an exchange. */
export type Line =
  | { book: 'wallet'; walletId: string; bucket: Bucket; currency: string; amount: Amount }
  | { book: 'chain' | 'exchange'; currency: string; amount: Amount };

export interface Entry {
  accountId: string;
  /** A new UUID; an entry is written once. */
  entryId?: string;
  /** Why, as `transaction_pending`. */
  reason: string;
  /** What it is about: the transaction or payout. */
  resourceId: string;
  /** Business time in the spec's form. */
  at: string;
  /** Positive is more in that place. Sums to zero in every currency. */
  lines: readonly Line[];
}

/** An entry that the ledger refuses; nothing of it was written. */
export class LedgerError extends Error {
  override name = 'LedgerError';
}

/**
 * Posts an entry: the only way in which money moves.
 * @throws LedgerError when the lines don't sum to zero in each currency, or a balance would fall below zero
 * @example
 * await post(trx, { accountId, reason: 'transaction_pending', resourceId, at, lines: [
 *   { book: 'wallet', walletId, bucket: 'pending', currency: 'BTC', amount },
 *   { book: 'chain', currency: 'BTC', amount: -amount },
 * ] });
 */
export async function post(trx: Trx, entry: Entry): Promise<void> {
  const lines = entry.lines.filter(({ amount }) => amount !== 0n);
  requireBalanced(lines);
  if (lines.length === 0) return;
  await trx.insertInto('posting').values(postingRows(entry, lines)).execute();
  for (const change of balanceChanges(lines)) await changeBalance(trx, entry.accountId, change);
}

/**
 * Posts many entries in a number of statements that does not grow with them: whole blocks of deposits. Money may move through a balance,
 * in by one entry and out by the next.
 * @throws LedgerError as `post` does; then all of them are to be given up
 */
export async function postAll(trx: Trx, entries: readonly Entry[]): Promise<void> {
  const [only, ...more] = entries;
  if (only === undefined || more.length === 0) return only && post(trx, only);
  const rows: PostingRow[] = [];
  const changes = new Map<string, Change & { accountId: string }>();
  for (const entry of entries) {
    const lines = entry.lines.filter(({ amount }) => amount !== 0n);
    requireBalanced(lines);
    rows.push(...postingRows(entry, lines));
    for (const line of lines) {
      if (line.book === 'wallet') addChange(changes, { ...line, accountId: entry.accountId });
    }
  }
  if (rows.length === 0) return;
  await sql`
    insert into posting (account_id, entry_id, line, book, wallet_id, bucket, currency, amount, reason, resource_id, created_at)
    select * from ${newRows(rows)} as r`.execute(trx);
  await changeBalances(
    trx,
    [...changes.values()].filter(({ amount }) => amount !== 0n),
  );
}

type PostingRow = ReturnType<typeof postingRows>[number];

const newRows = recordset({
  account_id: 'uuid',
  entry_id: 'uuid',
  line: 'integer',
  book: 'text',
  wallet_id: 'uuid',
  bucket: 'text',
  currency: 'text',
  amount: 'numeric',
  reason: 'text',
  resource_id: 'uuid',
  created_at: 'timestamptz',
} satisfies Record<keyof PostingRow, ColumnType>);

function postingRows(entry: Entry, lines: readonly Line[]) {
  const entryId = entry.entryId ?? newEntryId();
  return lines.map((line, number) => ({
    account_id: entry.accountId,
    entry_id: entryId,
    line: number,
    book: line.book,
    wallet_id: line.book === 'wallet' ? line.walletId : null,
    bucket: line.book === 'wallet' ? line.bucket : null,
    currency: line.currency,
    amount: formatAmount(line.amount),
    reason: entry.reason,
    resource_id: entry.resourceId,
    created_at: entry.at,
  }));
}

/** A UUID of version 7: it begins with the time, so that the rows of a block stand together in the index and few of its pages are written. */
function newEntryId(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}

function addChange<C extends Change>(changes: Map<string, C>, change: C): void {
  const key = `${change.walletId}:${change.currency}:${change.bucket}`;
  const known = changes.get(key);
  if (known) known.amount += change.amount;
  else changes.set(key, { ...change });
}

/** Rows are made and locked in the order of `balanceChanges`, then changed all at once. */
async function changeBalances(trx: Trx, changes: readonly (Change & { accountId: string })[]): Promise<void> {
  if (changes.length === 0) return;
  const json = JSON.stringify(changes.map((change) => ({ ...change, amount: formatAmount(change.amount) })));
  const wanted = sql`json_to_recordset(${json}::json) as c("accountId" uuid, "walletId" uuid, currency text, bucket text, amount numeric)`;
  const inOrder = sql`order by (c."walletId"::text || ':' || c.currency || ':' || c.bucket) collate "C"`;
  const isSame = sql`b.account_id = c."accountId" and b.wallet_id = c."walletId" and b.currency = c.currency and b.bucket = c.bucket`;
  await sql`insert into balance (account_id, wallet_id, currency, bucket)
    select "accountId", "walletId", currency, bucket from ${wanted} where amount > 0 ${inOrder} on conflict do nothing`.execute(trx);
  await sql`select 1 from balance b join ${wanted} on ${isSame} ${inOrder} for update of b`.execute(trx);
  const { numAffectedRows } = await sql`
    update balance b set amount = b.amount + c.amount from ${wanted} where ${isSame} and b.amount + c.amount >= 0`.execute(trx);
  if (numAffectedRows !== BigInt(changes.length))
    throw new LedgerError('Together the entries would take more out of a balance than is there');
}

function requireBalanced(lines: readonly Line[]): void {
  const sums = new Map<string, Amount>();
  for (const { currency, amount } of lines) sums.set(currency, (sums.get(currency) ?? 0n) + amount);
  for (const [currency, sum] of sums) {
    if (sum !== 0n) throw new LedgerError(`The lines of an entry must sum to zero, not to ${formatAmount(sum)} ${currency}`);
  }
}

interface Change {
  walletId: string;
  bucket: Bucket;
  currency: string;
  amount: Amount;
}

/** One change per balance, always in the same order, so that two entries never wait for each other. */
function balanceChanges(lines: readonly Line[]): Change[] {
  const changes = new Map<string, Change>();
  for (const line of lines) {
    if (line.book !== 'wallet') continue;
    const { walletId, bucket, currency, amount } = line;
    addChange(changes, { walletId, bucket, currency, amount });
  }
  return [...changes.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, change]) => (change.amount === 0n ? [] : [change]));
}

/** One conditional update: reading first and writing then was measured to let balances fall below zero. */
async function changeBalance(trx: Trx, accountId: string, { walletId, bucket, currency, amount }: Change): Promise<void> {
  const delta = formatAmount(amount);
  if (amount > 0n) {
    await sql`
      insert into balance (account_id, wallet_id, currency, bucket, amount)
      values (${accountId}, ${walletId}, ${currency}, ${bucket}, ${delta})
      on conflict (account_id, wallet_id, currency, bucket) do update set amount = balance.amount + excluded.amount`.execute(trx);
    return;
  }
  const { numAffectedRows } = await sql`
    update balance set amount = amount + ${delta}::numeric
    where account_id = ${accountId} and wallet_id = ${walletId} and currency = ${currency} and bucket = ${bucket}
      and amount + ${delta}::numeric >= 0`.execute(trx);
  if (numAffectedRows !== 1n) {
    throw new LedgerError(`The ${bucket} ${currency} of wallet ${walletId} is less than ${formatAmount(-amount)}`);
  }
}
