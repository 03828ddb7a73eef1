import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { pino } from 'pino';
import { encodeFunctionData, toHex, type Address, type Hex } from 'viem';
import { compileContracts, deploy, startAnvil } from '../../chains/test/support/anvil.ts';
import { openDoor } from '../../chains/test/support/door.ts';
import { ensureFirstStart } from '../src/account/first-start.ts';
import { createContext } from '../src/compose.ts';
import { loadConfig } from '../src/config.ts';
import type { Context } from '../src/context.ts';
import { transact } from '../src/database/database.ts';
import { findProgress } from '../src/engine/scan-progress.ts';
import { scanChain } from '../src/engine/scan.ts';
import { verifyBooks } from '../src/ledger/verify.ts';
import { copyRows } from './bare-rows.ts';

/**
 * Measures the scan of an EVM chain on anvil: a block of 200 token transfers of which 20 pay
 * addresses of ours, among a million watched ones, against the two bare calls for the same block and
 * the same rows written by SQL; the speed over empty blocks; and the calls to the node. Prints one
 * line of JSON. The node does not trace, as most providers do not.
 */
const WATCHED = 1_000_000;
const TRANSFERS = 200;
const OURS = 20;
const ROUNDS = 24;
const WARM_UP = 8;
const EMPTY_BLOCKS = 10_000;
const OPEN = [0, 1_000] as const;
const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

const anvil = await startAnvil('--gas-limit', '60000000');
const { Token } = compileContracts();
const token = await deploy(anvil, Token!);
const door = await openDoor(anvil.url);
door.change((call, answer) =>
  call.method.startsWith('debug_')
    ? { error: { code: -32_601, message: 'method not found' } }
    : answer,
);
const dataDir = mkdtempSync(join(tmpdir(), 'cc-bench-'));
const config = loadConfig({
  DATA_DIR: dataDir,
  GATEWAY_PORT: '0',
  LOG_LEVEL: 'silent',
  ETH_RPC_URL: door.url,
  ETH_TOKENS: JSON.stringify({ ETH_USDT: token }),
});
const { context, close } = await createContext(config, pino({ level: 'silent' }));
const METHODS = [
  'eth_getBlockByNumber',
  'eth_getLogs',
  'eth_getTransactionReceipt',
  'eth_getBlockReceipts',
  'eth_getTransactionByHash',
  'eth_getBalance',
  'eth_call',
  'eth_chainId',
  'debug_traceBlockByHash',
];
const calls = (): number => METHODS.reduce((sum, method) => sum + door.calls(method), 0);
const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now();
  await work();
  return performance.now() - began;
};
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

