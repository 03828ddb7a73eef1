import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { type Address, parseEther } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ScanEvent } from '@crypto-checkout/chains/adapter';
import { startAnvil, type Anvil } from '../../../chains/test/support/anvil.ts';
import {
  startRpcProxy,
  type ChangeAnswer,
  type RpcProxy,
} from '../../../chains/test/support/rpc-proxy.ts';
import { testContext, type TestContext } from '../../test/support/context.ts';
import { ensureFirstStart } from '../account/first-start.ts';
import { loadConfig } from '../config.ts';
import { openChains, type OpenChains } from './open-chains.ts';
import { openLateChains } from './open-late.ts';
import { findProgress } from './scan-progress.ts';

const log = pino({ level: 'silent' });
const CLOSED: ChangeAnswer = () => {
  throw new Error('The proxy is closed');
};
const chainIs =
  (id: string): ChangeAnswer =>
  ({ method }, answer) =>
    method === 'eth_chainId' ? { result: id } : answer;

let anvil: Anvil;
let proxies: [RpcProxy, RpcProxy];
let dataDir: string;
let context: TestContext;

beforeAll(async () => {
  anvil = await startAnvil();
  proxies = [await startRpcProxy(anvil.url), await startRpcProxy(anvil.url)];
  dataDir = mkdtempSync(join(tmpdir(), 'late-'));
}, 60_000);
afterAll(async () => {
  rmSync(dataDir, { recursive: true, force: true });
  for (const proxy of proxies ?? []) await proxy.stop();
  await anvil?.stop();
});
beforeEach(async () => {
  for (const proxy of proxies) {
    proxy.change(null);
    proxy.forbid(null);
  }
  context = await testContext();
});
afterEach(() => context.close());

const both = (): string => proxies.map(({ url }) => url).join(', ');
const open = (env: Record<string, string>): Promise<OpenChains> =>
  openChains({ config: loadConfig({ DATA_DIR: dataDir, ...env }), db: context.db, log });
const ethereum = ({ chains }: OpenChains) => chains.get('ethereum')!;

/** An address, and the scan from the stored cursor that asks for all addresses. */
async function newTarget(opened: OpenChains) {
  const { address } = await ethereum(opened).deriveTarget({
    kind: 'ETH',
    index: 0,
    amount: null,
    expirySeconds: 900,
    description: '',
    now: 0,
  });
  const scan = async (of: OpenChains): Promise<ScanEvent[]> => {
    const { cursor } = await findProgress(context.db, 'ethereum');
    const { events } = await ethereum(of).scan(cursor, async (asked) => new Set(asked), {
      maxBlocks: 25,
      open: [],
      signal: AbortSignal.timeout(10_000),
    });
    return events;
  };
  return { to: address as Address, scan };
}

