import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeBolt11 } from '@crypto-checkout/chains/lightning/bolt11';
import { encodeLnurl } from '@crypto-checkout/chains/lightning/lnurl';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { startPhoenixdChain } from '../../../chains/test/support/lightning/phoenixd-chain.ts';
import {
  startLightningNetwork,
  type LightningNetwork,
} from '../../../chains/test/support/lightning/lightning-network.ts';
import {
  CLN_RECEIVING,
  CLN_SENDING,
  startClnChain,
} from '../../../chains/test/support/lightning/cln-chain.ts';
import { startLndChain, type LndChain } from '../../../chains/test/support/lightning/lnd-chain.ts';
import { describeOnLitecoind } from '../../../chains/test/support/litecoind.ts';
import {
  createInvoice,
  createPayout,
  resultOf,
  statusOf,
  unavailableCoins,
  type ShownInvoice,
} from '../../test/support/lightning-shop.ts';
import { startService, type Running } from '../../test/support/running-gateway.ts';
import { requireBooks } from '../../test/support/shop.ts';
import { payInvoice } from '../sandbox/pay.ts';
import { createSandboxWorld } from '../sandbox/world.ts';
import type { Io } from '../cli/io.ts';
import { createProgram } from '../cli/program.ts';
import { readChannels } from '../dashboard/node-channels.ts';
import { renderMetrics } from '../http/monitoring/metrics.ts';
import { watchLiquidity } from './liquidity.ts';
import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { kindOf } from '@crypto-checkout/protocol/kind';
import { roundedFee, UsualFees } from '../network-fee/usual-fees.ts';
import { openChains } from './open-chains.ts';
import { findProgress } from './scan-progress.ts';

