import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCertificate } from '../../../test/support/lightning/certificate.ts';
import { describeOnLitecoind } from '../../../test/support/litecoind.ts';
import {
  startLightningNetwork,
  type LightningNetwork,
} from '../../../test/support/lightning/lightning-network.ts';
import {
  startLndChain,
  SETTINGS,
  type LndChain,
} from '../../../test/support/lightning/lnd-chain.ts';
import { validCertificate } from '../../../test/support/lightning/lnd-server.ts';
import { testReceiving, watched } from '../../../test/support/lightning/receiving.ts';
import { Observer } from '../../../test/support/observer.ts';
import { decodeBolt11 } from '../bolt11.ts';
import { createLndAdapter } from './adapter.ts';
import { readMacaroon, requireReceiving, requireSending } from './macaroon.ts';
import { createLndRest } from './rest.ts';
import { setUpLnd } from './setup.ts';

const SATOSHI = parseAmount('0.00000001');

describeOnLitecoind('LND', () => {
  let network: LightningNetwork;
  let chain: LndChain;
  beforeAll(async () => {
    network = await startLightningNetwork();
  }, 120_000);
  afterAll(() => network.stop());
  beforeEach(async () => {
    chain = await startLndChain(network);
  });
  afterEach(async () => {
    network.book.holds = false;
    await chain.close();
  });

  const setUp = () => setUpLnd(chain.node(), SETTINGS);

  testReceiving(() => ({ network, chain }));

  describe('payment requests', () => {
    it('carry the description hash of an LNURL', async () => {
      const descriptionHash = createHash('sha256').update('[["text/plain","x"]]').digest('hex');
      const { lightning } = await chain.derive({ amount: SATOSHI, descriptionHash });
      expect(decodeBolt11(lightning!.paymentRequest!)).toMatchObject({
        descriptionHash,
        description: null,
      });
    });
  });

  it('offers no lightning while the channels can receive nothing', async () => {
    const { receivable, ...rest } = await chain.node().channels();
    let left = 0n;
    const node = { ...chain.node(), channels: async () => ({ ...rest, receivable: left }) };
    const adapter = createLndAdapter({ node, setup: await setUp() });
    const request = () =>
      adapter.deriveTarget({
        kind: 'BTC_LIGHTNING',
        index: 1,
        amount: SATOSHI,
        expirySeconds: 900,
        description: 'Order 1001',
        now: Date.now(),
      });
    await adapter.liquidity!();
    expect(adapter.kinds).toEqual([]);
    await expect(request()).rejects.toThrow(
      'The channels of the lightning node can receive nothing now',
    );
    left = receivable;
    await adapter.liquidity!();
    expect(adapter.kinds).toContain('BTC_LIGHTNING');
    expect((await request()).lightning!.paymentRequest).toMatch(/^lnbcrt/);
    adapter.close!();
  });

  describe('payments', () => {
    it('count with the amount that arrived, not with the one that was asked for', async () => {
      const observer = await Observer.begin(chain);
      const target = await watched(chain, observer, { amount: 1_000n * SATOSHI });
      const { paymentRequest } = target.lightning!;
      expect(await network.payer.pay(paymentRequest!, 900_000n)).toMatchObject({ paid: false });
      await observer.look();
      expect(observer.payments).toEqual([]);
      expect(await network.payer.pay(paymentRequest!, 1_250_000n)).toMatchObject({ paid: true });
      await observer.look();
      expect(observer.payments).toMatchObject([{ amount: 1_250n * SATOSHI, state: 'block' }]);
    });

    it('are taken once, and in time', async () => {
      const observer = await Observer.begin(chain);
      const { lightning } = await watched(chain, observer, { amount: SATOSHI, expirySeconds: 900 });
      expect(await network.payer.pay(lightning!.paymentRequest!)).toMatchObject({ paid: true });
      expect(await network.payer.pay(lightning!.paymentRequest!)).toMatchObject({ paid: false });
      const short = await watched(chain, observer, { amount: SATOSHI, expirySeconds: 1 });
      await new Promise((resolve) => setTimeout(resolve, 2_100));
      expect(await network.payer.pay(short.lightning!.paymentRequest!)).toMatchObject({
        paid: false,
      });
      await observer.look();
      expect(observer.payments).toHaveLength(1);
    });

    it('are found after the node restarted, on the same connection', async () => {
      const observer = await Observer.begin(chain);
      await chain.pay(await watched(chain, observer, {}), SATOSHI);
      await observer.look();
      const target = await watched(chain, observer, {});
      await chain.server.restart();
      await chain.pay(target, SATOSHI);
      await observer.look().catch(() => observer.look());
      expect(observer.payments).toHaveLength(2);
    });

    it('are read in portions, each once', async () => {
      const observer = await Observer.begin(chain);
      for (let count = 0; count < 3; count += 1)
        await chain.pay(await watched(chain, observer, {}), SATOSHI);
      const looks = await observer.lookToTip(2);
      expect(looks.map(({ caughtUp }) => caughtUp)).toEqual([false, true]);
      expect(observer.payments).toHaveLength(3);
    });

    it('stay at their height when the node lost its invoices, and later ones are found', async () => {
      const observer = await Observer.begin(chain);
      await chain.pay(await watched(chain, observer, {}), SATOSHI);
      await observer.look();
      const { height } = observer.cursor!;
      network.book.forget();
      const target = await watched(chain, observer, {});
      await observer.look();
      await chain.pay(target, SATOSHI);
      await observer.look();
      expect(observer.payments).toHaveLength(2);
      expect(observer.payments.every(({ state }) => state === 'block')).toBe(true);
      expect(observer.cursor!.height).toBeGreaterThan(height);
    });
  });

  describe('a node that cannot be used', () => {
    it.each([
      ['simnet', 'LND_URL: the node is on the network simnet; use a node on mainnet, testnet'],
    ])('is on another network: %s', async (name, sentence) => {
      chain.server.info.network = name;
      await expect(setUp()).rejects.toMatchObject({ name: 'ConfigError' });
      await expect(setUp()).rejects.toThrow(sentence);
    });

    it('synchronises', async () => {
      chain.server.info.synced = false;
      await expect(setUp()).rejects.toMatchObject({ name: 'UnavailableError' });
      await expect(setUp()).rejects.toThrow('LND_URL: the node is still synchronising (block ');
    });

    it('is too old', async () => {
      chain.server.info.version = '0.17.4-beta';
      await expect(setUp()).rejects.toThrow(
        'LND_URL: the node runs LND 0.17.4-beta; update it to 0.18 or newer.',
      );
    });

    it('has a locked wallet', async () => {
      chain.server.fault('locked');
      await expect(setUp()).rejects.toMatchObject({ name: 'UnavailableError' });
      await expect(setUp()).rejects.toThrow(
        "LND_URL: LND's wallet is locked; unlock it with lncli",
      );
    });

    it('is starting, silent, or behind a proxy without it', async () => {
      for (const [fault, sentence] of [
        ['starting', 'LND_URL: LND is starting'],
        ['silent', 'LND_URL: The node does not answer (ECONNRESET)'],
        ['proxy', 'LND_URL: The node does not answer like LND (HTTP 404)'],
        ['empty', 'LND_URL: The node returned an unexpected answer for /v1/getinfo'],
      ] as const) {
        chain.server.fault(fault);
        await expect(setUp()).rejects.toMatchObject({ name: 'UnavailableError' });
        await expect(setUp()).rejects.toThrow(sentence);
      }
    });

    it('rejects the macaroon, or gives it no right', async () => {
      for (const permissions of [['info:read'], ['info:read', 'invoices:read']]) {
        const refused = setUpLnd(chain.node(permissions), SETTINGS);
        await expect(refused).rejects.toMatchObject({ name: 'ConfigError' });
        await expect(refused).rejects.toThrow(
          'LND_MACAROON: the macaroon does not allow a call that is needed; bake one on this node: lncli bakemacaroon info:read invoices:read invoices:write offchain:read.',
        );
      }
      const rest = createLndRest({
        url: chain.server.url,
        certificateFile: chain.certificateFile,
        macaroon: readMacaroon('LND_MACAROON', '02'.repeat(40)),
      });
      await expect(rest.call({ path: '/v1/getinfo', answer: anything })).rejects.toThrow(
        'the node does not accept the macaroon',
      );
    });
  });

  describe('the certificate', () => {
    it('is refused when it is another one than LND_CERT, or has none to compare with', async () => {
      writeFileSync(chain.certificateFile, validCertificate().certificate);
      await expect(setUp()).rejects.toMatchObject({ name: 'ConfigError' });
      await expect(setUp()).rejects.toThrow(
        "LND_CERT: the node shows another certificate; set LND_CERT to a copy of the node's present tls.cert.",
      );
      const rest = createLndRest({
        url: chain.server.url,
        certificateFile: null,
        macaroon: readMacaroon('LND_MACAROON', chain.receivingMacaroon),
      });
      await expect(rest.call({ path: '/v1/getinfo', answer: anything })).rejects.toThrow(
        'the node shows another certificate',
      );
    });

    it('is refused when it has expired', async () => {
      const expired = createCertificate(new Date('2020-01-01'), new Date('2020-02-01'));
      await chain.server.restart(expired);
      writeFileSync(chain.certificateFile, expired.certificate);
      await expect(setUp()).rejects.toThrow(
        "LND_CERT: the node's certificate has expired; delete tls.cert and tls.key of LND, restart it, and copy the new tls.cert.",
      );
    });

    it('is read again when the node has a new one', async () => {
      const node = chain.node();
      await node.info();
      await chain.server.restart(validCertificate());
      writeFileSync(chain.certificateFile, chain.server.certificate());
      expect((await node.info()).identity_pubkey).toBe(network.book.node.id);
    });
  });

  describe('the macaroon', () => {
    it('may receive, and not spend', () => {
      const spending = chain.server.bakery.bake(['info:read', 'invoices:read', 'offchain:write']);
      expect(() =>
        requireReceiving('LND_MACAROON', readMacaroon('LND_MACAROON', spending)),
      ).toThrow(
        'LND_MACAROON also allows offchain:write; bake one that only receives: lncli bakemacaroon ',
      );
      const poor = chain.server.bakery.bake(['invoices:read', 'invoices:write']);
      expect(() => requireReceiving('LND_MACAROON', readMacaroon('LND_MACAROON', poor))).toThrow(
        'LND_MACAROON lacks info:read, offchain:read; bake it again',
      );
      const right = readMacaroon('LND_MACAROON', chain.receivingMacaroon);
      requireReceiving('LND_MACAROON', right);
      expect(() => requireSending('LND_SEND_MACAROON', right)).toThrow(
        'LND_SEND_MACAROON lacks offchain:write; bake it again',
      );
    });

    it('is read from hex, from a file of LND, and from a file of hex', () => {
      const hex = chain.receivingMacaroon;
      for (const content of [Buffer.from(hex, 'hex'), `${hex}\n`]) {
        const file = `${chain.certificateFile}.macaroon`;
        writeFileSync(file, content);
        expect(readMacaroon('LND_MACAROON', file)).toEqual(readMacaroon('LND_MACAROON', hex));
      }
      expect(() => readMacaroon('LND_MACAROON', '/nowhere/secret-name')).toThrow(
        'LND_MACAROON must be the hex digits of a macaroon, or a file of this user with one',
      );
    });

    it('is in no message, and neither is the address', async () => {
      const { port, host } = new URL(chain.server.url);
      const errors: unknown[] = [];
      for (const fault of ['silent', 'empty', 'locked', 'proxy'] as const) {
        chain.server.fault(fault);
        await setUp().catch((error: unknown) => errors.push(error));
      }
      await chain.server.stop();
      await setUp().catch((error: unknown) => errors.push(error));
      await chain.server.restart().catch(() => {});
      const texts = errors.flatMap(textsOf).join('\n');
      expect(errors).toHaveLength(5);
      for (const secret of [chain.receivingMacaroon, host, port])
        expect(texts).not.toContain(secret);
    });
  });

  it('shows what can be received and sent', async () => {
    const adapter = await chain.open();
    const before = await adapter.liquidity!();
    expect(before.channels).toBe(1);
    await chain.pay(await chain.derive({}), parseAmount('0.5'));
    // The payer has its proof before the channel has its new balance.
    await expect
      .poll(async () => {
        const after = await adapter.liquidity!();
        return [after.sendable - before.sendable, before.receivable - after.receivable];
      })
      .toEqual([parseAmount('0.5'), parseAmount('0.5')]);
  });
});

const anything = { safeParse: (data: unknown) => ({ success: true, data }) } as never;

function textsOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)];
  return [error.message, error.stack ?? '', ...textsOf(error.cause ?? '')];
}