describe('two providers', () => {
  it('serve the chain when one of them does not answer at the start', async () => {
    proxies[0].change(CLOSED);
    const opened = await open({ ETH_RPC_URL: both() });
    expect(ethereum(opened)).toMatchObject({ source: 'node', kinds: ['ETH'] });
    expect(ethereum(opened).compareBlock).toBeTypeOf('function');
    expect((await ethereum(opened).health()).ok).toBe(true);
    proxies[0].change(null);
    proxies[1].change(CLOSED);
    expect((await ethereum(opened).health()).ok).toBe(false);
    expect(await opened.openLate()).toEqual([]);
    expect((await ethereum(opened).health()).ok).toBe(true);
  });

  it('end the start when one of them serves another chain', async () => {
    proxies[1].change(chainIs('0x89'));
    await expect(open({ ETH_RPC_URL: both() })).rejects.toMatchObject({
      name: 'ConfigError',
      message: expect.stringMatching(
        /^ETH_RPC_URL serves chain 137, which is neither Ethereum.*; set it to a node of Ethereum/,
      ) as string,
    });
    proxies[1].change(isAnotherChain);
    await expect(open({ ETH_RPC_URL: both() })).rejects.toMatchObject({
      name: 'ConfigError',
      message: 'ETH_RPC_URL: its providers serve different chains; name providers of one chain.',
    });
  });

  it('delay nothing else when one of them answers late, from another network', async () => {
    const base = await startRpcProxy(anvil.url);
    try {
      proxies[1].change(CLOSED);
      base.change(CLOSED);
      const opened = await open({ ETH_RPC_URL: both(), BASE_RPC_URL: base.url, BASE_TOKENS: '{}' });
      proxies[1].change(chainIs('0x1'));
      const wrong = {
        chain: 'ethereum',
        mistake: 'ETH_RPC_URL: its providers serve different chains; name providers of one chain.',
      };
      expect(await opened.openLate()).toEqual([wrong]);
      base.change(chainIs('0x2105'));
      expect(await opened.openLate()).toEqual([
        wrong,
        {
          chain: 'base',
          mistake: expect.stringMatching(/BASE_RPC_URL is on a main network\.$/) as string,
        },
      ]);
      base.change(chainIs('0x14a34'));
      expect(await opened.openLate()).toEqual([wrong]);
      expect(opened.chains.get('base')?.kinds).toEqual(['ETH-BASE']);
    } finally {
      await base.stop();
    }
  });

  it('need https on a main network', async () => {
    const main = await startAnvil('--chain-id', '1');
    await expect(
      open({ ETH_RPC_URL: `${main.url},http://node.invalid`, ETH_TOKENS: '{}' }),
    ).rejects.toThrow(/^ETH_RPC_URL must hold https URLs on a main network/);
    await main.stop();
  });
});

/** The same chain id, but another block 0: the node of a chain that was made anew. */
const isAnotherChain: ChangeAnswer = ({ method, params }, answer) =>
  method === 'eth_getBlockByNumber' && params[0] === '0x0'
    ? { result: { ...(answer.result as object), hash: `0x${'ab'.repeat(32)}` } }
    : answer;
const REPLACED =
  'ETH_RPC_URL serves another chain with the id 31337 than the one that this database has read: its block 0 differs; set it to a node of that chain, or use another DATABASE_URL and DATA_DIR.';

describe('a node of another chain with the same id', () => {
  it('ends a later start', async () => {
    await open({ ETH_RPC_URL: proxies[0].url });
    proxies[0].change(isAnotherChain);
    await expect(open({ ETH_RPC_URL: proxies[0].url })).rejects.toMatchObject({
      name: 'ConfigError',
      message: REPLACED,
    });
    proxies[0].change(null);
    await open({ ETH_RPC_URL: proxies[0].url });
  });

  it('is not opened when it answers late', async () => {
    await ensureFirstStart(context);
    await open({ ETH_RPC_URL: proxies[0].url });
    proxies[0].change(CLOSED);
    const opened = await open({ ETH_RPC_URL: proxies[0].url });
    proxies[0].change(isAnotherChain);
    expect(await opened.openLate()).toEqual([{ chain: 'ethereum', mistake: REPLACED }]);
    expect((await ethereum(opened).health()).ok).toBe(false);
  });
});

