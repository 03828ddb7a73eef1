import { fromUnits } from '@crypto-checkout/protocol/amount';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { startClnChain, type ClnChain } from '../../../test/support/lightning/cln-chain.ts';
import {
  startLightningNetwork,
  until,
  type LightningNetwork,
} from '../../../test/support/lightning/lightning-network.ts';
import { describeOnLitecoind } from '../../../test/support/litecoind.ts';
import type { ChainSender, SignedTransaction } from '../../sender.ts';
import { createSigner } from '../../signer.ts';

const MINUTE_MS = 60_000;
const signer = createSigner(new Uint8Array(64).fill(1));

describeOnLitecoind('payouts over Core Lightning', () => {
  let network: LightningNetwork;
  let chain: ClnChain;
  let sender: ChainSender;
  let now: number;
  beforeAll(async () => {
    network = await startLightningNetwork();
  }, 120_000);
  afterAll(() => network.stop());
  beforeEach(async () => {
    now = Date.now();
    chain = await startClnChain(network);
    sender = await chain.openSender(() => now);
  });
  afterEach(async () => {
    network.payer.holds = false;
    await chain.close();
  });

  const plan = (request: string, hash: string, msat: bigint) =>
    sender.plan({
      id: 'a payout',
      asset: 'BTC',
      outputs: [
        {
          address: hash,
          tag: null,
          memo: null,
          amount: fromUnits(msat, 11),
          paymentRequest: request,
        },
      ],
      preset: 'normal',
      feeRate: null,
      feeReserve: fromUnits(1_000_000n, 11),
      minNonce: 0,
    });

  async function signedPlan(
    request: string,
    hash: string,
    msat: bigint,
  ): Promise<SignedTransaction> {
    const planned = await plan(request, hash, msat);
    if (planned.type !== 'plan') throw new Error(JSON.stringify(planned));
    return signer.sign({ id: 'a payout', purpose: 'payout', plan: planned.plan });
  }
  const lookUp = (signed: SignedTransaction) => sender.lookUp({ nonce: null, attempts: [signed] });
  const isPaid = (signed: SignedTransaction) =>
    until(async () => (await lookUp(signed)).state === 'block');

  it('pay a request once, and have its proof and fee', async () => {
    const { request, hash } = network.payer.request(30_000_123n);
    const signed = await signedPlan(request, hash, 30_000_123n);
    expect(await lookUp(signed)).toEqual({ state: 'unseen' });
    expect(await sender.broadcast(signed.raw)).toEqual({ result: 'ok' });
    await isPaid(signed);
    expect(await lookUp(signed)).toMatchObject({ txid: hash, fee: 0n, succeeded: true });
    expect(await sender.broadcast(signed.raw)).toEqual({ result: 'ok' });
    expect(network.payer.received(hash)).toBe(30_000_123n);
  });

  it('pay a request without an amount', async () => {
    const { request, hash } = network.payer.request(null);
    const signed = await signedPlan(request, hash, 7_000n);
    await sender.broadcast(signed.raw);
    await isPaid(signed);
    expect(network.payer.received(hash)).toBe(7_000n);
  });

  it('never plan a request again that is paid or on its way', async () => {
    const { request, hash } = network.payer.request(1_000_000n);
    network.payer.holds = true;
    const signed = await signedPlan(request, hash, 1_000_000n);
    expect(await sender.broadcast(signed.raw)).toEqual({ result: 'ok' });
    expect(await lookUp(signed)).toMatchObject({ state: 'mempool' });
    expect(await plan(request, hash, 1_000_000n)).toMatchObject({ type: 'refused' });
    network.payer.settle(true);
    await isPaid(signed);
    expect(await plan(request, hash, 1_000_000n)).toMatchObject({ type: 'refused' });
  });

  it('that the node lists as failed between its attempts stay open until it gives up', async () => {
    const { request, hash } = network.payer.request(1_000_000n);
    network.payer.holds = true;
    const signed = await signedPlan(request, hash, 1_000_000n);
    await sender.broadcast(signed.raw);
    chain.server.retrying.add(hash);
    expect(await lookUp(signed)).toMatchObject({ state: 'mempool' });
    now += 4 * MINUTE_MS;
    expect(await lookUp(signed)).toMatchObject({ state: 'impossible' });
    chain.server.retrying.clear();
    network.payer.settle(false);
    await until(async () => (await lookUp(signed)).state === 'impossible');
  });

  it('on their way stay open although a later one of the same request failed', async () => {
    const { request, hash } = network.payer.request(1_000_000n);
    network.payer.holds = true;
    const signed = await signedPlan(request, hash, 1_000_000n);
    await sender.broadcast(signed.raw);
    chain.server.failedAgain.add(hash);
    now += 4 * MINUTE_MS;
    expect(await lookUp(signed)).toMatchObject({ state: 'mempool' });
    expect(await plan(request, hash, 1_000_000n)).toMatchObject({ type: 'refused' });
    network.payer.settle(true);
    await isPaid(signed);
  });

  it('stay open while the node does not answer', async () => {
    const { request, hash } = network.payer.request(4_000_000n);
    const signed = await signedPlan(request, hash, 4_000_000n);
    for (const fault of ['silent', 'empty', 'proxy'] as const) {
      chain.server.fault(fault);
      expect(await sender.broadcast(signed.raw)).toMatchObject({ result: 'unknown' });
      await expect(lookUp(signed)).rejects.toMatchObject({ name: 'UnavailableError' });
    }
    expect(network.payer.received(hash)).toBe(0n);
  });

  it('are not begun again while the node may look for a route for an earlier process', async () => {
    const { request, hash } = network.payer.request(3_000_000n);
    const signed = await signedPlan(request, hash, 3_000_000n);
    const search = chain.server.search();
    expect(await sender.broadcast(signed.raw)).toEqual({ result: 'ok' });
    const restarted = await chain.openSender(() => now);
    const again = () => restarted.broadcast(signed.raw, { mayBeSent: true });
    expect(await restarted.lookUp({ nonce: null, attempts: [signed] })).toEqual({
      state: 'unseen',
    });
    for (let count = 0; count < 3; count += 1) {
      expect(await again()).toEqual({
        result: 'unknown',
        reason: 'The node may still look for a route of an earlier attempt',
      });
      now += MINUTE_MS - 1;
    }
    expect(chain.server.xpays).toBe(1);
    search.found();
    await isPaid(signed);
    expect(await again()).toEqual({ result: 'ok' });
    expect(chain.server.xpays).toBe(1);
    expect(network.payer.received(hash)).toBe(3_000_000n);
  });

  it('that never reached the node are begun once its search would be over', async () => {
    const { request, hash } = network.payer.request(3_000_000n);
    const signed = await signedPlan(request, hash, 3_000_000n);
    chain.server.loseNextXpay();
    expect(await sender.broadcast(signed.raw)).toMatchObject({ result: 'unknown' });
    expect(await sender.broadcast(signed.raw)).toMatchObject({ result: 'unknown' });
    expect(network.book.payments.has(hash)).toBe(false);
    now += 4 * MINUTE_MS;
    expect(await sender.broadcast(signed.raw)).toEqual({ result: 'ok' });
    await isPaid(signed);
    expect(network.payer.received(hash)).toBe(3_000_000n);
  });

  it('that ended are not begun again', async () => {
    const { request, hash } = network.payer.request(1_000_000n);
    network.payer.holds = true;
    const signed = await signedPlan(request, hash, 1_000_000n);
    await sender.broadcast(signed.raw);
    network.payer.settle(false);
    now += 4 * MINUTE_MS;
    await until(async () => (await lookUp(signed)).state === 'impossible');
    expect(await sender.broadcast(signed.raw)).toMatchObject({ result: 'failed' });
    expect(chain.server.xpays).toBe(1);
  });

  it('wait while the channels can send less than they need', async () => {
    const { request, hash } = network.payer.request(6_000_000_000_000n);
    expect(await plan(request, hash, 6_000_000_000_000n)).toMatchObject({ type: 'wait' });
  });

  it('without a route are refused, and are certain', async () => {
    const { request, hash } = network.payer.request(4_000_000n);
    const signed = await signedPlan(request, hash, 4_000_000n);
    await network.connect(false);
    try {
      expect(await sender.broadcast(signed.raw)).toMatchObject({ result: 'failed' });
    } finally {
      await network.connect(true);
    }
  });
});
