import { createHash } from 'node:crypto';
import { fromUnits, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { startLdkNode } from '../../../test/support/lightning/ldk-node.ts';
import {
  createPayer,
  openChannel,
  startLightningNetwork,
  until,
  type LightningNetwork,
} from '../../../test/support/lightning/lightning-network.ts';
import { startLndChain, type LndChain } from '../../../test/support/lightning/lnd-chain.ts';
import { describeOnLitecoind } from '../../../test/support/litecoind.ts';
import type { ChainSender, LightningPlan, PlanRequest, SignedTransaction } from '../../sender.ts';
import { createSigner } from '../../signer.ts';

const MSAT = fromUnits(1n, 11);
const signer = createSigner(new Uint8Array(64).fill(1));

describeOnLitecoind('payouts over LND', () => {
  let network: LightningNetwork;
  let chain: LndChain;
  let sender: ChainSender;
  beforeAll(async () => {
    network = await startLightningNetwork();
  }, 120_000);
  afterAll(() => network.stop());
  beforeEach(async () => {
    chain = await startLndChain(network);
    sender = await chain.openSender();
  });
  afterEach(async () => {
    network.payer.holds = false;
    await chain.close();
  });

  it('reserve half a percent for routing, and five satoshis at least', async () => {
    const reserve = async (amount: string): Promise<Amount> =>
      (await sender.estimate(requestOf('', '', parseAmount(amount)))).reserve;
    expect(await reserve('0.1')).toBe(parseAmount('0.0005'));
    expect(await reserve('0.00000100')).toBe(parseAmount('0.00000005'));
  });

  it('pay a request once, and have its proof and fee', async () => {
    const { request, hash } = network.payer.request(30_000_123n);
    const signed = await signedPlan(request, hash, 30_000_123n);
    expect(await sender.lookUp(sentOf(signed))).toEqual({ state: 'unseen' });
    expect(await sender.broadcast(signed.raw)).toEqual({ result: 'ok' });
    await expectPaid(signed);
    expect(network.payer.received(hash)).toBe(30_000_123n);
    expect(await sender.broadcast(signed.raw)).toMatchObject({ result: 'failed' });
    expect(network.payer.received(hash)).toBe(30_000_123n);
  });

  it('pay a request without an amount', async () => {
    const { request, hash } = network.payer.request(null);
    const signed = await signedPlan(request, hash, 7_000n);
    await sender.broadcast(signed.raw);
    await expectPaid(signed);
    expect(network.payer.received(hash)).toBe(7_000n);
  });

  it('never plan a request again that is paid or on its way', async () => {
    const { request, hash } = network.payer.request(1_000_000n);
    network.payer.holds = true;
    const signed = await signedPlan(request, hash, 1_000_000n);
    expect(await sender.broadcast(signed.raw)).toEqual({ result: 'ok' });
    expect(await sender.lookUp(sentOf(signed))).toMatchObject({ state: 'mempool' });
    expect(await plan(request, hash, 1_000_000n)).toMatchObject({ type: 'refused' });
    network.payer.settle(true);
    await expectPaid(signed);
    expect(await plan(request, hash, 1_000_000n)).toMatchObject({ type: 'refused' });
  });

  it('end when the recipient refuses a payment that it held', async () => {
    const { request, hash } = network.payer.request(1_000_000n);
    network.payer.holds = true;
    const signed = await signedPlan(request, hash, 1_000_000n);
    await sender.broadcast(signed.raw);
    network.payer.settle(false);
    await until(async () => (await sender.lookUp(sentOf(signed))).state === 'impossible');
    expect(network.payer.received(hash)).toBe(0n);
  });

  it('stay open when the answer is lost, and are looked up', async () => {
    const { request, hash } = network.payer.request(4_000_000n);
    const signed = await signedPlan(request, hash, 4_000_000n);
    chain.server.hangUpOnPayment();
    expect(await sender.broadcast(signed.raw)).toMatchObject({ result: 'unknown' });
    await expectPaid(signed);
    expect(network.payer.received(hash)).toBe(4_000_000n);
  });

  it('stay open when the request does not reach the node, and are sent again', async () => {
    const { request, hash } = network.payer.request(4_000_000n);
    const signed = await signedPlan(request, hash, 4_000_000n);
    chain.server.loseNextSend();
    expect(await sender.broadcast(signed.raw)).toMatchObject({ result: 'unknown' });
    expect(await sender.lookUp(sentOf(signed))).toEqual({ state: 'unseen' });
    expect(await sender.broadcast(signed.raw)).toEqual({ result: 'ok' });
    await expectPaid(signed);
  });

  it('stay open while the node is locked, silent, or refuses the macaroon', async () => {
    const { request, hash } = network.payer.request(4_000_000n);
    const signed = await signedPlan(request, hash, 4_000_000n);
    for (const fault of ['locked', 'starting', 'silent', 'empty', 'proxy'] as const) {
      chain.server.fault(fault);
      expect(await sender.broadcast(signed.raw)).toMatchObject({ result: 'unknown' });
      await expect(sender.lookUp(sentOf(signed))).rejects.toMatchObject({
        name: 'UnavailableError',
      });
    }
  });

  it('wait while the channels can send less than they need', async () => {
    const within = parseAmount('40');
    const { request, hash } = network.payer.request(msat(within));
    const planned = await signedPlan(request, hash, msat(within));
    expect(planned.txid).toBe(hash);
    const above = network.payer.request(msat(parseAmount('120')));
    expect(await plan(above.request, above.hash, msat(parseAmount('120')))).toMatchObject({
      type: 'wait',
      reason: 'the channels of the lightning node can send less than a payout needs',
    });
  });

  it('of a request that ran out are never sent', async () => {
    const { request, hash } = network.payer.request(1_000n, 1);
    const signed = await signedPlan(request, hash, 1_000n);
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    expect(await sender.broadcast(signed.raw)).toMatchObject({
      result: 'failed',
      reason: expect.stringContaining('expired'),
    });
    const later = await chain.openSender(() => Date.now() + 3_600_000);
    expect(await later.lookUp(sentOf(signed))).toMatchObject({ state: 'impossible' });
  });

  it('pay the fee of a hop within the limit, and report it', async () => {
    const far = await startLdkNode({ chain: network.chain, seed: 230 });
    const recipient = createPayer(far);
    const { payer } = network;
    await payer.node.connect(far);
    await until(() => far.peers() === 1);
    const share = { capacity: 10_000_000n, ours: 1_000_000n };
    await openChannel({ chain: network.chain, from: payer.node, to: far, ...share });
    await network.book.node.sync();
    payer.listen();
    recipient.listen();
    const { request, hash } = recipient.request(50_000_000n);
    const signed = await signedPlan(request, hash, 50_000_000n);
    expect(await sender.broadcast(signed.raw)).toEqual({ result: 'ok' });
    await until(async () => (await sender.lookUp(sentOf(signed))).state === 'block');
    const status = await sender.lookUp(sentOf(signed));
    const fee = status.state === 'block' ? status.fee! : 0n;
    expect(fee).toBeGreaterThan(0n);
    expect(fee).toBeLessThanOrEqual(parseAmount('0.0000025'));
    expect(recipient.received(hash)).toBe(50_000_000n);

    const small = recipient.request(1_000_000n);
    const planned = await signedPlan(small.request, small.hash, 1_000_000n);
    const tight = { ...(JSON.parse(planned.raw) as LightningPlan), feeLimitMsat: '1' };
    expect(await sender.broadcast(JSON.stringify(tight))).toMatchObject({
      result: 'failed',
      reason: 'No route to the recipient within the fee limit',
    });
    expect(recipient.received(small.hash)).toBe(0n);
    far.stop();
  });

  it('pay once when fifty are sent together', async () => {
    const { request, hash } = network.payer.request(2_000_000n);
    const signed = await signedPlan(request, hash, 2_000_000n);
    const results = await Promise.all(
      Array.from({ length: 50 }, () => sender.broadcast(signed.raw)),
    );
    expect(results.filter(({ result }) => result === 'ok')).toHaveLength(1);
    expect(results.filter(({ result }) => result === 'failed')).toHaveLength(49);
    await expectPaid(signed);
    expect(network.payer.received(hash)).toBe(2_000_000n);
  });

  function plan(paymentRequest: string, hash: string, amountMsat: bigint) {
    return sender.plan({
      ...requestOf(paymentRequest, hash, amountMsat * MSAT),
      id: 'payout',
      minNonce: 0,
      feeReserve: parseAmount('0.00001'),
    } satisfies PlanRequest);
  }

  async function signedPlan(
    paymentRequest: string,
    hash: string,
    amountMsat: bigint,
  ): Promise<SignedTransaction> {
    const planned = await plan(paymentRequest, hash, amountMsat);
    if (planned.type !== 'plan') throw new Error(JSON.stringify(planned));
    expect(BigInt((planned.plan as LightningPlan).feeLimitMsat)).toBeLessThanOrEqual(1_000_000n);
    return signer.sign({ id: 'payout', purpose: 'payout', plan: planned.plan });
  }

  async function expectPaid(signed: SignedTransaction): Promise<void> {
    await until(async () => (await sender.lookUp(sentOf(signed))).state === 'block');
    expect(await sender.lookUp(sentOf(signed))).toMatchObject({
      txid: signed.txid,
      confirmations: 1,
      // A channel between both has no routing fee.
      fee: 0n,
      succeeded: true,
    });
    const { preimage } = network.book.payments.get(signed.txid)!;
    expect(createHash('sha256').update(Buffer.from(preimage!, 'hex')).digest('hex')).toBe(
      signed.txid,
    );
  }
});

const msat = (amount: Amount): bigint => amount / MSAT;
const sentOf = (signed: SignedTransaction) => ({ nonce: null, attempts: [signed] });

const requestOf = (paymentRequest: string, address: string, amount: Amount) => ({
  asset: 'BTC',
  outputs: [{ address, tag: null, memo: null, amount, paymentRequest }],
  preset: 'normal' as const,
  feeRate: null,
});
