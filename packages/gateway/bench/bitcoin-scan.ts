import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bech32 } from '@scure/base';
import { addressOfScript } from '@crypto-checkout/chains/bitcoin/address';
import { bitcoinNetwork } from '@crypto-checkout/chains/bitcoin/network';
import { sql } from 'kysely';
import { pino } from 'pino';
import { PASSWORD, startLitecoind, USER } from '../../chains/test/support/litecoind.ts';
import { ensureFirstStart } from '../src/account/first-start.ts';
import { createContext } from '../src/compose.ts';
import { loadConfig } from '../src/config.ts';
import { transact } from '../src/database/database.ts';
import { findProgress } from '../src/engine/scan-progress.ts';
import { scanChain } from '../src/engine/scan.ts';
import { verifyBooks } from '../src/ledger/verify.ts';
import { startWorker } from '../src/worker/worker.ts';
import { copyRows } from './bare-rows.ts';

/**
 * Measures the scan of a Bitcoin-like chain on litecoind: a block of 4,000 transactions of which 50
 * pay addresses of ours, among a million watched ones, against the bare call for the same block and
 * the same rows written by SQL; and the time from a payment in the node's mempool to its row, at the
 * usual settings. Prints one line of JSON.
 */
const WATCHED = 1_000_000;
const TRANSACTIONS = 4_000;
const OURS = 50;
const ROUNDS = 5;
const WARM_UP = 1;
const FIRST_SIGHTS = 20;
const COIN = 100_000_000n;
const FEE = 1_000n;
/** Outputs of one transaction: more exceed the size that nodes relay. */
const FANNED = 2_000;

const node = await startLitecoind({ options: ['-maxmempool=600', '-dustrelayfee=0'] });
/** Anyone can spend it: the bench needs no signatures. */
const openProgram = createHash('sha256').update(Buffer.of(0x51)).digest();
const OPEN = Buffer.concat([Buffer.of(0, 32), openProgram]);
const { versions } = bitcoinNetwork('bitcoin', 'regtest');
const MINER = bech32.encode('rltc', [0, ...bech32.toWords(openProgram)]);
/** Pays to the hash of a random public key. */
const randomScript = (): Buffer => Buffer.concat([Buffer.of(0, 20), randomBytes(20)]);
const dataDir = mkdtempSync(join(tmpdir(), 'cc-bench-'));
const config = loadConfig({
  DATA_DIR: dataDir,
  GATEWAY_PORT: '0',
  LOG_LEVEL: 'silent',
  BTC_RPC_URL: node.url,
  BTC_RPC_USER: USER,
  BTC_RPC_PASSWORD: PASSWORD,
  BTC_NETWORK: 'regtest',
});

interface Coin {
  txid: string;
  index: number;
  amount: bigint;
}

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now();
  await work();
  return performance.now() - began;
};
const sorted = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);
const median = (values: readonly number[]): number =>
  sorted(values)[Math.floor(values.length / 2)] ?? 0;

const mine = (blocks: number): Promise<string[]> => node.call('generatetoaddress', blocks, MINER);
await mine(100 + 2 * (WARM_UP + ROUNDS) + 2);
const { context, close } = await createContext(config, pino({ level: 'silent' }));
/** Scripts of ours that are not paid yet. */
const scripts = Array.from({ length: (WARM_UP + ROUNDS) * OURS + FIRST_SIGHTS }, randomScript);
let height = 0;

