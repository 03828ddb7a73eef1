import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { pino } from 'pino';
import { ensureFirstStart } from '../src/account/first-start.ts';
import { createContext } from '../src/compose.ts';
import { loadConfig } from '../src/config.ts';
import type { Context } from '../src/context.ts';
import { saveCount } from '../src/database/list-count.ts';
import { listInvoicePage } from '../src/invoice/list.ts';
import { listTransactionPage } from '../src/transaction/list.ts';
import { median } from './measure.ts';

/**
 * Measures the time of page 1 of a list, with a million invoices and a million transactions of one
 * account. Prints one line of JSON: the best and the median time in milliseconds, and the first
 * time without a stored count.
 */
const ROWS = Number(process.env['ROWS'] ?? 1_000_000);
const ROUNDS = 60;

const dataDir = mkdtempSync(join(tmpdir(), 'cc-bench-'));
const config = loadConfig({
  DATA_DIR: dataDir,
  GATEWAY_PORT: '0',
  SANDBOX_BLOCK_SECONDS: '0',
  LOG_LEVEL: 'silent',
});
const { context, close } = await createContext(config, pino({ level: 'silent' }));
try {
  const { account_id: accountId, profile_id: profileId } = await ensureFirstStart(context);
  await fill(context, accountId, profileId);
  const invoices = () => listInvoicePage(context, accountId, {});
  const transactions = () => listTransactionPage(context, accountId, {});
  const first = await time(invoices);
  const now = context.clock.now();
  await Promise.all([
    saveCount(context.db, 'invoice', accountId, now),
    saveCount(context.db, 'transaction', accountId, now),
  ]);
  const lists = { invoices: await sorted(invoices), transactions: await sorted(transactions) };
  const { pagination } = await invoices();
  if (pagination.count !== ROWS)
    throw new Error(`Expected ${ROWS} invoices, counted ${pagination.count}`);
  console.log(
    JSON.stringify({
      rows: ROWS,
      first,
      invoices: { best: lists.invoices[0], middle: median(lists.invoices) },
      transactions: { best: lists.transactions[0], middle: median(lists.transactions) },
    }),
  );
} finally {
  await close();
  rmSync(dataDir, { recursive: true, force: true });
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

async function sorted(work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) times.push(await time(work));
  return times.toSorted((a, b) => a - b);
}

/** Rows one second apart, the newest one hour old. */
async function fill({ db }: Context, accountId: string, profileId: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`set local statement_timeout = 0`.execute(trx);
    await sql`
      insert into invoice (account_id, id, profile_id, wallet_id, kind, chain, status, created_at, requested_currency, requested_text, invoiced,
        required_confirmations, positive_difference, negative_difference, address, updated_at)
      select ${accountId}, gen_random_uuid(), ${profileId}, c.wallet_id, 'BTC', 'bitcoin', 'complete',
        now() - interval '1 hour' - number * interval '1 second', 'USD', '10', 0.0002, 1, 0.5, 0.5, 'bench' || number, now()
      from generate_series(1, ${ROWS}::int) as number, profile_currency c where c.profile_id = ${profileId} and c.kind = 'BTC'`.execute(
      trx,
    );
    await sql`
      insert into transaction (account_id, id, chain, observation_key, txid, kind, asset, invoice_id, profile_id, wallet_id, counted, amount,
        status, required_confirmations, final_confirmations, block_height, block_hash, credit, quotes, currency_rates, created_at, updated_at)
      select account_id, gen_random_uuid(), chain, address || ':0', address, kind, 'BTC', id, profile_id, wallet_id, true, 0.0002,
        'complete', 1, 6, 1, 'hash', 'available', '{}', '{}', created_at, created_at from invoice`.execute(
      trx,
    );
  });
  // Autovacuum does this in production.
  await sql`vacuum analyze invoice`.execute(db);
  await sql`vacuum analyze transaction`.execute(db);
}