describe('a node that does not show block 0 any more', () => {
  const WITHOUT_GENESIS: ChangeAnswer = ({ method, params }, answer) =>
    method === 'eth_getBlockByNumber' && params[0] === '0x0' ? { result: null } : answer;
  const mistake =
    'ETH_RPC_URL: the node does not return block 0, which identifies its chain; use a node that has it.';

  it('moves no cursor and takes nothing back: it reads on when it shows the block', async () => {
    await ensureFirstStart(context);
    await anvil.wallet.mine({ blocks: 1 });
    const opened = await open({ ETH_RPC_URL: proxies[0].url });
    const { to, scan } = await newTarget(opened);
    const { cursor } = await findProgress(context.db, 'ethereum');
    const txid = await anvil.wallet.sendTransaction({ to, value: parseEther('0.1') });
    await anvil.wallet.mine({ blocks: 2 });
    proxies[0].change(WITHOUT_GENESIS);
    await expect(open({ ETH_RPC_URL: proxies[0].url })).rejects.toThrow(mistake);
    proxies[0].change(CLOSED);
    const late = await open({ ETH_RPC_URL: proxies[0].url });
    proxies[0].change(WITHOUT_GENESIS);
    expect(await late.openLate()).toEqual([{ chain: 'ethereum', mistake }]);
    await expect(scan(late)).rejects.toMatchObject({ name: 'UnavailableError' });
    expect((await findProgress(context.db, 'ethereum')).cursor).toEqual(cursor);
    // One that was opened before reads on: it is the same node.
    expect(await scan(opened)).toMatchObject([{ type: 'observed', observation: { txid } }]);
    proxies[0].change(null);
    expect(await late.openLate()).toEqual([]);
    expect(await scan(late)).toMatchObject([{ type: 'observed', observation: { txid } }]);
  });
});