describeOnLitecoind('a gateway over LND', () => {
  let network: LightningNetwork;
  let lnd: LndChain;
  const services: Running[] = [];
  beforeAll(async () => {
    network = await startLightningNetwork();
  }, 120_000);
  afterAll(() => network.stop());
  beforeEach(async () => {
    lnd = await startLndChain(network);
  });
  afterEach(async () => {
    for (const service of services.splice(0)) await service.close();
    network.payer.holds = false;
    await lnd.close();
  });

  async function start(env: Record<string, string> = {}): Promise<Running> {
    const service = await startService({
      LND_URL: lnd.server.url,
      LND_CERT: lnd.certificateFile,
      LND_MACAROON: lnd.receivingMacaroon,
      LND_SEND_MACAROON: lnd.sendingMacaroon,
      SCAN_INTERVAL_MS: '200',
      ...env,
    });
    services.push(service);
    return service;
  }

  /** Creates an invoice and pays it; returns its id when it is complete. */
  async function paidInvoice(service: Running, amount: string): Promise<string> {
    const { body } = await createInvoice(service, { amount });
    const { lightning, id } = resultOf<ShownInvoice>(body);
    expect(await network.payer.pay(lightning.payment_request!)).toMatchObject({ paid: true });
    await expect.poll(() => statusOf(service, 'invoices', id)).toBe('complete');
    return id;
  }

  it('takes an invoice over HTTP to its end, and pays the money out again', async () => {
    const shop = await startShop();
    const service = await start({
      CALLBACK_URL: shop.url,
      OUTBOUND_ALLOW: `127.0.0.1/32:${shop.port}`,
    });
    const id = await paidInvoice(service, '0.001');
    await expect
      .poll(() =>
        shop.received.some((text) => text.includes('invoice_complete') && text.includes(id)),
      )
      .toBe(true);
    const { request, hash } = network.payer.request(50_000_000n);
    const { body } = await createPayout(service, { address: request, amount: '0.0005' });
    await expect
      .poll(() => statusOf(service, 'payouts', resultOf<{ id: string }>(body).id))
      .toBe('complete');
    expect(network.payer.received(hash)).toBe(50_000_000n);
    await requireBooks(service.context);
    shop.close();
  });

  it('completes an invoice when the node has news, without waiting for the next scan', async () => {
    const service = await start({ SCAN_INTERVAL_MS: '600000', SCAN_ALARM_MINUTES: '30' });
    const readTo = async (): Promise<number> => {
      const { cursor } = await findProgress(service.context.db, 'lightning');
      return cursor?.extra?.['newest'] === undefined ? 0 : 1;
    };
    await expect.poll(readTo).toBe(1);
    await paidInvoice(service, '0.0001');
  });

  it('offers lightning as soon as a locked node is unlocked', async () => {
    const { context } = await start();
    const config = context.config;
    const log = pino({ level: 'silent' });
    lnd.server.fault('locked');
    const opened = await openChains({ config, db: context.db, log });
    const lightning = opened.chains.get('lightning')!;
    expect(lightning.kinds).toEqual([]);
    expect(opened.senders.has('lightning')).toBe(false);
    expect((await lightning.health()).detail).toContain("LND's wallet is locked");
    expect(await opened.openLate()).toEqual([]);
    lnd.server.fault(null);
    expect(await opened.openLate()).toEqual([]);
    expect(lightning.kinds).toContain('BTC_LIGHTNING');
    expect(opened.senders.has('lightning')).toBe(true);
    expect((await lightning.health()).ok).toBe(true);
    lightning.close!();
  });

  it('answers a wallet that scanned an LNURL with a request of the node', async () => {
    const service = await start();
    const created = await createInvoice(service, {
      kind: 'BTC_LIGHTNING_LNURL',
      amount: '0.0002',
    });
    const { id } = resultOf<ShownInvoice>(created.body);
    const offer = await getJson(`${service.url}/lnurl/${id}`);
    const { pr } = await getJson(`${service.url}/lnurl/${id}/callback?amount=20000000`);
    expect(decodeBolt11(pr!)).toMatchObject({
      amountMsat: 20_000_000n,
      nodeKey: network.book.node.id,
      descriptionHash: createHash('sha256').update(offer['metadata']!).digest('hex'),
    });
    expect(await network.payer.pay(pr!)).toMatchObject({ paid: true });
    await expect.poll(() => statusOf(service, 'invoices', id)).toBe('complete');
  });

  it('pays out to an LNURL, through the guard of outgoing requests', async () => {
    const metadata = '[["text/plain","a recipient"]]';
    const wallet = await startWallet(network, metadata);
    const service = await start({ OUTBOUND_ALLOW: `127.0.0.1/32:${wallet.port}` });
    await paidInvoice(service, '0.001');
    const address = encodeLnurl(`http://127.0.0.1:${wallet.port}/pay`);
    const { body } = await createPayout(service, { address, amount: '0.0001' });
    await expect
      .poll(() => statusOf(service, 'payouts', resultOf<{ id: string }>(body).id))
      .toBe('complete');
    expect(wallet.hashes.map((hash) => network.payer.received(hash))).toEqual([10_000_000n]);
    wallet.close();
  });

  it('pays a request once, however many payouts of two gateways have it', async () => {
    const gateways = [await start(), await start()];
    for (const gateway of gateways) await paidInvoice(gateway, '0.01');
    const { request, hash } = network.payer.request(10_000_000n);
    const before = network.book.sends;
    // A key's requests are sent one after another, as its nonces increase.
    const payOut = async (service: Running, count: number): Promise<void> => {
      for (let index = 0; index < count; index += 1) {
        const { body } = await createPayout(service, {
          address: request,
          amount: '0.0001',
          reference_id: `payout ${index}`,
        });
        resultOf(body);
      }
    };
    await Promise.all([payOut(gateways[0]!, 45), payOut(gateways[1]!, 5)]);
    const statuses = async (): Promise<string[]> => {
      const rows = await Promise.all(
        gateways.map(({ context }) => context.db.selectFrom('payout').select('status').execute()),
      );
      return rows.flat().map(({ status }) => status);
    };
    const ended = ['complete', ...Array.from({ length: 49 }, () => 'failed')];
    await expect
      .poll(async () => (await statuses()).toSorted(), { timeout: 40_000 })
      .toEqual(ended);
    expect(network.payer.received(hash)).toBe(10_000_000n);
    expect(network.book.sends - before).toBeLessThanOrEqual(2);
    for (const { context } of gateways) await requireBooks(context);
  });

  it('refuses the request beside an address at the node, once a payment on the chain is seen', async () => {
    const service = await start();
    const members = { kind: 'BTC', amount: '0.0003', with_lightning: true };
    const { id, lightning } = resultOf<ShownInvoice>((await createInvoice(service, members)).body);
    const request = lightning.payment_request!;
    expect(decodeBolt11(request)).toMatchObject({
      amountMsat: 30_000_000n,
      nodeKey: network.book.node.id,
    });
    await payInvoice(service.context, createSandboxWorld(service.context), { invoiceId: id });
    const { paymentHash } = decodeBolt11(request);
    await expect.poll(() => network.book.invoices.get(paymentHash)!.state).toBe('CANCELED');
    expect(await network.payer.pay(request)).toMatchObject({ paid: false });
  });

  it('takes lightning for an invoice that has an address, too', async () => {
    const service = await start();
    const members = { kind: 'BTC', amount: '0.0003', with_lightning: true };
    const { id, lightning } = resultOf<ShownInvoice>((await createInvoice(service, members)).body);
    expect(await network.payer.pay(lightning.payment_request!)).toMatchObject({ paid: true });
    await expect.poll(() => statusOf(service, 'invoices', id)).toBe('complete');
    await requireBooks(service.context);
  });

  it('refuses a payout from lightning to the chain, whose coins are elsewhere', async () => {
    const service = await start();
    const { status, body } = await createPayout(service, {
      kind: 'BTC_LIGHTNING_TO_BTC',
      address: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
      amount: '0.0001',
    });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain(
      'must not be BTC_LIGHTNING_TO_BTC on a real lightning node, whose coins are in its channels; pay out BTC',
    );
  });

  it('refuses an amount that the channels cannot receive', async () => {
    const service = await start();
    const { status, body } = await createInvoice(service, { amount: '199' });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('is more than lightning can receive now');
  });

  it('shows its liquidity, and offers nothing that cannot be received', async () => {
    const service = await start();
    expect(await lightningFee(service)).toMatch(/^0\.0\d+$/);
    await paidInvoice(service, '0.0001');
    const metrics = await renderMetrics(service.context);
    expect(metrics).toMatch(/crypto_checkout_chain_receivable\{chain="lightning"\} 1[45]\d\./);
    expect(metrics).toMatch(/crypto_checkout_chain_sendable\{chain="lightning"\} 4\d\./);
    await watchLiquidity(service.context);
    expect(await alarms(service)).toEqual([]);
    const [node] = await readChannels(service.context);
    expect(node).toMatchObject({ name: 'Lightning', currency: 'BTC', open: { channels: 1 } });
    expect(await unavailableCoins(service)).toEqual([]);
    const listed = await chainsList(service);
    expect(listed).toMatchObject({
      receivable: expect.stringMatching(/^1[45]\d\./) as string,
      sendable: expect.stringMatching(/^4\d\./) as string,
    });
    await network.connect(false);
    try {
      await watchLiquidity(service.context);
      expect(await alarms(service)).toEqual([
        'The lightning node has no usable channel: nothing can be received or paid out',
      ]);
      const { status, body } = await createInvoice(service, { amount: '0.0001' });
      expect({ status, reason: body['reason'] }).toEqual({
        status: 400,
        reason: 'CurrencyNotEnabled',
      });
      expect(await unavailableCoins(service)).toContain('BTC_LIGHTNING');
    } finally {
      await network.connect(true);
    }
    await watchLiquidity(service.context);
    expect(await alarms(service)).toEqual([]);
    await paidInvoice(service, '0.0001');
  });

  it.each([
    [{ LND_URL: 'http://127.0.0.1:8080' }, 'LND_URL must be an https URL'],
    [{ LND_MACAROON: '' }, 'LND_URL needs LND_MACAROON'],
    [{ LND_URL: '' }, 'LND_CERT and LND_MACAROON need LND_URL'],
    [{ LND_CERT: '/nowhere' }, "LND_CERT must be the path of the node's certificate"],
    [{ LND_FEE_LIMIT: 'much' }, 'LND_FEE_LIMIT must be a percentage below 100'],
    [{ KEYS_MODE: 'watch' }, 'LND_SEND_MACAROON lets this service pay, which KEYS_MODE=watch'],
    [
      { KEYS_MODE: 'signer', SIGNER_URL: 'unix:/nowhere.sock' },
      'which KEYS_MODE=signer excludes; leave it out, and give it to the signer process.',
    ],
  ])('does not start with %j', async (env, sentence) => {
    await expect(start(env as Record<string, string>)).rejects.toThrow(sentence);
  });

  it('takes an invoice and pays out over Core Lightning', async () => {
    const cln = await startClnChain(network);
    const none = { LND_URL: '', LND_CERT: '', LND_MACAROON: '', LND_SEND_MACAROON: '' };
    const node = {
      ...none,
      CLN_URL: cln.server.url,
      CLN_CERT: cln.certificateFile,
      CLN_RUNE: cln.server.rune(CLN_RECEIVING),
      CLN_SEND_RUNE: cln.server.rune(CLN_SENDING),
    };
    try {
      const service = await start({
        ...node,
        SCAN_INTERVAL_MS: '600000',
        SCAN_ALARM_MINUTES: '30',
      });
      await paidInvoice(service, '0.001');
      await service.close();
      services.pop();
      const again = await start(node);
      await paidInvoice(again, '0.001');
      const { request, hash } = network.payer.request(50_000_000n);
      const { body } = await createPayout(again, { address: request, amount: '0.0005' });
      await expect
        .poll(() => statusOf(again, 'payouts', resultOf<{ id: string }>(body).id))
        .toBe('complete');
      expect(network.payer.received(hash)).toBe(50_000_000n);
      await requireBooks(again.context);
      const wrong = { CLN_RUNE: cln.server.rune([...CLN_RECEIVING, 'xpay']) };
      await expect(start({ ...node, ...wrong })).rejects.toThrow('CLN_RUNE allows xpay');
      const both = { LND_URL: lnd.server.url, LND_MACAROON: lnd.receivingMacaroon };
      await expect(start({ ...node, ...both })).rejects.toThrow(
        'LND_URL and CLN_URL exclude each other',
      );
      await expect(start({ ...node, CLN_RUNE: '' })).rejects.toThrow('CLN_URL needs CLN_RUNE');
      await expect(start({ ...none, CLN_RUNE: 'x' })).rejects.toThrow('CLN_RUNE need CLN_URL');
      await expect(start({ ...node, KEYS_MODE: 'watch' })).rejects.toThrow(
        'CLN_SEND_RUNE lets this service pay, which KEYS_MODE=watch excludes',
      );
    } finally {
      for (const service of services.splice(0)) await service.close();
      await cln.close();
    }
  });

  it('takes an invoice over phoenixd, and pays nothing out', async () => {
    const phoenixd = await startPhoenixdChain(network);
    const { passwords, url } = phoenixd.server;
    const none = { LND_URL: '', LND_CERT: '', LND_MACAROON: '', LND_SEND_MACAROON: '' };
    const node = { ...none, PHOENIXD_URL: url, PHOENIXD_PASSWORD: passwords.limited };
    try {
      const service = await start(node);
      await paidInvoice(service, '0.001');
      // phoenixd takes the price of a channel out of the next payment.
      const { body: made } = await createInvoice(service, { amount: '0.001' });
      const bought = resultOf<ShownInvoice>(made);
      const request = bought.lightning.payment_request!;
      phoenixd.server.fees.set(decodeBolt11(request).paymentHash, 15_803_417n);
      await network.payer.pay(request);
      await expect.poll(() => statusOf(service, 'invoices', bought.id)).toBe('complete');
      const held = async () => {
        const { rows } = await sql<{ amount: string }>`select sum(amount)::text as amount
          from balance where currency = 'BTC' and bucket = 'available'`.execute(service.context.db);
        return formatAmount(parseAmount(rows[0]?.amount ?? '0'));
      };
      await expect.poll(held).toBe('0.00184196583');
      const other = network.payer.request(50_000_000n);
      const refused = await createPayout(service, { address: other.request, amount: '0.0005' });
      expect(refused.body).toMatchObject({ result: 'error', reason: 'CurrencyNotEnabled' });
      expect(network.payer.received(other.hash)).toBe(0n);
      await requireBooks(service.context);
      const wrong: [Record<string, string>, string][] = [
        [{ PHOENIXD_PASSWORD: passwords.full }, 'PHOENIXD_PASSWORD may pay'],
        [{ PHOENIXD_PASSWORD: '' }, 'PHOENIXD_URL and PHOENIXD_PASSWORD belong together'],
        [{ PHOENIXD_URL: 'http://node.example:9740' }, 'must be an http URL on this machine'],
        [
          { LND_URL: lnd.server.url, LND_MACAROON: lnd.receivingMacaroon },
          'LND_URL and PHOENIXD_URL exclude each other',
        ],
      ];
      for (const [env, sentence] of wrong)
        await expect(start({ ...node, ...env })).rejects.toThrow(sentence);
    } finally {
      for (const service of services.splice(0)) await service.close();
      await phoenixd.close();
    }
  });

  it('does not start with macaroons of the wrong kind', async () => {
    await expect(start({ LND_MACAROON: lnd.sendingMacaroon })).rejects.toThrow(
      'LND_MACAROON also allows offchain:write; bake one that only receives',
    );
    await expect(start({ LND_SEND_MACAROON: lnd.receivingMacaroon })).rejects.toThrow(
      'LND_SEND_MACAROON lacks offchain:write; bake it again',
    );
  });
});