try {
  const { account_id: accountId, profile_id: profileId } = await ensureFirstStart(context);
  await addAddresses(accountId, profileId);
  await scan();
  const ours: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    const hash = await payBlock();
    const own = await timed(scan);
    const other = await timed(async () => {
      await node.call('getblock', hash, 2);
      await copyRows(context, 'bitcoin', OURS);
    });
    if (round < WARM_UP) continue;
    ours.push(own);
    bare.push(other);
  }
  await requirePayments((WARM_UP + ROUNDS) * OURS);
  const sights = await firstSights();
  const ratios = ours.map((own, at) => own / bare[at]!);
  console.log(
    JSON.stringify({
      ratio: median(ratios),
      least: Math.min(...ratios),
      most: Math.max(...ratios),
      ours: median(ours),
      bare: median(bare),
      sight: median(sights),
      slowest: Math.max(...sights),
    }),
  );
} finally {
  await close();
  await node.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function scan(): Promise<void> {
  const tip = await node.call<number>('getblockcount');
  for (let pass = 0; pass < 1_000; pass += 1) {
    await scanChain(context, 'bitcoin');
    const { cursor } = await findProgress(context.db, 'bitcoin');
    if (cursor?.height === tip) return;
  }
  throw new Error('The scan did not reach the tip');
}

async function requirePayments(count: number): Promise<void> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from transaction where txid not like 'bare%'`.execute(context.db);
  if (rows[0]?.count !== count) throw new Error(JSON.stringify(rows));
  await sql`delete from transaction where txid like 'bare%'`.execute(context.db);
  const broken = (await verifyBooks(context.db)).filter(({ rule }) => !rule.includes('posting'));
  if (broken.length > 0) throw new Error(JSON.stringify(broken.slice(0, 3)));
}

/** Reusable addresses for all rounds, and a million watched ones of one invoice. */
async function addAddresses(accountId: string, profileId: string): Promise<void> {
  const addresses = scripts.map((script) => addressOfScript(versions, script.toString('hex')));
  await transact(context.db, async (trx) => {
    await sql`set local statement_timeout = 0`.execute(trx);
    await sql`
      with made as (
        insert into invoice (account_id, id, profile_id, wallet_id, kind, chain, status, created_at, requested_currency,
          required_confirmations, positive_difference, negative_difference, address, updated_at)
        select ${accountId}, gen_random_uuid(), ${profileId}, c.wallet_id, 'BTC', 'bitcoin', 'new', now(), 'USD', 1, 0.5, 0.5,
          address, now()
        from unnest(${addresses}::text[]) as address, profile_currency c
        where c.profile_id = ${profileId} and c.kind = 'BTC'
        returning account_id, id, chain, address, created_at)
      insert into deposit_target (watch_key, account_id, invoice_id, chain, key_index, created_at)
      select 'bitcoin:' || address, account_id, id, chain, row_number() over (), created_at from made`.execute(
      trx,
    );
    await sql`
      insert into deposit_target (watch_key, account_id, invoice_id, chain, created_at)
      select 'bitcoin:bcrt1q' || encode(substring(sha256(number::text::bytea) from 1 for 20), 'hex'), d.account_id, d.invoice_id, d.chain, d.created_at
      from generate_series(1, ${WATCHED}::int) as number, (select * from deposit_target limit 1) d`.execute(
      trx,
    );
  });
  await sql`analyze`.execute(context.db);
}

/** A coin of the miner that no round has spent. */
async function minedCoin(): Promise<Coin> {
  height += 1;
  const hash = await node.call<string>('getblockhash', height);
  const { tx } = await node.call<{ tx: string[] }>('getblock', hash);
  return { txid: tx[0]!, index: 0, amount: 50n * COIN };
}

/** A transaction of one input that anyone can spend (BIP 144). */
function spend({ txid, index }: Coin, outputs: { script: Buffer; amount: bigint }[]): string {
  const fixed = Buffer.alloc(4);
  fixed.writeUInt32LE(index);
  const count = Buffer.alloc(3, 0xfd);
  count.writeUInt16LE(outputs.length, 1);
  return Buffer.concat([
    Buffer.from('02000000000101', 'hex'),
    Buffer.from(txid, 'hex').toReversed(),
    fixed,
    Buffer.from('00ffffffff', 'hex'),
    outputs.length < 0xfd ? Buffer.of(outputs.length) : count,
    ...outputs.map(outputBytes),
    Buffer.from('01015100000000', 'hex'),
  ]).toString('hex');
}

function outputBytes({ script, amount }: { script: Buffer; amount: bigint }): Buffer {
  const value = Buffer.alloc(8);
  value.writeBigUInt64LE(amount);
  return Buffer.concat([value, Buffer.of(script.length), script]);
}

function send(raw: string): Promise<string> {
  return node.call('sendrawtransaction', raw);
}

/** Splits a mined coin, so that each transaction of a block has one of its own. */
async function fanOut(): Promise<Coin[]> {
  const amount = (50n * COIN - 200n * FEE) / BigInt(FANNED);
  const outputs = Array.from({ length: FANNED }, () => ({ script: OPEN, amount }));
  const txid = await send(spend(await minedCoin(), outputs));
  return outputs.map((_, index) => ({ txid, index, amount }));
}

/** Fills one block. Returns its hash. */
async function payBlock(): Promise<string> {
  const coins = [...(await fanOut()), ...(await fanOut())];
  await mine(1);
  await scan();
  const raws = coins.map((coin, at) => {
    const isOurs = at % (TRANSACTIONS / OURS) === 0;
    const script = isOurs ? scripts.pop()! : randomScript();
    return spend(coin, [{ script, amount: coin.amount - FEE }]);
  });
  for (const raw of raws) await send(raw);
  const [hash] = await mine(1);
  const { nTx } = await node.call<{ nTx: number }>('getblock', hash);
  if (nTx !== TRANSACTIONS + 1) throw new Error(`${nTx} transactions`);
  return hash!;
}

/** Milliseconds from a payment in the mempool to its row, with the worker at its usual settings. */
async function firstSights(): Promise<number[]> {
  const coins = (await fanOut()).slice(0, FIRST_SIGHTS);
  await mine(1);
  const worker = startWorker(context);
  const times: number[] = [];
  try {
    for (const coin of coins) {
      // At any moment between two looks, not right after one.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * config.scanIntervalMs));
      const txid = await send(spend(coin, [{ script: scripts.pop()!, amount: coin.amount - FEE }]));
      times.push(await timed(() => untilSeen(txid)));
    }
  } finally {
    await worker.stop();
  }
  return times;
}

async function untilSeen(txid: string): Promise<void> {
  for (let turn = 0; turn < 6_000; turn += 1) {
    const { rows } = await sql`select 1 from transaction where txid = ${txid}`.execute(context.db);
    if (rows.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error('A payment was not seen');
}
