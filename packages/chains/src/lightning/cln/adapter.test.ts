import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  CLN_RECEIVING,
  startClnChain,
  type ClnChain,
} from '../../../test/support/lightning/cln-chain.ts';
import {
  startLightningNetwork,
  type LightningNetwork,
} from '../../../test/support/lightning/lightning-network.ts';
import { validCertificate } from '../../../test/support/lightning/lnd-server.ts';
import { describeOnLitecoind } from '../../../test/support/litecoind.ts';
import { testReceiving, watched } from '../../../test/support/lightning/receiving.ts';
import { Observer } from '../../../test/support/observer.ts';
import { decodeBolt11 } from '../bolt11.ts';
import { readRune, requireReceivingRune, requireSendingRune } from './rune.ts';

const SATOSHI = parseAmount('0.00000001');

describeOnLitecoind('Core Lightning', () => {
  let network: LightningNetwork;
  let chain: ClnChain;
  beforeAll(async () => {
    network = await startLightningNetwork();
  }, 120_000);
  afterAll(() => network.stop());
  beforeEach(async () => {
    chain = await startClnChain(network);
  });
  afterEach(async () => {
    network.book.holds = false;
    await chain.close();
  });

  testReceiving(() => ({ network, chain }));

  describe('payment requests', () => {
    it('carry the description hash of an LNURL, which the node makes from the text', async () => {
      const text = '[["text/plain","x"]]';
      const descriptionHash = createHash('sha256').update(text).digest('hex');
      const { lightning } = await chain.derive({
        amount: SATOSHI,
        descriptionHash,
        hashedDescription: text,
      });
      expect(decodeBolt11(lightning!.paymentRequest!)).toMatchObject({ descriptionHash });
    });

    it('are refused once they are cancelled, and one that was paid is left', async () => {
      const observer = await Observer.begin(chain);
      const node = chain.node();
      const open = await watched(chain, observer, { amount: SATOSHI });
      await node.cancelInvoice(open.lightning!.paymentHash!);
      await node.cancelInvoice(open.lightning!.paymentHash!);
      expect(await network.payer.pay(open.lightning!.paymentRequest!)).toMatchObject({
        paid: false,
      });
      const paid = await watched(chain, observer, { amount: SATOSHI });
      await chain.pay(paid, SATOSHI);
      await node.cancelInvoice(paid.lightning!.paymentHash!);
      await observer.look();
      expect(observer.payments).toHaveLength(1);
    });
  });

  describe('payments', () => {
    it('are found although the newest invoice was deleted', async () => {
      const observer = await Observer.begin(chain);
      const first = await watched(chain, observer, {});
      await chain
        .node()
        .cancelInvoice((await watched(chain, observer, {})).lightning!.paymentHash!);
      await observer.look();
      const { height } = observer.cursor!;
      await chain.pay(first, SATOSHI);
      await observer.look();
      expect(observer.payments).toHaveLength(1);
      expect(observer.cursor!.height).toBeGreaterThan(height);
    });
  });

  it.each([['simnet', 'CLN_URL: the node is on the network simnet; use a node on mainnet']])(
    'is refused on another network: %s',
    async (name, sentence) => {
      chain.server.info.network = name;
      await expect(chain.setUp()).rejects.toThrow(sentence);
    },
  );

  it('is refused while it synchronises, when it is too old, and when it is no such node', async () => {
    chain.server.info.synced = false;
    await expect(chain.setUp()).rejects.toThrow('CLN_URL: the node is still synchronising');
    chain.server.info.synced = true;
    chain.server.info.version = 'v24.08.2';
    await expect(chain.setUp()).rejects.toThrow(
      'CLN_URL: the node runs Core Lightning v24.08.2; update it to 24.11 or newer.',
    );
    for (const [fault, sentence] of [
      ['silent', 'CLN_URL: The node does not answer (ECONNRESET)'],
      ['proxy', 'CLN_URL: The node does not answer like Core Lightning (HTTP 404)'],
      ['empty', 'CLN_URL: The node returned an unexpected answer for getinfo'],
    ] as const) {
      chain.server.fault(fault);
      await expect(chain.setUp()).rejects.toThrow(sentence);
    }
  });

  it('is refused with a rune that allows too little, and with another certificate', async () => {
    await expect(chain.setUp(['getinfo'])).rejects.toThrow(
      'CLN_RUNE: the node does not accept the rune for this call; make one on this node: lightning-cli createrune',
    );
    writeFileSync(chain.certificateFile, validCertificate().certificate);
    await expect(chain.setUp()).rejects.toThrow(
      "CLN_CERT: the node shows another certificate; set CLN_CERT to a copy of clnrest's present server.pem.",
    );
  });

  describe('a rune', () => {
    it('may receive, and not spend', () => {
      const { rune } = chain.server;
      requireReceivingRune('CLN_RUNE', rune(CLN_RECEIVING));
      expect(() => requireReceivingRune('CLN_RUNE', rune([...CLN_RECEIVING, 'xpay']))).toThrow(
        'CLN_RUNE allows xpay; make one that only receives: lightning-cli createrune',
      );
      expect(() => requireReceivingRune('CLN_RUNE', rune(null))).toThrow(
        'CLN_RUNE allows every call',
      );
      expect(() => requireReceivingRune('CLN_RUNE', rune(['getinfo']))).toThrow(
        'CLN_RUNE lacks invoice, ',
      );
      requireSendingRune('CLN_SEND_RUNE', rune(null));
      expect(() => requireSendingRune('CLN_SEND_RUNE', rune(CLN_RECEIVING))).toThrow(
        'CLN_SEND_RUNE lacks xpay; make it again',
      );
    });

    it('is read from its text and from a file', () => {
      const rune = chain.server.rune(CLN_RECEIVING);
      const file = `${chain.certificateFile}.rune`;
      writeFileSync(file, `${rune}\n`);
      expect([readRune('CLN_RUNE', rune), readRune('CLN_RUNE', file)]).toEqual([rune, rune]);
      expect(() => readRune('CLN_RUNE', '/nowhere/secret-name')).toThrow(
        'CLN_RUNE must be a rune, or a file of this user with one',
      );
    });
  });

  it('shows what can be received and sent', async () => {
    const { channels, receivable, sendable } = await (await chain.open()).liquidity!();
    expect(channels).toBe(1);
    expect(receivable > 0n && sendable > 0n).toBe(true);
  });
});