describe('a node without an answer', () => {
  it('ends the first start, which needs its network', async () => {
    proxies[0].change(CLOSED);
    await expect(open({ ETH_RPC_URL: proxies[0].url })).rejects.toMatchObject({
      name: 'ConfigError',
      message: expect.stringMatching(
        /^ETH_RPC_URL: the node does not respond \(.*\), and the first start needs it/,
      ) as string,
    });
  });

  it('that refuses the credentials, ends it with the names of the settings', async () => {
    const proxy = createServer((_, response) => response.writeHead(401).end());
    await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    await expect(open({ ETH_RPC_URL: url })).rejects.toThrow(
      /^ETH_RPC_URL: the node refuses the credentials \(HTTP 401\); correct those in ETH_RPC_URL or ETH_RPC_HEADERS\.$/,
    );
    proxy.close();
  });

  it('delays its chain only at the first start, when another node answers', async () => {
    proxies[1].change(CLOSED);
    const opened = await open({
      ETH_RPC_URL: proxies[0].url,
      BASE_RPC_URL: proxies[1].url,
      BASE_TOKENS: JSON.stringify({ 'USDC-BASE': `0x${'ab'.repeat(20)}` }),
      LTC_RPC_URL: 'http://127.0.0.1:9',
      LTC_NETWORK: 'regtest',
      SANDBOX: 'false',
    });
    const kinds = [...opened.chains.values()].map((one) => [
      one.chain,
      one.kinds,
      one.configuredKinds,
    ]);
    expect(kinds).toEqual([
      ['ethereum', ['ETH'], ['ETH']],
      ['base', [], ['ETH-BASE', 'USDC-BASE']],
      ['litecoin', [], ['LTC']],
    ]);
    const chains = opened.chains;
    await ensureFirstStart({ ...context, chains });
    const rows = await context.db.selectFrom('profile_currency').select('kind').execute();
    expect(rows.map(({ kind }) => kind).toSorted()).toEqual([
      'ETH',
      'ETH-BASE',
      'LTC',
      'USDC-BASE',
    ]);
  });

  it('of the other network is named by its setting, beside those of the others', async () => {
    proxies[1].change(chainIs('0x2105'));
    await expect(
      open({ ETH_RPC_URL: proxies[0].url, BASE_RPC_URL: proxies[1].url, BASE_TOKENS: '{}' }),
    ).rejects.toThrow(/: ETH_RPC_URL is on a test network, BASE_RPC_URL is on a main network\.$/);
  });

  it('delays its chain only, at a later start', async () => {
    await ensureFirstStart(context);
    proxies[0].change(CLOSED);
    const opened = await open({ ETH_RPC_URL: proxies[0].url });
    expect(opened.network).toBe('testnet');
    expect(opened.chains.get('bitcoin')).toMatchObject({ source: 'sandbox' });
    expect(ethereum(opened)).toMatchObject({ source: 'node', network: 'testnet', kinds: [] });
    expect(await ethereum(opened).health()).toMatchObject({
      ok: false,
      detail: expect.stringMatching(
        /^ETH_RPC_URL: the node does not respond \((?!The node)/,
      ) as string,
    });
    expect(opened.senders.has('ethereum')).toBe(false);
    expect(await opened.openLate()).toEqual([]);
    expect(ethereum(opened).kinds).toEqual([]);
    proxies[0].change(null);
    expect(await opened.openLate()).toEqual([]);
    expect(ethereum(opened).kinds).toEqual(['ETH']);
    expect(opened.senders.has('ethereum')).toBe(true);
    const calls = proxies[0].calls('eth_chainId');
    await opened.openLate();
    expect(proxies[0].calls('eth_chainId')).toBe(calls);
  });

  it('stays closed when its late answer is wrong, and names the mistake', async () => {
    await ensureFirstStart(context);
    proxies[0].change(CLOSED);
    const opened = await open({ ETH_RPC_URL: proxies[0].url, ETH_TOKENS: '{}' });
    proxies[0].change(chainIs('0x89'));
    expect(await opened.openLate()).toEqual([
      { chain: 'ethereum', mistake: expect.stringContaining('serves chain 137') as string },
    ]);
    proxies[0].change(chainIs('0x1'));
    expect(await opened.openLate()).toEqual([
      {
        chain: 'ethereum',
        mistake:
          'All nodes must be on main networks, or all on test networks: the database is on a test network, ETH_RPC_URL is on a main network.',
      },
    ]);
    expect(ethereum(opened).kinds).toEqual([]);
    proxies[0].change(null);
    expect(await opened.openLate()).toEqual([]);
    expect(ethereum(opened).kinds).toEqual(['ETH']);
  });
});

describe('a payment before the first look', () => {
  it('is found, because the chain begins when its kinds are offered', async () => {
    const opened = await open({ ETH_RPC_URL: proxies[0].url });
    const { to, scan } = await newTarget(opened);
    const txid = await anvil.wallet.sendTransaction({ to, value: parseEther('0.1') });
    await anvil.wallet.mine({ blocks: 1 });
    const { cursor } = await findProgress(context.db, 'ethereum');
    expect(await scan(opened)).toMatchObject([{ type: 'observed', observation: { txid } }]);
    await open({ ETH_RPC_URL: proxies[0].url });
    expect((await findProgress(context.db, 'ethereum')).cursor).toEqual(cursor);
  });
});

describe('a node that refuses tracing', () => {
  it.each([
    ['by a page', () => proxies[0].forbid(/^debug_/)],
    [
      'by an error',
      () =>
        proxies[0].change(({ method }, answer) =>
          method.startsWith('debug_') ? { error: { code: -32_601, message: 'no' } } : answer,
        ),
    ],
    [
      'by another result',
      () =>
        proxies[0].change(({ method }, answer) =>
          method.startsWith('debug_') ? { result: 'upgrade your plan' } : answer,
        ),
    ],
  ])('%s is used without it', async (_, refuse) => {
    refuse();
    expect(ethereum(await open({ ETH_RPC_URL: proxies[0].url })).kinds).toEqual(['ETH']);
  });
});

describe('openLateChains', () => {
  const alarms = async () =>
    (await context.db.selectFrom('alarm').select(['chain', 'reason']).execute()).map((row) => row);

  it('raises one alarm for a wrong answer', async () => {
    const mistake = 'ETH_RPC_URL serves chain 137.';
    context.openLateChains = async () => [{ chain: 'ethereum', mistake }];
    await openLateChains(context);
    await openLateChains(context);
    expect(await alarms()).toEqual([{ chain: 'ethereum', reason: mistake }]);
  });
});
