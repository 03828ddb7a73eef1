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
import { findProgress } from '../src/engine/scan-progress.ts';
import { scanChain } from '../src/engine/scan.ts';
import { startWorker } from '../src/worker/worker.ts';
import { copyRows } from './bare-rows.ts';
import { median, timed } from './measure.ts';
import { addAddresses, requirePayments } from './watched-addresses.ts';

/**
 * Measures the scan of a Bitcoin-like chain on litecoind: a block of 4,000 transactions of which 50
 * pay addresses of ours, among a million watched ones, against the bare call for the same block and
 * the same rows written by SQL; and the time from a payment in the node's mempool to its row, at
 * the usual settings. Prints one line of JSON.
 */
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

const mine = (blocks: number): Promise<string[]> => node.call('generatetoaddress', blocks, MINER);
await mine(100 + 2 * (WARM_UP + ROUNDS) + 2);
const { context, close } = await createContext(config, pino({ level: 'silent' }));
/** Scripts of ours that are not paid yet. */
const scripts = Array.from({ length: (WARM_UP + ROUNDS) * OURS + FIRST_SIGHTS }, randomScript);
let height = 0;

try {
  const { account_id: accountId, profile_id: profileId } = await ensureFirstStart(context);
  await addAddresses(context, {
    accountId,
    profileId,
    kind: 'BTC',
    chain: 'bitcoin',
    addresses: scripts.map((script) => addressOfScript(versions, script.toString('hex'))!),
    keyPrefix: 'bitcoin:',
    restPrefix: 'bitcoin:bcrt1q',
  });
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
  await requirePayments(context, (WARM_UP + ROUNDS) * OURS);
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
