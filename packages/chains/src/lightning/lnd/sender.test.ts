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
import { itSends, sendingOver } from '../../../test/support/lightning/sending.ts';
import type { ChainSender, LightningPlan, SignedTransaction } from '../../sender.ts';

const MSAT = fromUnits(1n, 11);

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

  const { plan, signedPlan, lookUp, expectPaid } = sendingOver(
    () => network,
    () => sender,
  );
  itSends({ network: () => network, sender: () => sender, repeated: 'failed' });

  it('end when the recipient refuses a payment that it held', async () => {
    const { request, hash } = network.payer.request(1_000_000n);
    network.payer.holds = true;
    const signed = await signedPlan(request, hash, 1_000_000n);
    await sender.broadcast(signed.raw);
    network.payer.settle(false);
    await until(async () => (await lookUp(signed)).state === 'impossible');
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
    expect(await lookUp(signed)).toEqual({ state: 'unseen' });
    expect(await sender.broadcast(signed.raw)).toEqual({ result: 'ok' });
    await expectPaid(signed);
  });

  it('stay open while the node is locked, silent, or refuses the macaroon', async () => {
    const { request, hash } = network.payer.request(4_000_000n);
    const signed = await signedPlan(request, hash, 4_000_000n);
    for (const fault of ['locked', 'starting', 'silent', 'empty', 'proxy'] as const) {
      chain.server.fault(fault);
      expect(await sender.broadcast(signed.raw)).toMatchObject({ result: 'unknown' });
      await expect(lookUp(signed)).rejects.toMatchObject({
        name: 'UnavailableError',
      });
    }
  });

  it('of an amount that the channels can send are planned', async () => {
    const within = msat(parseAmount('40'));
    const { request, hash } = network.payer.request(within);
    expect((await signedPlan(request, hash, within)).txid).toBe(hash);
    const above = msat(parseAmount('120'));
    const larger = network.payer.request(above);
    expect(await plan(larger.request, larger.hash, above)).toMatchObject({ type: 'wait' });
  });

  it('of a request that ran out are never sent', async () => {
    const { request, hash } = network.payer.request(1_000n, 1);
    const signed = await signedPlan(request, hash, 1_000n);
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    expect(await sender.broadcast(signed.raw)).toMatchObject({
      result: 'failed',
      reason: expect.stringContaining('expired'),
    });
    // It was handed to a node: no record proves nothing.
    const later = await chain.openSender(() => Date.now() + 3_600_000);
    expect(await later.lookUp(sentOf(signed))).toEqual({
      state: 'unseen',
      lost: 'the lightning node may have begun it, and has no record of it after its request ran out',
    });
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
    await until(async () => (await lookUp(signed)).state === 'block');
    const status = await lookUp(signed);
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
});

const msat = (amount: Amount): bigint => amount / MSAT;
const sentOf = (signed: SignedTransaction) => ({ nonce: null, attempts: [signed] });

const requestOf = (paymentRequest: string, address: string, amount: Amount) => ({
  asset: 'BTC',
  outputs: [{ address, tag: null, memo: null, amount, paymentRequest }],
  preset: 'normal' as const,
  feeRate: null,
});
