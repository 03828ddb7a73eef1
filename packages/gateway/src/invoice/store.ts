import type { InvoiceEvent } from '@crypto-checkout/protocol/event';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import type { InvoiceStatus } from '@crypto-checkout/protocol/status';
import { sql, type Selectable } from 'kysely';
import type { Db, Trx } from '../database/database.ts';
import { countRows } from '../database/list-count.ts';
import { recordset, type ColumnType } from '../database/recordset.ts';
import { statement } from '../database/statement.ts';
import type { InvoiceTable, QuoteTable } from '../database/tables/invoice.ts';
import { cancelLater } from './request-store.ts';
import { txidForms } from '../search/txid.ts';
import { hasAddress } from '../search/address.ts';

/** A row of `invoice`, with amounts and times as the database returns them. */
export interface InvoiceRow extends Omit<
  Selectable<InvoiceTable>,
  'events' | 'renewals' | 'extended' | 'version' | 'zero_conf_enabled' | 'request_closed'
> {
  events: InvoiceEvent[];
  renewals: number;
  extended: boolean;
  version: number;
  zero_conf_enabled: boolean;
  request_closed: boolean;
  /** Lifetime of a quote in seconds; null without an expiry. */
  expiration_seconds: number | null;
  is_testnet: boolean;
  /** The payments seen in time reach the amount. */
  matched: boolean;
}

/** A transaction inside an invoice. */
export interface InvoiceTransaction {
  id: string;
  kind: string;
  txid: string;
  confirmations: number;
  amount: string;
  created_at: string;
}

export interface InvoiceView extends InvoiceRow {
  transactions: InvoiceTransaction[];
}

export type QuoteRow = Omit<Selectable<QuoteTable>, 'currency_rates'> & {
  currency_rates: CurrencyRates;
};

/** Rates by crypto symbol and fiat symbol. */
export type CurrencyRates = Record<string, Record<string, string>>;

/** Settings of a profile for invoices of one kind. */
export interface InvoiceProfile {
  id: string;
  invoice_expiration: number;
  addresses_expiration: number;
  /** No new invoices; existing ones continue. */
  is_deleted: boolean;
  stablecoin_precision: number;
  positive_difference: string;
  negative_difference: string;
  /** Null when the kind is not enabled. */
  wallet_id: string | null;
  custom_fee: { amount: string; currency: string } | null;
  /** Null: the default of the chain and the amount. */
  min_confirmations: number | null;
  /** Setting of the wallet. */
  address_format: 'bech32' | 'p2sh' | null;
  is_testnet: boolean;
  /** The account's current key for address proofs; null before it has one. */
  proof_kid: string | null;
  proof_key_sealed: string | null;
}

const selectInvoiceProfile = statement<
  { accountId: string; profileId: string; kind: string },
  InvoiceProfile
>`
  select p.id, p.invoice_expiration, p.addresses_expiration, p.deleted_at is not null as is_deleted, p.stablecoin_precision,
    p.positive_difference, p.negative_difference, c.wallet_id, c.custom_fee, c.min_confirmations, w.address_format, a.is_testnet,
    k.kid as proof_kid, k.private_key_sealed as proof_key_sealed
  from profile p
  join account a on a.id = p.account_id
  left join profile_currency c on c.account_id = p.account_id and c.profile_id = p.id and c.kind = ${'kind'}
  left join wallet w on w.account_id = c.account_id and w.id = c.wallet_id
  left join proof_key k on k.account_id = p.account_id and k.state = 'current'
  where p.account_id = ${'accountId'} and p.id = ${'profileId'}`;

export async function findInvoiceProfile(
  db: Db,
  accountId: string,
  profileId: string,
  kind: string,
): Promise<InvoiceProfile | null> {
  const { rows } = await selectInvoiceProfile(db, { accountId, profileId, kind });
  return rows[0] ?? null;
}

const nextIndex = statement<{ keyGroup: string }, { index: number }>`
  with relaxed as (select set_config('synchronous_commit', 'off', true) as setting)
  insert into derivation as d (key_group, next_index) select ${'keyGroup'}, 1 from relaxed
  on conflict (key_group) do update set next_index = d.next_index + 1
  returning d.next_index - 1 as index`;

