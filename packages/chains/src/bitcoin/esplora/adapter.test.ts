import { parseAmount } from '@crypto-checkout/protocol/amount';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import {
  startBitcoinPayer,
  strangeScript,
  type BitcoinPayer,
} from '../../../test/support/bitcoin-chain.ts';
import {
  openEsploraChain,
  type EsploraChain,
} from '../../../test/support/esplora/esplora-chain.ts';
import type { EsploraAnswer } from '../../../test/support/esplora/esplora-server.ts';
import { describeOnLitecoind } from '../../../test/support/litecoind.ts';
import { Observer } from '../../../test/support/observer.ts';
import type { DepositTarget } from '../../adapter.ts';
import { UnavailableError } from '../../error.ts';
import { bitcoinNetwork } from '../network.ts';
import { createEsplora } from './client.ts';
import { createEsploraSendNode } from './send-node.ts';
import { setUpEsplora } from './setup.ts';

const ONE = parseAmount('1');
const settings = { esplora: 'BTC_ESPLORA_URL', network: 'BTC_NETWORK' };

describeOnLitecoind("a service with Esplora's interface", () => {
  let payer: BitcoinPayer;
  let chain: EsploraChain;
  let observer: Observer;
  beforeAll(async () => {
    payer = await startBitcoinPayer();
  });
  afterAll(() => payer?.stop());
  beforeEach(async () => {
    chain = await openEsploraChain(payer, 'bitcoin');
    observer = await Observer.begin(chain);
  });
  afterEach(() => chain.close());

  const usual = (): void => chain.server.change((_, answer) => answer);

  /** Watches this number of new addresses. */
  async function watch(count: number): Promise<DepositTarget[]> {
    const adapter = await chain.open();
    const options = { kind: 'BTC', amount: null, expirySeconds: 900, description: '', now: 0 };
    const targets: DepositTarget[] = [];
    for (let number = 0; number < count; number += 1)
      targets.push(await adapter.deriveTarget({ ...options, index: payer.nextIndex() }));
    for (const target of targets) observer.watchTarget(target);
    return targets;
  }

  it('is asked three times for a block, however many addresses are watched', async () => {
    await watch(150);
    await payer.mine(1);
    // The headers before it, for its median time, are read once.
    await observer.look();
    await payer.mine(3);
    const before = chain.server.requests(/./);
    const addresses = chain.server.requests(/^\/address/);
    await observer.look();
    expect(chain.server.requests(/^\/address/) - addresses).toBe(100);
    // The newest block's hash and header, the hash of the last one, and for each block its hash,
    // header and bytes.
    expect(chain.server.requests(/./) - before - 100).toBe(3 + 3 * 3);
    await observer.look();
    expect(chain.server.requests(/^\/address/) - addresses).toBe(200);
  });

  it('shows each of many addresses in turn', async () => {
    const targets = await watch(250);
    const txids = [];
    for (const at of [0, 120, 249]) txids.push(await chain.pay(targets[at]!, ONE));
    for (let look = 0; look < 3; look += 1) await observer.look();
    expect(observer.payments.map(({ txid }) => txid).toSorted()).toEqual(txids.toSorted());
    await payer.mine(1);
    await observer.look();
    expect(observer.payments.map(({ state }) => state)).toEqual(['block', 'block', 'block']);
  });

  it('gives each block the median time of the eleven that end with it', async () => {
    const target = await observer.watch();
    for (let block = 0; block < 14; block += 1) {
      await payer.advance(60_000 * (block % 5));
      await chain.pay(target, ONE);
      await payer.mine(1);
    }
    await observer.look();
    for (const { block } of observer.payments) {
      const { mediantime } = await payer.node.call<{ mediantime: number }>(
        'getblockheader',
        block!.hash,
      );
      expect(block!.time).toBe(mediantime * 1000);
    }
    expect(observer.payments).toHaveLength(14);
  });

  it('credits what a block created once it can be spent', async () => {
    const target = await observer.watch();
    const mined = await chain.mineTo(target);
    await payer.mine(98);
    await observer.lookToTip(25);
    expect(observer.payments).toEqual([]);
    await payer.mine(1);
    await observer.look();
    expect(observer.payments).toMatchObject([{ state: 'block', block: { hash: mined } }]);
  });

  const lies: [string, RegExp, (answer: EsploraAnswer) => EsploraAnswer][] = [
    ['the bytes of another block', /\/raw$/, ({ body }) => flipped(body, 70)],
    ['bytes with another amount', /\/raw$/, withAnotherAmount],
    ['bytes that end too early', /\/raw$/, ({ body }) => ok((body as Buffer).subarray(0, 120))],
    ['the header of another block', /^\/block\/\w+$/, changed({ timestamp: 5 })],
    ['another height', /^\/block\/\w+$/, changed({ height: 9_999_999 })],
    ['null', /^\/block\//, () => ok('null')],
    ['a page', /^\/block\//, () => ok('<html>Maintenance</html>')],
    ['a page that is not there', /^\/block\//, () => page(404)],
    ['an error', /^\/block\//, () => page(500)],
    ['a redirect', /^\/block\//, () => ({ ...page(302), headers: { location: '/login' } })],
    ['no hash of the newest block', /^\/blocks\/tip\/hash$/, () => ok('none')],
  ];
  it.each(lies)('that answers with %s changes nothing', async (_, path, lie) => {
    const target = await observer.watch();
    await chain.pay(target, ONE);
    await payer.mine(1);
    const { cursor } = observer;
    observer.use(await chain.openWith(fetchOnce));
    chain.server.change((own, answer) =>
      path.test(own) && answer.status === 200 ? lie(answer) : answer,
    );
    const look = observer.look();
    const isRefused = await look.then(
      ({ caughtUp, events }) => !caughtUp && events.length === 0,
      (error: unknown) => error instanceof UnavailableError,
    );
    expect(isRefused).toBe(true);
    expect(observer.cursor).toEqual(cursor);
    usual();
    await observer.look();
    expect(observer.payments).toMatchObject([{ state: 'block', amount: ONE }]);
  });

  it('reads blocks also while it refuses to list addresses', async () => {
    const targets = [await observer.watch(), await observer.watch()];
    await chain.pay(targets[1]!, ONE);
    chain.server.change((path, answer) =>
      path.includes(targets[0]!.address!) ? { status: 400, body: 'Too many history txs' } : answer,
    );
    await observer.look();
    expect(observer.payments).toMatchObject([{ state: 'mempool' }]);
    chain.server.change((path, answer) => (path.startsWith('/address') ? page(500) : answer));
    await payer.mine(1);
    await observer.look();
    expect(observer.payments).toMatchObject([{ state: 'block' }]);
  });

  it('takes no payment back by pages that are not its own words', async () => {
    await chain.pay(await observer.watch(), ONE);
    await observer.look();
    chain.server.change((path, answer) => (/^\/(?:tx|address)/.test(path) ? page(404) : answer));
    observer.use(await chain.openWith(fetchOnce));
    for (let look = 0; look < 4; look += 1) {
      await observer
        .look()
        .catch((error: unknown) => expect(error).toBeInstanceOf(UnavailableError));
      await chain.advance(60_000);
    }
    expect(observer.payments).toMatchObject([{ state: 'mempool' }]);
    await payer.mine(1);
  });

  it('proves a replacement by the bytes of the other transaction', async () => {
    const txid = await chain.pay(await observer.watch(), ONE);
    await observer.look();
    const by = await chain.replace(txid, null);
    const other = await payer.send([{ script: strangeScript(), units: 100_000n }]);
    chain.server.change((path, answer) =>
      /\/outspend\//.test(path)
        ? ok(JSON.stringify({ spent: true, txid: other, vin: 0, status: { confirmed: false } }))
        : answer,
    );
    await observer.look();
    expect(observer.payments).toMatchObject([{ txid, state: 'mempool' }]);
    usual();
    await observer.look();
    expect(observer.payments).toMatchObject([{ txid, state: 'replaced', by }]);
    await payer.mine(1);
  });

  it('waits as long as it asks for, and puts no part of its address into an error', async () => {
    const key = 'a-key-of-the-operator';
    const url = `${chain.url.replace('//', `//user:${key}@`)}/?key=${key}`;
    const waits: number[] = [];
    let now = 0;
    const esplora = createEsplora({
      url,
      now: () => now,
      sleep: async (ms) => {
        waits.push(ms);
        now += ms;
      },
    });
    chain.server.change(() => ({ ...page(429), headers: { 'retry-after': '7' } }));
    const failure = await esplora.text('/blocks/tip/hash').catch((error: unknown) => error);
    expect(waits).toEqual([7_000, 7_000]);
    const errors = [failure];
    chain.server.change(() => ({ ...page(429), headers: { 'retry-after': '60' } }));
    errors.push(await esplora.text('/blocks/tip/hash').catch((error: unknown) => error));
    expect(waits).toEqual([7_000, 7_000, 7_000]);
    now += 60_000;
    chain.server.change(() => ok(JSON.stringify({ [key]: 1 })));
    errors.push(
      await esplora.json('/mempool', z.strictObject({})).catch((error: unknown) => error),
    );
    chain.server.change(() => ({ status: 400, body: `bad ${url} ${key}` }));
    errors.push(await esplora.broadcast('00').catch((error: unknown) => error));
    chain.server.change(() => page(401));
    errors.push(await esplora.text('/blocks/tip/hash').catch((error: unknown) => error));
    const port = new URL(chain.url).port;
    for (const error of errors) {
      expect(error).toBeInstanceOf(Error);
      const shown = [error, (error as Error).cause].map(String).join(' ');
      expect(shown).not.toMatch(new RegExp(`${key}|127\\.0\\.0\\.1|${port}`));
    }
    usual();
    expect(await esplora.text('/blocks/tip/height')).toMatch(/^\d+$/);
  });

  it('states the facts of an unconfirmed payment', async () => {
    const adapter = await chain.open();
    chain.server.change((path, answer) => (path === '/fee-estimates' ? ok('{}') : answer));
    const output = [{ script: strangeScript(), units: 100_000n }];
    const final = await payer.send(output, { sequence: 0xffff_fffe, fee: 1_410n });
    const facts = (await adapter.mempoolFacts!(final))!;
    expect(facts).toMatchObject({ replaceable: false, unconfirmedParents: 0, nextBlockRate: null });
    expect(facts.feeRate).toBeCloseTo(10, 0);
    expect(facts.ageSeconds).toBe(0);
    await chain.advance(90_000);
    expect(await adapter.mempoolFacts!(final)).toMatchObject({ ageSeconds: 90 });
    chain.server.change((path, answer) =>
      path === '/fee-estimates' ? ok('{"1":23.456,"6":1.0}') : answer,
    );
    expect((await adapter.mempoolFacts!(final))!.nextBlockRate).toBe(23.456);
    usual();
    const child = await payer.spendChange(final, 5_000n);
    expect(await adapter.mempoolFacts!(child)).toMatchObject({
      replaceable: true,
      unconfirmedParents: 1,
    });
    const grandchild = await payer.spendChange(child, 5_000n);
    expect(await adapter.mempoolFacts!(grandchild)).toMatchObject({ unconfirmedParents: 2 });
    expect(await adapter.mempoolFacts!('0'.repeat(64))).toBeNull();
    await payer.mine(1);
    expect(await adapter.mempoolFacts!(final)).toBeNull();
  });

  it('has its estimates for the blocks that are asked for, or for fewer', async () => {
    const node = createEsploraSendNode(createEsplora({ url: chain.url }), 'bitcoin');
    chain.server.change(() => ok('{"25": 3, "2": 9.5, "10": 5e-1, "6": 7}'));
    const rates = [1, 2, 5, 6, 24, 1_000].map((blocks) => node.estimateRate(blocks));
    expect(await Promise.all(rates)).toEqual([9.5, 9.5, 9.5, 7, 0.5, 3]);
    chain.server.change(() => ok('{"2": -1}'));
    await expect(node.estimateRate(2)).rejects.toThrow(UnavailableError);
  });

  it('hands on the reason why its node refuses a transaction', async () => {
    const node = createEsploraSendNode(createEsplora({ url: chain.url }), 'bitcoin');
    await expect(node.send('00')).rejects.toThrow('TX decode failed');
    chain.server.change(() => ok('sent'));
    await expect(node.send('00')).rejects.toThrow(UnavailableError);
  });

  it('is refused with one sentence for another network, another chain or another kind of service', async () => {
    const setUp = (name: Parameters<typeof bitcoinNetwork>[1] = 'regtest'): Promise<unknown> =>
      setUpEsplora({
        network: bitcoinNetwork('bitcoin', name),
        esplora: createEsplora({ url: chain.url, attempts: 1 }),
        settings,
      });
    await expect(setUp('main')).rejects.toThrow(
      'BTC_ESPLORA_URL is no service of Bitcoin: its first block is another one; set it to a service of Bitcoin.',
    );
    const asGenesis = (hash: string | null): void =>
      chain.server.change((path, answer) => (path === '/block-height/0' ? ok(hash ?? '') : answer));
    asGenesis(bitcoinNetwork('bitcoin', 'signet').genesis);
    await expect(setUp('main')).rejects.toThrow(
      'BTC_ESPLORA_URL serves the network signet, but BTC_NETWORK is main; set one to match the other.',
    );
    await expect(setUp()).rejects.toThrow('serves the network signet, but BTC_NETWORK is regtest');
    asGenesis(bitcoinNetwork('litecoin', 'main').genesis);
    await expect(setUp()).rejects.toThrow('BTC_ESPLORA_URL is no service of Bitcoin');
    asGenesis(bitcoinNetwork('bitcoin', 'main').genesis);
    await payer.mine(1);
    expect(await setUp('main')).toMatchObject({ network: { name: 'main' } });
    chain.server.change(() => ({ status: 404, body: 'Block not found' }));
    await expect(setUp()).rejects.toThrow(
      "BTC_ESPLORA_URL is not the address of Esplora's HTTP interface, such as http://127.0.0.1:3000 or https://example.com/api.",
    );
    chain.server.change(() => page(404));
    await expect(setUp()).rejects.toThrow(
      'BTC_ESPLORA_URL: the service does not respond (The node refuses the request (HTTP 404))',
    );
  });

  it('is offered when it has caught up', async () => {
    chain.server.change((path, answer) =>
      path === '/block-height/0' ? ok(bitcoinNetwork('bitcoin', 'main').genesis!) : answer,
    );
    await payer.mine(1);
    const setUp = setUpEsplora({
      network: bitcoinNetwork('bitcoin', 'main'),
      esplora: createEsplora({ url: chain.url }),
      settings,
      now: () => Date.now() + 3 * 86_400_000,
    });
    await expect(setUp).rejects.toThrow(/^BTC_ESPLORA_URL: the service is still synchronising/);
    await expect(setUp).rejects.toBeInstanceOf(UnavailableError);
  });
});

const ok = (body: string | Buffer): EsploraAnswer => ({ status: 200, body });
const page = (status: number): EsploraAnswer => ({ status, body: `<h1>${status} not found</h1>` });

/** Changes one byte. */
function flipped(body: string | Buffer, at: number): EsploraAnswer {
  const bytes = Buffer.from(body as Buffer);
  bytes[at] = bytes[at]! ^ 1;
  return ok(bytes);
}

/** Of the payment of one coin. */
function withAnotherAmount({ body }: EsploraAnswer): EsploraAnswer {
  const amount = Buffer.from('00e1f50500000000', 'hex');
  const at = (body as Buffer).indexOf(amount);
  return at < 0 ? ok(body) : flipped(body, at + 4);
}

function changed(members: object): (answer: EsploraAnswer) => EsploraAnswer {
  return ({ body }) => ok(JSON.stringify({ ...(JSON.parse(String(body)) as object), ...members }));
}

/** Without the pauses between attempts: a service that fails is asked once. */
const fetchOnce: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  return response.status >= 500 ? new Response('', { status: 403 }) : response;
};
