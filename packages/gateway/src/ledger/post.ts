import { type Amount, formatAmount } from '@crypto-checkout/protocol/amount';
import { sql } from 'kysely';
import type { Trx } from '../database/database.ts';
import { recordset, type ColumnType } from '../database/recordset.ts';
import type { Bucket } from '../database/tables/wallet.ts';

/** One line of an entry: a bucket of a wallet, or the counterparty (the chain or an exchange). */
export type Line =
  | { book: 'wallet'; walletId: string; bucket: Bucket; currency: string; amount: Amount }
  | { book: 'chain' | 'exchange'; currency: string; amount: Amount };

export interface Entry {
  accountId: string;
  /** Unique id of the entry. Default: a new UUID. */
  entryId?: string;
  /** Reason code, e.g. `transaction_pending`. */
  reason: string;
  /** Id of the transaction, payout or other resource. */
  resourceId: string;
  /** Business time, as an ISO timestamp. */
  at: string;
  /** Positive amounts increase a line. The sum per currency must be zero. */
  lines: readonly Line[];
}

/** The ledger rejected an entry and wrote nothing. */
export class LedgerError extends Error {
  override name = 'LedgerError';
}

/**
 * Posts an entry. Every change of a balance goes through `post` or `postAll`.
 * @throws LedgerError when the lines don't sum to zero in each currency, or a balance would fall
 * below zero
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
 * Posts many entries in a fixed number of statements, e.g. all deposits of a block. Only the net
 * change of each balance is checked.
 * @throws LedgerError as `post` does; the caller must roll back
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

/** UUID version 7 (RFC 9562): it starts with the time, so that new rows share index pages. */
function newEntryId(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}

function addChange<C extends Change>(changes: Map<string, C>, change: C): void {
  const key = `${change.walletId}:${change.currency}:${change.bucket}`;
  const existing = changes.get(key);
  if (existing) existing.amount += change.amount;
  else changes.set(key, { ...change });
}

/**
 * Creates and locks the rows in the order of `balanceChanges`, then updates them in one statement.
 */
async function changeBalances(
  trx: Trx,
  changes: readonly (Change & { accountId: string })[],
): Promise<void> {
  if (changes.length === 0) return;
  const json = JSON.stringify(
    changes.map((change) => ({ ...change, amount: formatAmount(change.amount) })),
  );
  const delta = sql`json_to_recordset(${json}::json) as c("accountId" uuid, "walletId" uuid, currency text, bucket text, amount numeric)`;
  const lockOrder = sql`order by (c."walletId"::text || ':' || c.currency || ':' || c.bucket) collate "C"`;
  const isSame = sql`b.account_id = c."accountId" and b.wallet_id = c."walletId" and b.currency = c.currency and b.bucket = c.bucket`;
  await sql`insert into balance (account_id, wallet_id, currency, bucket)
    select "accountId", "walletId", currency, bucket from ${delta} where amount > 0 ${lockOrder} on conflict do nothing`.execute(
    trx,
  );
  await sql`select 1 from balance b join ${delta} on ${isSame} ${lockOrder} for update of b`.execute(
    trx,
  );
  const { numAffectedRows } = await sql`
    update balance b set amount = b.amount + c.amount from ${delta} where ${isSame} and b.amount + c.amount >= 0`.execute(
    trx,
  );
  if (numAffectedRows !== BigInt(changes.length))
    throw new LedgerError('Insufficient balance: together the entries exceed a balance');
}

function requireBalanced(lines: readonly Line[]): void {
  const sums = new Map<string, Amount>();
  for (const { currency, amount } of lines) sums.set(currency, (sums.get(currency) ?? 0n) + amount);
  for (const [currency, sum] of sums) {
    if (sum !== 0n)
      throw new LedgerError(
        `The lines of an entry must sum to zero, got ${formatAmount(sum)} ${currency}`,
      );
  }
}

interface Change {
  walletId: string;
  bucket: Bucket;
  currency: string;
  amount: Amount;
}

/** One change per balance, in a fixed order to avoid deadlocks. */
function balanceChanges(lines: readonly Line[]): Change[] {
  const changes = new Map<string, Change>();
  for (const line of lines) {
    if (line.book !== 'wallet') continue;
    const { walletId, bucket, currency, amount } = line;
    addChange(changes, { walletId, bucket, currency, amount });
  }
  return [...changes.entries()]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, change]) => (change.amount === 0n ? [] : [change]));
}

/**
 * A single conditional update: a read followed by a write could let concurrent entries overdraw a
 * balance.
 */
async function changeBalance(
  trx: Trx,
  accountId: string,
  { walletId, bucket, currency, amount }: Change,
): Promise<void> {
  const delta = formatAmount(amount);
  if (amount > 0n) {
    await sql`
      insert into balance (account_id, wallet_id, currency, bucket, amount)
      values (${accountId}, ${walletId}, ${currency}, ${bucket}, ${delta})
      on conflict (account_id, wallet_id, currency, bucket) do update set amount = balance.amount + excluded.amount`.execute(
      trx,
    );
    return;
  }
  const { numAffectedRows } = await sql`
    update balance set amount = amount + ${delta}::numeric
    where account_id = ${accountId} and wallet_id = ${walletId} and currency = ${currency} and bucket = ${bucket}
      and amount + ${delta}::numeric >= 0`.execute(trx);
  if (numAffectedRows !== 1n) {
    throw new LedgerError(
      `The ${bucket} ${currency} of wallet ${walletId} is less than ${formatAmount(-amount)}`,
    );
  }
}
