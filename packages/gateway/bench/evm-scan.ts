import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { pino } from 'pino';
import { encodeFunctionData, toHex, type Address, type Hex } from 'viem';
import { compileContracts, deploy, startAnvil } from '../../chains/test/support/anvil.ts';
import { startRpcProxy } from '../../chains/test/support/rpc-proxy.ts';
import { ensureFirstStart } from '../src/account/first-start.ts';
import { createContext } from '../src/compose.ts';
import { loadConfig } from '../src/config.ts';
import { findProgress } from '../src/engine/scan-progress.ts';
import { scanChain } from '../src/engine/scan.ts';
import { copyRows } from './bare-rows.ts';
import { median, timed } from './measure.ts';
import { addAddresses, requirePayments } from './watched-addresses.ts';

/**
 * Measures the scan of an EVM chain on anvil: a block of 200 token transfers of which 20 pay
 * addresses of ours, among a million watched ones, against the two bare calls for the same block
 * and the same rows written by SQL; the speed over empty blocks; and the calls to the node. Prints
 * one line of JSON. The node does not trace, as most providers do not.
 */
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
const proxy = await startRpcProxy(anvil.url);
proxy.change((call, answer) =>
  call.method.startsWith('debug_')
    ? { error: { code: -32_601, message: 'method not found' } }
    : answer,
);
const dataDir = mkdtempSync(join(tmpdir(), 'cc-bench-'));
const config = loadConfig({
  DATA_DIR: dataDir,
  GATEWAY_PORT: '0',
  LOG_LEVEL: 'silent',
  ETH_RPC_URL: proxy.url,
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
const calls = (): number => METHODS.reduce((sum, method) => sum + proxy.calls(method), 0);

try {
  const { account_id: accountId, profile_id: profileId } = await ensureFirstStart(context);
  await addAddresses(context, {
    accountId,
    profileId,
    kind: 'ETH_USDT',
    chain: 'ethereum',
    addresses: Array.from({ length: (WARM_UP + ROUNDS) * OURS }, (_, number) => addressOf(number)),
    keyPrefix: 'evm:',
    restPrefix: 'evm:0x',
  });
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
  await requirePayments(context, (WARM_UP + ROUNDS) * OURS);

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
  await proxy.stop();
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
  const response = await fetch(proxy.url, {
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
