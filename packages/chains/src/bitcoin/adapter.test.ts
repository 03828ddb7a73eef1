import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  openBitcoinChain,
  startBitcoinPayer,
  strangeScript,
  type BitcoinChain,
  type BitcoinPayer,
} from '../../test/support/bitcoin-chain.ts';
import {
  describeOnLitecoind,
  PASSWORD,
  startLitecoind,
  USER,
} from '../../test/support/litecoind.ts';
import { Observer } from '../../test/support/observer.ts';
import type { MempoolFacts } from '../adapter.ts';
import { createJsonRpc } from '../json-rpc.ts';
import type { ChangeAnswer } from '../../test/support/rpc-proxy.ts';
import { z } from 'zod';
import { createFirstSights } from './first-sights.ts';
import { mempoolFacts } from './mempool-facts.ts';
import { bitcoinNetwork } from './network.ts';
import { createBitcoinNode } from './node.ts';
import { setUpBitcoin } from './setup.ts';

/** More than a double counts by units of the smallest coin. */
const MANY = '"value":140000000000.00000001';
const ONE = parseAmount('1');
const settings = {
  url: 'BTC_RPC_URL',
  network: 'BTC_NETWORK',
  user: 'BTC_RPC_USER',
  password: 'BTC_RPC_PASSWORD',
  cookie: 'BTC_RPC_COOKIE',
};

