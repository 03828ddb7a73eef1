import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import { deploy, startAnvil, type Anvil } from '../../../chains/test/support/anvil.ts';
import {
  startRpcProxy,
  type ChangeAnswer,
  type RpcProxy,
} from '../../../chains/test/support/rpc-proxy.ts';
import { TEST_START } from '../../test/support/context.ts';
import { contracts, ethereumAt } from '../../test/support/ethereum.ts';
import { testShop, type TestShop } from '../../test/support/shop.ts';
import { createApp } from '../app.ts';
import { loadConfig } from '../config.ts';
import { renderMetrics } from '../http/monitoring/metrics.ts';
import { settle } from '../worker/settle.ts';
import { watchStandstill } from './standstill.ts';

const MINUTE = 60_000;
let anvil: Anvil;
let proxy: RpcProxy;
let shop: TestShop;
let watch: () => Promise<void>;
let app: ReturnType<typeof createApp>;
let startedAt: number;

beforeEach(async () => {
  anvil = await startAnvil('--timestamp', String(TEST_START / 1000 - 600));
  const token = await deploy(anvil, contracts['Token']!);
  proxy = await startRpcProxy(anvil.url);
  shop = await testShop({ chains: ['ethereum'] });
  const { adapter } = await ethereumAt(proxy.url, token);
  (shop.context.chains as Map<string, ChainAdapter>).set('ethereum', adapter);
  startedAt = shop.context.clock.real();
  watch = watchStandstill(shop.context);
  app = createApp(shop.context);
}, 60_000);
afterEach(async () => {
  await shop?.close();
  await proxy?.stop();
  await anvil?.stop();
});

/** Lets time pass, also in the database, whose clock is the real one. */
async function pass(minutes: number): Promise<void> {
  shop.context.clock.advance(minutes * MINUTE);
  await sql`update chain_cursor set scanned_at_real = scanned_at_real - make_interval(mins => ${minutes})`.execute(
    shop.context.db,
  );
}
async function mineAndScan(): Promise<void> {
  await anvil.wallet.mine({ blocks: 1 });
  await settle(shop.context);
}
const alarms = async (): Promise<object[]> =>
  (await sql<object>`select chain, reason from alarm`.execute(shop.context.db)).rows;
const standing = (reason: string) => [
  { chain: 'ethereum', reason: `The scan has stood still for more than 5 minutes: ${reason}` },
];
async function ready(): Promise<{ status: number; ethereum: Record<string, unknown> }> {
  const answer = await app.request('/readyz');
  const { chains } = (await answer.json()) as { chains: Record<string, Record<string, unknown>> };
  return { status: answer.status, ethereum: chains['ethereum']! };
}
async function metric(name: string): Promise<number> {
  const text = await renderMetrics(shop.context, startedAt);
  return Number(
    new RegExp(`^crypto_checkout_${name}\\{chain="ethereum"\\} (.*)$`, 'm').exec(text)?.[1],
  );
}
/** The node shows its newest block, and no transactions of it. */
const refusing =
  (message: string): ChangeAnswer =>
  ({ method, params }, answer) =>
    method === 'eth_getBlockByNumber' && params[1] === true
      ? { error: { code: -32_000, message } }
      : answer;
const STATE = 'eth_getBlockByNumber: required state unavailable (-32000)';