/**
 * Takes the next key index of a key group; an index is never returned twice. Commits with
 * synchronous_commit=off: the invoice's own commit, which follows before the address is shown,
 * makes it durable.
 */
export async function takeIndex(db: Db | Trx, keyGroup: string): Promise<number> {
  const { rows } = await nextIndex(db, { keyGroup });
  return rows[0]!.index;
}

const ROW = sql`i.*, a.is_testnet`;

const TRANSACTIONS = sql`coalesce((
  select json_agg(json_build_object('id', t.id, 'kind', t.kind, 'txid', t.txid, 'confirmations', t.confirmations,
    'amount', t.amount::text, 'created_at', to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"'))
    order by t.created_at, t.number)
  from (
    select * from transaction t
    where t.invoice_id = any (array(select c.id from invoice c where c.lnurl_invoice_id = i.id) || i.id)
    order by t.created_at desc, t.number desc limit 250) t), '[]') as transactions`;

/** Invoices of any account, without transactions. */
export async function invoiceRows(db: Db | Trx, ids: readonly string[]): Promise<InvoiceRow[]> {
  const { rows } = await sql<InvoiceRow>`
    select ${ROW} from invoice i join account a on a.id = i.account_id where i.id = any(${[...ids]}::uuid[])`.execute(
    db,
  );
  return rows;
}

/** Invoices as a GET returns them: with their transactions, at most the newest 250. */
export async function findInvoices(
  db: Db | Trx,
  ids: readonly string[],
  accountId?: string,
): Promise<InvoiceView[]> {
  const { rows } = await sql<InvoiceView>`
    select ${ROW}, ${TRANSACTIONS} from invoice i join account a on a.id = i.account_id
    where i.id = any(${[...ids]}::uuid[])`.execute(db);
  return accountId === undefined ? rows : rows.filter((row) => row.account_id === accountId);
}

export interface InvoiceFilter {
  txid?: string | undefined;
  address?: string | undefined;
  status?: InvoiceStatus | undefined;
  profile_id?: string | undefined;
  order_id?: string | undefined;
}

/** One page, newest first, and the total count. */
export async function listInvoices(
  db: Db,
  accountId: string,
  { txid, address, status, profile_id, order_id }: InvoiceFilter,
  { limit, offset, now }: { limit: number; offset: number; now: number },
): Promise<{ rows: InvoiceRow[]; count: number }> {
  const conditions = [
    sql`i.account_id = ${accountId}`,
    ...(status === undefined ? [] : [sql`i.status = ${status}`]),
    ...(profile_id === undefined ? [] : [sql`i.profile_id = ${profile_id}`]),
    ...(order_id === undefined ? [] : [sql`i.order_id = ${order_id}`]),
    ...(address === undefined ? [] : [hasAddress(address)]),
    ...(txid === undefined
      ? []
      : [
          sql`i.id in (select t.invoice_id from transaction t where t.account_id = ${accountId} and t.txid = any(${txidForms(txid)}::text[]))`,
        ]),
  ];
  const where = sql.join(conditions, sql` and `);
  const [page, total] = await Promise.all([
    // The rows of earlier pages are read in the index alone.
    sql<InvoiceRow>`
      select ${ROW} from (
        select i.id from invoice i where ${where}
        order by i.created_at desc, i.id desc limit ${limit} offset ${offset}) page
      join invoice i using (id) join account a on a.id = i.account_id
      order by i.created_at desc, i.id desc`.execute(db),
    // Without filters the stored count is used: counting a million rows takes 0.1 s.
    conditions.length === 1
      ? countRows(db, 'invoice', accountId, now)
      : sql<{ count: number }>`select count(*) as count from invoice i where ${where}`
          .execute(db)
          .then(({ rows }) => rows[0]?.count ?? 0),
  ]);
  return { rows: page.rows, count: total };
}

/**
 * The profile's zero-confirmation limit for the invoice's kind, else for BTC, which shares its
 * balance.
 */
export const ZERO_CONF_CEILING = sql`(
  select c.zero_conf_max_amount from profile_currency c
  where c.account_id = i.account_id and c.profile_id = i.profile_id and c.kind in (i.kind, 'BTC') and c.zero_conf_max_amount is not null
  order by c.kind = i.kind desc limit 1)`;