try {
  const { account_id: accountId, profile_id: profileId } = await ensureFirstStart(context);
  await addAddresses(context, accountId, profileId);
  await scan();
  const ratios: number[] = [];
  const ours: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    await payBlock(round);
    const mine = await timed(scan);
    const theirs = await timed(() => bareScan());
    if (round < WARM_UP) continue;
    ours.push(mine);
    bare.push(theirs);
    ratios.push(mine / theirs);
  }
  const { rows } = await sql<{
    count: number;
  }>`select count(*) as count from transaction where txid not like 'bare%'`.execute(context.db);
  if (rows[0]?.count !== (WARM_UP + ROUNDS) * OURS) throw new Error(JSON.stringify(rows));
  await sql`delete from transaction where txid like 'bare%'`.execute(context.db);
  const broken = (await verifyBooks(context.db)).filter(({ rule }) => !rule.includes('posting'));
  if (broken.length > 0) throw new Error(JSON.stringify(broken.slice(0, 3)));

  const perBlock: number[] = [];
  for (const open of OPEN) {
    await openInvoices(open);
    const before = calls();
    await anvil.wallet.mine({ blocks: 1 });
    await scan();
    perBlock.push(calls() - before);
  }
  const idleBefore = calls();
  for (let look = 0; look < 10; look += 1) await scan();
  const perIdleLook = (calls() - idleBefore) / 10;

  for (let mined = 0; mined < EMPTY_BLOCKS; mined += 500) await mineEmpty(500);
  const behind = await timed(scan);
  const { cursor } = await findProgress(context.db, 'ethereum');
  if (cursor?.height !== Number(await anvil.wallet.getBlockNumber({ cacheTime: 0 })))
    throw new Error('The scan did not reach the tip');
  console.log(
    JSON.stringify({
      ratio: median(ratios),
      least: Math.min(...ratios),
      most: Math.max(...ratios),
      ours: median(ours),
      bare: median(bare),
      blocksPerSecond: EMPTY_BLOCKS / (behind / 1000),
      callsPerBlock: perBlock[0],
      callsPerBlockWithOpen: perBlock[1],
      callsPerIdleMinute: (perIdleLook * 60_000) / config.scanIntervalMs,
    }),
  );
} finally {
  await close();
  await door.stop();
  await anvil.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

/** Without the timeout of the client, which a busy machine exceeds. */
async function mineEmpty(blocks: number): Promise<void> {
  const call = { jsonrpc: '2.0', id: 1, method: 'anvil_mine', params: [toHex(blocks)] };
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(anvil.url, { method: 'POST', headers, body: JSON.stringify(call) });
  if (!answer.ok) throw new Error(`anvil answers ${answer.status}`);
  await answer.text();
}

async function scan(): Promise<void> {
  for (let pass = 0; pass < 1_000; pass += 1) {
    await scanChain(context, 'ethereum');
    const { cursor } = await findProgress(context.db, 'ethereum');
    if (cursor?.height === Number(await anvil.wallet.getBlockNumber({ cacheTime: 0 }))) return;
  }
}

function addressOf(number: number): Address {
  return `0x${(0xabc0_0000_0000 + number).toString(16).padStart(40, '0')}`;
}

/** Reusable addresses for all rounds, and a million watched ones of one invoice. */
async function addAddresses({ db }: Context, accountId: string, profileId: string): Promise<void> {
  const count = (WARM_UP + ROUNDS) * OURS;
  await transact(db, async (trx) => {
    await sql`set local statement_timeout = 0`.execute(trx);
    await sql`
      with made as (
        insert into invoice (account_id, id, profile_id, wallet_id, kind, chain, status, created_at, requested_currency,
          required_confirmations, positive_difference, negative_difference, address, updated_at)
        select ${accountId}, gen_random_uuid(), ${profileId}, c.wallet_id, 'ETH_USDT', 'ethereum', 'new', now(), 'USD', 1, 0.5, 0.5,
          '0x' || lpad(to_hex(${0xabc0_0000_0000}::bigint + number), 40, '0'), now()
        from generate_series(0, ${count - 1}::int) as number, profile_currency c
        where c.profile_id = ${profileId} and c.kind = 'ETH_USDT'
        returning account_id, id, chain, address, created_at)
      insert into deposit_target (watch_key, account_id, invoice_id, chain, created_at)
      select 'evm:' || address, account_id, id, chain, created_at from made`.execute(trx);
    await sql`
      insert into deposit_target (watch_key, account_id, invoice_id, chain, created_at)
      select 'evm:0x' || encode(substring(sha256(number::text::bytea) from 1 for 20), 'hex'), d.account_id, d.invoice_id, d.chain, d.created_at
      from generate_series(1, ${WATCHED}::int) as number, (select * from deposit_target limit 1) d`.execute(
      trx,
    );
  });
  await sql`analyze`.execute(db);
}

async function payBlock(round: number): Promise<void> {
  const { abi } = Token!;
  const from = (await anvil.wallet.getAddresses())[0]!;
  const nonce = await anvil.wallet.getTransactionCount({ address: from });
  await Promise.all(
    Array.from({ length: TRANSFERS }, (_, at) => {
      const to =
        at % (TRANSFERS / OURS) === 0
          ? addressOf(round * OURS + at / (TRANSFERS / OURS))
          : (`0x${(0xdef0_0000_0000 + round * TRANSFERS + at).toString(16).padStart(40, '0')}` as const);
      const data = encodeFunctionData({ abi, functionName: 'transfer', args: [to, 1_000_000n] });
      return anvil.wallet.sendTransaction({ to: token, data, gas: 100_000n, nonce: nonce + at });
    }),
  );
  await anvil.wallet.mine({ blocks: 1 });
  const { transactions } = await anvil.wallet.getBlock();
  if (transactions.length !== TRANSFERS) throw new Error(`${transactions.length} transactions`);
}

/** The two calls that every scanner makes, and the same rows by SQL, without reading any. */
async function bareScan(): Promise<void> {
  const height: Hex = `0x${(await anvil.wallet.getBlockNumber({ cacheTime: 0 })).toString(16)}`;
  const block = await ask('eth_getBlockByNumber', [height, true]);
  await ask('eth_getLogs', [
    { blockHash: (block as { hash: string }).hash, topics: [TRANSFER_TOPIC] },
  ]);
  await copyRows(context, 'ethereum', OURS);
}

async function ask(method: string, params: unknown[]): Promise<unknown> {
  const response = await fetch(door.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([{ jsonrpc: '2.0', id: 1, method, params }]),
  });
  const [{ result }] = (await response.json()) as [{ result: unknown }];
  return result;
}

/** Makes so many of the reusable addresses open: they can be paid now. */
async function openInvoices(count: number): Promise<void> {
  await sql`update invoice set status = 'expired', requested_text = '1', expires_at = now() - interval '1 year'`.execute(
    context.db,
  );
  await sql`update invoice set status = 'new', requested_text = null where id in (select id from invoice limit ${count})`.execute(
    context.db,
  );
}