describeOnLitecoind('the adapter of a UTXO chain', () => {
  let payer: BitcoinPayer;
  let chain: BitcoinChain;
  let observer: Observer;
  beforeAll(async () => {
    payer = await startBitcoinPayer();
  });
  afterAll(() => payer?.stop());
  beforeEach(async () => {
    chain = await openBitcoinChain(payer, 'bitcoin');
    observer = await Observer.begin(chain);
  });
  afterEach(() => chain.close());

  it('gives out each form of address, on the network of the node', async () => {
    const adapter = await chain.open();
    const options = { index: 5, amount: null, expirySeconds: 900, description: '', now: 0 };
    const of = async (kind: string): Promise<string | null> =>
      (await adapter.deriveTarget({ ...options, kind })).address;
    expect(await of('BTC_BECH32')).toMatch(/^bcrt1q/);
    expect(await of('BTC_P2SH')).toMatch(/^2/);
    expect(await of('BTC')).toBe(await of('BTC_BECH32'));
    for (const kind of ['BTC_BECH32', 'BTC_P2SH']) {
      const target = await adapter.deriveTarget({ ...options, kind, index: payer.nextIndex() });
      observer.watchTarget(target);
      await chain.pay(target, ONE);
    }
    await observer.look();
    expect(observer.payments).toHaveLength(2);
  });

  it('credits what a block created once it can be spent, and never when its block is lost', async () => {
    const target = await observer.watch();
    const mined = await chain.mineTo(target);
    await payer.mine(98);
    await observer.lookToTip(25);
    expect(observer.payments).toEqual([]);
    await observer.restart();
    await payer.mine(1);
    await observer.look();
    expect(observer.payments).toMatchObject([{ state: 'block', block: { hash: mined } }]);
    const lost = await observer.watch();
    await chain.mineTo(lost);
    await observer.look();
    await chain.reorganise(1, []);
    await payer.mine(100);
    await observer.lookToTip(25);
    expect(observer.payments).toHaveLength(1);
  });

  it('reports a payment whose fee a child raises', async () => {
    const target = await observer.watch();
    const parent = await payer.send([chain.payable(target, ONE)], { fee: 200n });
    await observer.look();
    // The change of the payment is its second output.
    await payer.spendChange(parent, 20_000n);
    await payer.mine(1);
    await observer.look();
    expect(observer.payments).toMatchObject([{ txid: parent, state: 'block' }]);
  });

  it('skips outputs of extension blocks, and credits coins that left them after six blocks', async () => {
    const target = await observer.watch();
    const txid = await chain.pay(target, ONE);
    await payer.mine(1);
    chain.change(asExtensionBlock(txid));
    await observer.look();
    expect(observer.payments).toEqual([]);
    await payer.mine(4);
    await observer.look();
    expect(observer.payments).toEqual([]);
    await payer.mine(1);
    await observer.look();
    expect(observer.payments).toMatchObject([{ txid, state: 'block', amount: ONE }]);
  });

  it('reads amounts above the whole numbers of a double to the last unit', async () => {
    const target = await observer.watch();
    const txid = await chain.pay(target, ONE);
    await payer.mine(1);
    observer.use(
      await chain.openWith(async (input, init) => {
        const response = await fetch(input, init);
        const text = (await response.text()).replaceAll(/"value":1(?=[,}])/g, MANY);
        return new Response(text, response);
      }),
    );
    await observer.look();
    expect(observer.payments).toMatchObject([
      { txid, amount: parseAmount('140000000000.00000001') },
    ]);
  });

  it('states the time of the newest block, which the median of eleven blocks lags behind', async () => {
    await payer.advance(3_600_000);
    await payer.mine(1);
    const rpc = createJsonRpc({ url: chain.url, exactNumbers: true });
    const { hash, time } = await createBitcoinNode(rpc).tip();
    const header = await payer.node.call<{ time: number; mediantime: number }>(
      'getblockheader',
      hash,
    );
    expect(header.time - header.mediantime).toBeGreaterThan(3_000);
    expect(time).toBe(header.time * 1000);
  });

  it('states the facts of an unconfirmed payment', async () => {
    const adapter = await chain.open();
    const facts = async (txid: string): Promise<MempoolFacts | null> => adapter.mempoolFacts!(txid);
    const output = [{ script: strangeScript(), units: 100_000n }];
    const final = await payer.send(output, { sequence: 0xffff_fffe, fee: 1_410n });
    expect(await facts(final)).toMatchObject({ replaceable: false, unconfirmedParents: 0 });
    expect((await facts(final))!.feeRate).toBeCloseTo(10, 0);
    // A chain without blocks of payments has no estimate.
    expect(await facts(final)).toMatchObject({ nextBlockRate: null });
    chain.change(({ method }, answer) =>
      method === 'estimatesmartfee' ? { result: { feerate: 0.00023456, blocks: 2 } } : answer,
    );
    expect((await facts(final))!.nextBlockRate).toBe(23.456);
    chain.change((_, answer) => answer);
    // The clock of this adapter is far behind that of its node.
    expect(await facts(final)).toMatchObject({ ageSeconds: 0 });
    const { time } = await payer.node.call<{ time: number }>('getmempoolentry', final);
    const rpc = createJsonRpc({ url: chain.url, exactNumbers: true });
    const later = createFirstSights(() => (time + 42) * 1_000);
    expect(await mempoolFacts(rpc, final, later)).toMatchObject({ ageSeconds: 42 });
    const replaceable = await payer.send(output);
    expect(await facts(replaceable)).toMatchObject({ replaceable: true });
    const child = await payer.spendChange(final, 5_000n);
    expect(await facts(child)).toMatchObject({ unconfirmedParents: 1 });
    expect(await facts('0'.repeat(64))).toBeNull();
    await payer.mine(1);
  });

  it('names the setting when the node is on another network or chain, or still synchronising', async () => {
    const setUp = async (network = bitcoinNetwork('bitcoin', 'regtest')): Promise<unknown> => {
      const rpc = createJsonRpc({ url: chain.url, exactNumbers: true });
      return setUpBitcoin({ network, node: createBitcoinNode(rpc), settings });
    };
    await expect(setUp(bitcoinNetwork('bitcoin', 'signet'))).rejects.toThrow(
      'BTC_RPC_URL serves the network regtest, but BTC_NETWORK is signet; set one to match the other.',
    );
    chain.change(answerInfo({ chain: 'main' }));
    await expect(setUp(bitcoinNetwork('bitcoin', 'main'))).rejects.toThrow(
      'BTC_RPC_URL is no node of Bitcoin: its first block is another one; set it to a node of Bitcoin.',
    );
    chain.change(answerInfo({ blocks: 10, headers: 900 }));
    await expect(setUp()).rejects.toThrow(
      'BTC_RPC_URL: the node is still synchronising (block 10 of 900); its chain is offered when it has caught up.',
    );
  });

  it('says that the node deleted blocks that were not read', async () => {
    await payer.mine(2);
    chain.change(({ method }, answer) =>
      method === 'getblock'
        ? { error: { code: -1, message: 'Block not available (pruned data)' } }
        : answer,
    );
    await expect(observer.look()).rejects.toThrow(/^The node has deleted blocks/);
    chain.change((_, answer) => answer);
    await observer.look();
  });
});

