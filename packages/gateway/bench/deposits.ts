import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { pino } from 'pino';
import { ensureFirstStart } from '../src/account/first-start.ts';
import type { Observation, ScanEvent } from '@crypto-checkout/chains/adapter';
import { applyScan } from '../src/engine/apply.ts';
import { createContext } from '../src/compose.ts';
import { loadConfig } from '../src/config.ts';
import type { Context } from '../src/context.ts';
import { transact } from '../src/database/database.ts';
import { verifyBooks } from '../src/ledger/verify.ts';
import { median, quantile } from './measure.ts';

/**
 * Measures deposits per second: scans full of payments, each to its own address, applied like the
 * scanner does: rows, states, ledger and callbacks, one durable database transaction per scan. All
 * payments go to one account and wallet, the worst case for contention. Prints one line of JSON.
 * `wall` is the rate of the budget, by wall-clock time: this process and the database run in
 * parallel. It is meaningful on an idle machine with two cores. The fastest quarter of the rounds
 * counts, because other load only slows a round down. `cpu` is the rate by CPU time without
 * parallelism and disk waits; it hardly depends on other load, so use it to compare versions.
 * `floor` is the rate of the database alone: SQL writes the same rows again with the same indexes
 * and constraints, by CPU time. No implementation that writes these rows can be faster.
 */
const ROUNDS = 16;
const DEPOSITS = 1_000;
/** Rounds before the measurement: a service runs with warm caches and compiled code. */
const WARM_UP = 4;
const AMOUNT = 200_000n * 10n ** 10n;

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
  await addAddresses(context, accountId, profileId, (WARM_UP + ROUNDS) * DEPOSITS);
  const rates = {
    wall: [] as number[],
    cpu: [] as number[],
    node: [] as number[],
    database: [] as number[],
    life: [] as number[],
  };
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    const txids = Array.from({ length: DEPOSITS }, () => randomBytes(32).toString('hex'));
    const inMempool = await measure(() => applyPayments(context, round, txids, null));
    const inBlock = await measure(() =>
      applyPayments(context, round, txids, {
        height: round + 1,
        hash: randomBytes(32).toString('hex'),
      }),
    );
    if (round < WARM_UP) continue;
    rates.wall.push(DEPOSITS / inMempool.wall);
    rates.cpu.push(DEPOSITS / inMempool.cpu);
    rates.node.push((inMempool.node * 1e6) / DEPOSITS);
    rates.database.push(((inMempool.cpu - inMempool.node) * 1e6) / DEPOSITS);
    rates.life.push(DEPOSITS / (inMempool.cpu + inBlock.cpu));
  }
  const broken = await verifyBooks(context.db);
  const { rows } = await sql<{
    count: number;
  }>`select count(*) as count from transaction where credit = 'available'`.execute(context.db);
  if (broken.length > 0 || rows[0]?.count !== (WARM_UP + ROUNDS) * DEPOSITS)
    throw new Error(JSON.stringify({ rows, broken }));
  const floor: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1)
    floor.push(DEPOSITS / (await measure(() => copyRows(context))).cpu);
  console.log(
    JSON.stringify({
      wall: quantile(rates.wall, 0.75),
      middle: median(rates.wall),
      least: Math.min(...rates.wall),
      most: Math.max(...rates.wall),
      cpu: median(rates.cpu),
      nodeMicros: median(rates.node),
      databaseMicros: median(rates.database),
      life: median(rates.life),
      floor: median(floor),
    }),
  );
} finally {
  await close();
  rmSync(dataDir, { recursive: true, force: true });
}

function addressOf(number: number): string {
  return `bench${number}`;
}

/** Creates reusable addresses for all rounds at once. */
async function addAddresses(
  { db }: Context,
  accountId: string,
  profileId: string,
  count: number,
): Promise<void> {
  await transact(db, async (trx) => {
    await sql`set local statement_timeout = 0`.execute(trx);
    await sql`
      with made as (
        insert into invoice (account_id, id, profile_id, wallet_id, kind, chain, status, created_at, requested_currency,
          required_confirmations, positive_difference, negative_difference, address, updated_at)
        select ${accountId}, gen_random_uuid(), ${profileId}, c.wallet_id, 'BTC', 'bitcoin', 'new', now(), 'USD', 1, 0.5, 0.5,
          'bench' || number, now()
        from generate_series(0, ${count - 1}::int) as number, profile_currency c where c.profile_id = ${profileId} and c.kind = 'BTC'
        returning account_id, id, chain, address, created_at)
      insert into deposit_target (watch_key, account_id, invoice_id, chain, created_at)
      select 'bitcoin:' || address, account_id, id, chain, created_at from made`.execute(trx);
  });
  await sql`analyze`.execute(db);
}

