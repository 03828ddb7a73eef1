import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { startClnChain, type ClnChain } from '../../../test/support/lightning/cln-chain.ts';
import {
  startLightningNetwork,
  until,
  type LightningNetwork,
} from '../../../test/support/lightning/lightning-network.ts';
import { describeOnLitecoind } from '../../../test/support/litecoind.ts';
import { itSends, sendingOver } from '../../../test/support/lightning/sending.ts';
import type { ChainSender } from '../../sender.ts';

const MINUTE_MS = 60_000;

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

  const { plan, signedPlan, lookUp, expectPaid } = sendingOver(
    () => network,
    () => sender,
  );
  itSends({ network: () => network, sender: () => sender, repeated: 'ok' });

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
    await expectPaid(signed);
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
    // A search is no record: the payment may never begin.
    const searching = {
      result: 'unknown',
      reason: 'The lightning node still looks for a route',
    };
    expect(await sender.broadcast(signed.raw)).toEqual(searching);
    expect(await sender.broadcast(signed.raw, { mayBeSent: true })).toEqual(searching);
    expect(await lookUp(signed)).toEqual({ state: 'unseen' });
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
    await expectPaid(signed);
    expect(await again()).toEqual({ result: 'ok' });
    expect(chain.server.xpays).toBe(1);
    expect(network.payer.received(hash)).toBe(3_000_000n);
  });

  it('that found no route after the wait are certain to have failed', async () => {
    const { request, hash } = network.payer.request(4_000_000n, 1);
    const signed = await signedPlan(request, hash, 4_000_000n);
    const search = chain.server.search();
    expect(await sender.broadcast(signed.raw)).toMatchObject({ result: 'unknown' });
    // The node refuses the request, which has run out by now, before it begins.
    search.found();
    await until(async () => (await lookUp(signed)).state === 'impossible');
    expect(network.book.payments.has(hash)).toBe(false);
    const other = await chain.openSender(() => now);
    expect(await other.lookUp({ nonce: null, attempts: [signed] })).toEqual({ state: 'unseen' });
  });

  it('are neither begun again nor called failed when the clock is set forward', async () => {
    const { request, hash } = network.payer.request(3_000_000n);
    let steady = 0;
    const own = await chain.openSender(
      () => now,
      () => steady,
    );
    const signed = await signedPlan(request, hash, 3_000_000n);
    chain.server.loseNextXpay();
    expect(await own.broadcast(signed.raw)).toMatchObject({ result: 'unknown' });
    now += 60 * MINUTE_MS;
    expect(await own.broadcast(signed.raw)).toMatchObject({ result: 'unknown' });
    now = Date.now();
    steady += 4 * MINUTE_MS;
    network.payer.holds = true;
    expect(await own.broadcast(signed.raw)).toEqual({ result: 'ok' });
    chain.server.retrying.add(hash);
    now += 60 * MINUTE_MS;
    const sent = { nonce: null, attempts: [signed] };
    expect(await own.lookUp(sent)).toMatchObject({ state: 'mempool' });
    steady += 4 * MINUTE_MS;
    expect(await own.lookUp(sent)).toMatchObject({ state: 'impossible' });
    chain.server.retrying.clear();
    network.payer.settle(false);
    await until(async () => (await own.lookUp(sent)).state === 'impossible');
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
    await expectPaid(signed);
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