it.each([
  ['UND_ERR_SOCKET', createServer((socket) => socket.once('data', () => socket.destroy()))],
  [
    'The node refuses the request (HTTP 404)',
    createServer((socket) =>
      socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'),
    ),
  ],
])('a port of no JSON-RPC is named with the right one (%s)', async (reason, server) => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const rpc = createJsonRpc({ url: `http://127.0.0.1:${port}`, attempts: 1 });
  const network = bitcoinNetwork('litecoin', 'regtest');
  await expect(setUpBitcoin({ network, node: createBitcoinNode(rpc), settings })).rejects.toThrow(
    `BTC_RPC_URL: the node does not respond (${reason}); what answers there does not speak JSON-RPC: is it the node's rpcport?`,
  );
  server.close();
});

describeOnLitecoind('the login to a node', () => {
  it('is a password or the cookie of the node, which changes with each start', async () => {
    const node = await startLitecoind({ authentication: 'cookie' });
    try {
      const setUp = (more: object): Promise<unknown> => {
        const rpc = createJsonRpc({ url: node.url, exactNumbers: true, attempts: 1, ...more });
        const network = bitcoinNetwork('litecoin', 'regtest');
        return setUpBitcoin({ network, node: createBitcoinNode(rpc), settings });
      };
      await expect(setUp({ user: 'node', password: 'wrong' })).rejects.toThrow(
        'BTC_RPC_URL: the node refuses the login (HTTP 401); correct BTC_RPC_USER and BTC_RPC_PASSWORD, or BTC_RPC_COOKIE.',
      );
      const rpc = createJsonRpc({ url: node.url, exactNumbers: true, cookieFile: node.cookieFile });
      const count = { method: 'getblockcount', params: [], answer: z.number() };
      expect(await rpc.call(count)).toBe(0);
      await node.restart();
      expect(await rpc.call(count)).toBe(0);
    } finally {
      await node.stop();
    }
  });
});

describeOnLitecoind('a node that allows some methods only', () => {
  it.each(['getrawmempool', 'getrawtransaction'])('is named at the start: %s', async (missing) => {
    const methods = [
      'getblockchaininfo',
      'getblockcount',
      'getblockhash',
      'getblock',
      'getbestblockhash',
      'getblockheader',
      'getrawmempool',
      'getrawtransaction',
    ].filter((method) => method !== missing);
    const options = [`-rpcwhitelist=${USER}:${methods.join(',')}`];
    const node = await startLitecoind({ options });
    try {
      const login = { user: USER, password: PASSWORD };
      const rpc = createJsonRpc({ url: node.url, exactNumbers: true, attempts: 1, ...login });
      const network = bitcoinNetwork('litecoin', 'regtest');
      await expect(
        setUpBitcoin({ network, node: createBitcoinNode(rpc), settings }),
      ).rejects.toThrow(
        `BTC_RPC_URL: the node refuses ${missing} (HTTP 403); allow it in the node's rpcwhitelist, and this host in its rpcallowip.`,
      );
    } finally {
      await node.stop();
    }
  });
});

/** The answer of `getblockchaininfo`, with other members. */
const answerInfo =
  (members: object): ChangeAnswer =>
  ({ method }, answer) =>
    method === 'getblockchaininfo'
      ? { result: { ...(answer.result as object), ...members } }
      : answer;

interface VerboseBlock {
  tx: { txid: string; vout: object[] }[];
}

/** Shows a payment as the last transaction of a block with an extension block. */
const asExtensionBlock =
  (txid: string): ChangeAnswer =>
  ({ method }, answer) => {
    const block = answer.result as VerboseBlock | null;
    if (method !== 'getblock' || !block?.tx.some((one) => one.txid === txid)) return answer;
    const hogaddr = { n: 7, value: 5, scriptPubKey: { hex: `5820${'ab'.repeat(32)}` } };
    const hidden = { ismweb: true, output_id: 'cd'.repeat(32) };
    const tx = block.tx.map((one) =>
      one.txid === txid ? { ...one, vout: [hogaddr, hidden, ...one.vout] } : one,
    );
    return { result: { ...block, tx } };
  };