/** Applies one scan as the scanner does: the payments are in the mempool or in a block. */
async function applyPayments(
  context: Context,
  round: number,
  txids: readonly string[],
  place: { height: number; hash: string } | null,
): Promise<void> {
  const now = context.clock.now();
  const block = place === null ? null : { ...place, time: now };
  const events: ScanEvent[] = txids.map((txid, at) => {
    const watchKey = `bitcoin:${addressOf(round * DEPOSITS + at)}`;
    const observation: Observation = {
      key: `${txid}:0`,
      txid,
      asset: 'BTC',
      watchKey,
      amount: AMOUNT,
      block,
      conflicts: [`${txid}:1`],
    };
    return { type: 'observed', observation };
  });
  const { height, hash } = place ?? { height: round, hash: 'before' };
  const result = {
    events,
    cursor: { height, hash, ring: [{ height, hash }], extra: { source: 'sandbox' } },
    tip: height,
    caughtUp: true,
  };
  const rates = await context.rates.current();
  await transact(context.db, (trx) =>
    applyScan(trx, context, {
      chain: 'bitcoin',
      result,
      rates,
      scannedAt: now,
      previousScanAt: null,
    }),
  );
}

/** Copies the rows of one scan under new ids, without any lookup, result or read. */
async function copyRows({ db }: Context): Promise<void> {
  const fresh = (id: string) => sql.raw(`md5(${id}::text || clock_timestamp())::uuid`);
  await transact(db, async (trx) => {
    await sql`create temp table paid on commit drop as
      select t.*, ${fresh('id')} as fresh_id, ${fresh('txid')} as fresh_entry, encode(sha256((id::text || clock_timestamp())::bytea), 'hex') as fresh_txid
      from transaction t order by number desc limit ${DEPOSITS}`.execute(trx);
    await sql`insert into transaction (account_id, id, chain, observation_key, txid, kind, asset, invoice_id, profile_id, wallet_id, counted,
        amount, status, confirmations, required_confirmations, final_confirmations, conflicts, credit, risk_data, quotes, currency_rates,
        created_at, events, version, updated_at)
      select account_id, fresh_id, chain, fresh_txid || ':0', fresh_txid, kind, asset, invoice_id, profile_id, wallet_id, counted,
        amount, 'pending', 0, required_confirmations, final_confirmations, conflicts, 'pending', risk_data, quotes, currency_rates,
        created_at, events, 1, updated_at from paid`.execute(trx);
    await sql`insert into posting (account_id, entry_id, line, book, wallet_id, bucket, currency, amount, reason, resource_id, created_at)
      select p.account_id, paid.fresh_entry, p.line, p.book, p.wallet_id, p.bucket, p.currency, p.amount, p.reason, paid.fresh_id, p.created_at
      from paid join posting p on p.account_id = paid.account_id and p.resource_id = paid.id and p.reason = 'transaction_pending'`.execute(
      trx,
    );
    await sql`update invoice i set paid_total = i.paid_total + paid.amount, version = i.version + 1, updated_at = paid.updated_at
      from paid where i.id = paid.invoice_id`.execute(trx);
    await sql`insert into callback (account_id, id, resource, resource_id, event, profile_id, url, body, next_at_real, created_at_real)
      select c.account_id, paid.fresh_entry, c.resource, paid.fresh_id, c.event, c.profile_id, c.url, c.body, c.next_at_real, c.created_at_real
      from paid join callback c on c.resource_id = paid.id and c.event = 'transaction_pending'`.execute(
      trx,
    );
  });
}

/** Duration in seconds: wall-clock time, CPU time in total and of this process. */
async function measure(
  work: () => Promise<void>,
): Promise<{ wall: number; cpu: number; node: number }> {
  const before = process.cpuUsage();
  const databaseBefore = databaseCpu();
  const began = performance.now();
  await work();
  const wall = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(before);
  const node = (user + system) / 1e6;
  return { wall, node, cpu: node + (databaseCpu() - databaseBefore) / 1e9 };
}

/** CPU time of the embedded server and its child processes in nanoseconds (Linux). */
function databaseCpu(): number {
  const server =
    readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n', 1)[0] ?? '';
  const children = readFileSync(`/proc/${server}/task/${server}/children`, 'utf8')
    .trim()
    .split(' ');
  return [server, ...children].reduce((sum, pid) => {
    try {
      return sum + Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ', 1)[0]);
    } catch {
      // The process exited meanwhile.
      return sum;
    }
  }, 0);
}