/** The usual fee of a payment over lightning, in US dollars, as the picker gets it. */
async function lightningFee({ context }: Running): Promise<string | undefined> {
  const fees = await new UsualFees(context).inDollars(await context.rates.current());
  const fee = fees.get(kindOf('BTC_LIGHTNING')!);
  return fee == null ? undefined : formatAmount(roundedFee(fee));
}

/** The row of `chains list` for lightning. */
async function chainsList({ context }: Running): Promise<unknown> {
  const lines: string[] = [];
  const none = (): void => {};
  const io: Io = {
    config: () => context.config,
    open: async () => ({ context, close: async () => {} }),
    input: () => Buffer.alloc(0),
    out: (line) => void lines.push(line),
    note: none,
    progress: none,
    resolve: async () => [],
  };
  await createProgram(io).parseAsync(['--json', 'chains', 'list'], { from: 'user' });
  const rows = JSON.parse(lines.join('\n')) as { chain: string }[];
  return rows.find(({ chain }) => chain === 'lightning');
}

async function alarms({ context }: Running): Promise<string[]> {
  const rows = await context.db.selectFrom('alarm').select('reason').execute();
  return rows.map(({ reason }) => reason);
}

async function getJson(url: string): Promise<Record<string, string>> {
  return (await (await fetch(url)).json()) as Record<string, string>;
}