describe('a chain whose scan stands still', () => {
  it('raises one alarm with the last error, until it goes on', async () => {
    await mineAndScan();
    proxy.change(refusing('required state unavailable'));
    await mineAndScan();
    await pass(4);
    await watch();
    expect(await alarms()).toEqual([]);
    await pass(2);
    await mineAndScan();
    await watch();
    await watch();
    expect(await alarms()).toEqual(standing(STATE));
    proxy.change(refusing('daily quota exceeded'));
    await mineAndScan();
    await watch();
    expect(await alarms()).toEqual(standing('eth_getBlockByNumber: daily quota exceeded (-32000)'));
    proxy.change(null);
    await mineAndScan();
    await watch();
    expect(await alarms()).toEqual([]);
  });

  it('names the setting of its node', async () => {
    const { config } = shop.context;
    const { nodes } = loadConfig({ ETH_RPC_URL: proxy.url });
    shop.context.config = { ...config, nodes };
    watch = watchStandstill(shop.context);
    await mineAndScan();
    proxy.change(() => {
      throw new Error('The proxy is closed');
    });
    await settle(shop.context).catch(() => {});
    await pass(6);
    await watch();
    expect(await alarms()).toEqual(
      standing('ETH_RPC_URL: The node does not answer (UND_ERR_SOCKET)'),
    );
  });

  it('is not ready, and its metrics show the scanned height', async () => {
    await mineAndScan();
    const before = await ready();
    expect(before).toMatchObject({ status: 200, ethereum: { ok: true, detail: null } });
    const height = before.ethereum['scanned_height'] as number;
    expect(height).toBe(before.ethereum['tip']);
    expect(await metric('chain_up')).toBe(1);
    proxy.change(refusing('required state unavailable'));
    for (let round = 0; round < 3; round += 1) await mineAndScan();
    await pass(6);
    await watch();
    expect(await ready()).toMatchObject({
      status: 503,
      ethereum: { ok: false, tip: height + 3, scanned_height: height, detail: STATE },
    });
    expect((await ready()).ethereum['scanned_age_seconds']).toBeGreaterThanOrEqual(360);
    expect(await metric('chain_up')).toBe(0);
    expect(await metric('chain_tip')).toBe(height + 3);
    expect(await metric('chain_scanned_height')).toBe(height);
    expect(await metric('chain_scan_age_seconds')).toBeGreaterThanOrEqual(360);
    proxy.change(null);
    await mineAndScan();
    expect((await ready()).status).toBe(200);
    expect(await metric('chain_scan_age_seconds')).toBeLessThan(60);
  });

  it('is found without any complete scan before', async () => {
    proxy.change(() => ({ error: { code: -32_000, message: 'no such plan' } }));
    await settle(shop.context);
    await pass(6);
    await watch();
    expect(await alarms()).toEqual(standing('eth_getBlockByNumber: no such plan (-32000)'));
    expect((await ready()).ethereum).toMatchObject({ ok: false, scanned_height: null });
  });

  it('may be due to no process that reads it', async () => {
    await mineAndScan();
    await pass(6);
    await watch();
    expect(await alarms()).toEqual(standing('no process reads the chain'));
    await mineAndScan();
    await watch();
    expect(await alarms()).toEqual([]);
  });

  it('may be due to a node that lags', async () => {
    await mineAndScan();
    await mineAndScan();
    const header = { method: 'eth_getBlockByNumber', params: ['0x1', false] } as const;
    const old = await anvil.wallet.request(header as never);
    const behind: ChangeAnswer = ({ method, params }, answer) => {
      if (method === 'eth_blockNumber') return { result: '0x1' };
      return params[0] === 'latest' ? { result: old } : answer;
    };
    proxy.change(behind);
    await settle(shop.context);
    const { scanned_height: height } = (await ready()).ethereum;
    expect(await ready()).toMatchObject({
      status: 200,
      ethereum: {
        ok: true,
        tip: 1,
        detail: `The node is behind what was read: its newest block is 1, and block ${height as number} was read`,
      },
    });
    await pass(6);
    await watch();
    expect(await alarms()).toEqual(
      standing('The node does not have the blocks that were read before'),
    );
  });
});

describe('a chain that was not scanned while the service was stopped', () => {
  it('does not stand still', async () => {
    await mineAndScan();
    await pass(60);
    const restarted = watchStandstill(shop.context);
    await restarted();
    expect(await alarms()).toEqual([]);
    expect((await createApp(shop.context).request('/readyz')).status).toBe(200);
  });
});
