import { parseAmount } from '@crypto-checkout/protocol/amount';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { describeFacts } from '../../../test/contract.ts';
import {
  startLightningNetwork,
  type LightningNetwork,
} from '../../../test/support/lightning/lightning-network.ts';
import { NOT_OVER_LIGHTNING } from '../../../test/support/lightning/node-chain.ts';
import {
  startPhoenixdChain,
  type PhoenixdChain,
} from '../../../test/support/lightning/phoenixd-chain.ts';
import { describeOnLitecoind } from '../../../test/support/litecoind.ts';
import { Observer } from '../../../test/support/observer.ts';
import { decodeBolt11 } from '../bolt11.ts';
import { paidAmount } from './adapter.ts';

const SATOSHI = parseAmount('0.00000001');

describeOnLitecoind('phoenixd', () => {
  let network: LightningNetwork;
  beforeAll(async () => {
    network = await startLightningNetwork();
  }, 120_000);
  afterAll(() => network.stop());

  describeFacts('BTC over phoenixd', {
    create: () => startPhoenixdChain(network),
    except: NOT_OVER_LIGHTNING,
  });

  describe('receiving', () => {
    let chain: PhoenixdChain;
    beforeEach(async () => {
      chain = await startPhoenixdChain(network);
    });
    afterEach(() => chain.close());

    it('requests whole satoshis, with expiry, description and description hash', async () => {
      const one = await chain.derive({ amount: parseAmount('0.00012345678'), expirySeconds: 321 });
      expect(decodeBolt11(one.lightning!.paymentRequest!)).toMatchObject({
        amountMsat: 12_346_000n,
        expirySeconds: 321,
        description: 'Order 1001',
        nodeKey: network.book.node.id,
      });
      const descriptionHash = 'ab'.repeat(32);
      const child = await chain.derive({ amount: SATOSHI, descriptionHash });
      expect(decodeBolt11(child.lightning!.paymentRequest!)).toMatchObject({ descriptionHash });
      const long = await chain.derive({ amount: null, description: 'ö'.repeat(300) });
      expect(decodeBolt11(long.lightning!.paymentRequest!).amountMsat).toBeNull();
    });

    it('counts the amount that the buyer paid, from which phoenixd took its fee', async () => {
      const observer = await Observer.begin(chain);
      const target = await chain.derive({ amount: 18_037n * SATOSHI });
      observer.watchTarget(target);
      chain.server.fees.set(target.lightning!.paymentHash!, 15_803_417n);
      await chain.pay(target, 18_037n * SATOSHI);
      await observer.look();
      expect(observer.payment.amount).toBe(18_037n * SATOSHI);
    });

    it('reads more payments than a page has, each once, also after an interruption', async () => {
      const observer = await Observer.begin(chain);
      const target = await chain.derive({ amount: SATOSHI });
      await chain.pay(target, SATOSHI);
      const { invoices } = network.book;
      const first = invoices.get(target.lightning!.paymentHash!)!;
      const paid = Array.from({ length: 205 }, (_, at) =>
        at.toString(16).padStart(4, '0').padEnd(64, 'a'),
      );
      for (const [at, hash] of paid.entries())
        invoices.set(hash, { ...first, hash, settleIndex: first.settleIndex + 1 + at });
      observer.watchTarget({ ...target, watchKeys: paid.map((hash) => `ln:${hash}`) });
      await observer.restart();
      await observer.lookToTip(40);
      expect(observer.payments.map(({ txid }) => txid).toSorted()).toEqual(paid.toSorted());
      expect((await observer.look()).events).toEqual([]);
      for (const hash of paid) invoices.delete(hash);
    });

    it('finds a payment that is listed later than a newer one', async () => {
      const observer = await Observer.begin(chain);
      const [older, newer] = [await chain.derive({}), await chain.derive({})];
      observer.watchTarget(older);
      observer.watchTarget(newer);
      await chain.pay(older, SATOSHI);
      const hidden = network.book.invoices.get(older.lightning!.paymentHash!)!;
      network.book.invoices.delete(hidden.hash);
      await chain.pay(newer, SATOSHI);
      await observer.look();
      expect(observer.payments).toHaveLength(1);
      network.book.invoices.set(hidden.hash, { ...hidden, settledAt: hidden.settledAt - 500 });
      await observer.look();
      expect(observer.payments).toHaveLength(2);
    });

    it("finds the payments that follow while the node's clock is set right again", async () => {
      const { invoices } = network.book;
      const observer = await Observer.begin(chain);
      const [ahead, next] = [await chain.derive({}), await chain.derive({})];
      observer.watchTarget(ahead);
      observer.watchTarget(next);
      await chain.pay(ahead, SATOSHI);
      const early = invoices.get(ahead.lightning!.paymentHash!)!;
      invoices.set(early.hash, { ...early, settledAt: early.settledAt + 7_200 });
      await observer.look();
      expect(observer.payments).toHaveLength(1);
      await chain.pay(next, SATOSHI);
      await observer.look();
      expect(observer.payments).toHaveLength(2);
      expect((await observer.look()).events).toEqual([]);
      invoices.delete(early.hash);
    });

    it('refuses a password that may pay, a wrong one, and an older version', async () => {
      await expect(chain.setUp(chain.server.passwords.full)).rejects.toThrow(
        'PHOENIXD_PASSWORD may pay; use http-password-limited-access of phoenix.conf',
      );
      await expect(chain.setUp('another')).rejects.toThrow('PHOENIXD_PASSWORD: the node refuses');
      chain.server.info.version = '0.5.1';
      await expect(chain.setUp()).rejects.toThrow(
        'PHOENIXD_URL: the node runs phoenixd 0.5.1; update it to 0.6 or newer.',
      );
      chain.server.fault('proxy');
      await expect(chain.setUp()).rejects.toThrow('PHOENIXD_URL: The node refuses the request');
    });
  });
});

it('the fee and what it left make the amount, whose rest to a satoshi is cut off', () => {
  const paid = (receivedSat: bigint, fees: bigint) =>
    paidAmount({
      paymentHash: '',
      isPaid: true,
      receivedSat,
      fees,
      completedAt: 1,
    });
  // 18,037,000 millisatoshis less 15,803,417 are 2,233,583, of which 2,233 satoshis are shown.
  expect(paid(2_233n, 15_803_417n)).toBe(18_037n * SATOSHI);
  expect(paid(5_000n, 0n)).toBe(5_000n * SATOSHI);
});