interface Listening {
  port: number;
  close(): void;
}

async function listen(server: Server): Promise<Listening> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A shop that keeps the callbacks that it receives. */
async function startShop(): Promise<Listening & { url: string; received: string[] }> {
  const received: string[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (data) => (text += String(data)));
    request.on('end', () => {
      received.push(text);
      response.end('ok');
    });
  });
  const listening = await listen(server);
  return { ...listening, url: `http://127.0.0.1:${listening.port}/`, received };
}

/** A wallet with an LNURL (LUD-06), whose requests are made by its own node. */
async function startWallet(
  { payer }: LightningNetwork,
  metadata: string,
): Promise<Listening & { hashes: string[] }> {
  const hashes: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', `http://${request.headers.host ?? ''}`);
    const amount = url.searchParams.get('amount');
    if (amount === null) {
      const offer = { minSendable: 1_000, maxSendable: 100_000_000_000, metadata };
      response.end(
        JSON.stringify({ tag: 'payRequest', callback: `${url.origin}/callback`, ...offer }),
      );
      return;
    }
    const made = payer.request(BigInt(amount), 3_600, metadata);
    hashes.push(made.hash);
    response.end(JSON.stringify({ pr: made.request, routes: [] }));
  });
  return { ...(await listen(server)), hashes };
}