/**
 * Locks invoices and their LNURL parents, ordered by id to avoid deadlocks. The ids are collected
 * first: an `or` of the two conditions would read every invoice.
 */
export async function lockInvoices(trx: Trx, ids: readonly string[]): Promise<LockedInvoice[]> {
  const list = [...ids];
  const { rows } = await sql<LockedInvoice>`
    select ${ROW}, case when i.zero_conf_enabled then ${ZERO_CONF_CEILING} end as zero_conf_max_amount from invoice i
    join account a on a.id = i.account_id
    where i.id = any(array(
      select unnest(${list}::uuid[])
      union select lnurl_invoice_id from invoice where id = any(${list}::uuid[]) and lnurl_invoice_id is not null))
    order by i.id for update of i`.execute(trx);
  return rows;
}

export interface LockedInvoice extends InvoiceRow {
  zero_conf_max_amount: string | null;
}

/** All quotes of the invoices, oldest first. */
export async function quotesOf(db: Db | Trx, invoiceIds: readonly string[]): Promise<QuoteRow[]> {
  const { rows } = await sql<QuoteRow>`
    select * from quote where invoice_id = any(${[...invoiceIds]}::uuid[]) order by invoice_id, number`.execute(
    db,
  );
  return rows;
}

export type InvoiceChange = Pick<
  InvoiceRow,
  | 'account_id'
  | 'id'
  | 'status'
  | 'matched'
  | 'paid_total'
  | 'events'
  | 'request_closed'
  | 'version'
  | 'updated_at'
> & {
  /** Payment hash of a request that this change closes. */
  closes: string | null;
};

const changedRows = recordset({
  id: 'uuid',
  status: 'text',
  matched: 'boolean',
  paid_total: 'numeric',
  events: 'text[]',
  request_closed: 'boolean',
  version: 'bigint',
  updated_at: 'timestamptz',
} satisfies Partial<Record<keyof InvoiceChange, ColumnType>>);

/** Saves the new states of any number of invoices in one statement. */
export async function saveInvoices(trx: Trx, changes: readonly InvoiceChange[]): Promise<void> {
  if (changes.length === 0) return;
  await sql`update invoice i set status = r.status, matched = r.matched, paid_total = r.paid_total, events = r.events, version = r.version,
      request_closed = r.request_closed, updated_at = r.updated_at
    from ${changedRows(changes)} as r where i.id = r.id`.execute(trx);
  for (const { closes, updated_at } of changes)
    if (closes !== null) await cancelLater(trx, closes, updated_at);
}

/** Those of the watch keys that belong to our deposit targets. */
export async function ownedKeys(db: Db, watchKeys: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ watch_key: string }>`
    select watch_key from deposit_target where watch_key = any(${[...watchKeys]}::text[])`.execute(
    db,
  );
  return rows.map((row) => row.watch_key);
}

/** Invoice ids by watch key. */
export async function targetsOf(
  trx: Trx,
  watchKeys: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (watchKeys.length === 0) return new Map();
  const { rows } = await sql<{ watch_key: string; invoice_id: string }>`
    select watch_key, invoice_id from deposit_target where watch_key = any(${[...watchKeys]}::text[])`.execute(
    trx,
  );
  return new Map(rows.map((row) => [row.watch_key, row.invoice_id]));
}

/** The account's first wallet of a chain. */
export async function walletOfChain(
  trx: Trx,
  accountId: string,
  chain: ChainId,
): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select id from wallet where account_id = ${accountId} and chain = ${chain} order by created_at, id limit 1`.execute(
    trx,
  );
  return rows[0]?.id ?? null;
}

/**
 * Invoices due to expire: past their expiry, and their chain was scanned after it, so that no
 * payment in time is missed. One hour after the expiry also without such a scan.
 */
export async function dueInvoices(trx: Trx, now: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select i.id from invoice i left join chain_cursor c on c.chain = i.chain
    where i.status in ('new', 'pending') and not i.matched and i.expires_at <= ${now}
      and (c.looked_at >= i.expires_at or i.expires_at <= ${now}::timestamptz - interval '1 hour')
    order by i.expires_at limit ${limit}`.execute(trx);
  return rows.map((row) => row.id);
}
