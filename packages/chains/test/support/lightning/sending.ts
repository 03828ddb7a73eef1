import { createHash } from 'node:crypto';
import { fromUnits, parseAmount } from '@crypto-checkout/protocol/amount';
import { expect, it } from 'vitest';
import { createSigner } from '../../../src/signer.ts';
import type {
  ChainSender,
  LightningPlan,
  PlanRequest,
  SignedTransaction,
  TransactionStatus,
} from '../../../src/sender.ts';
import { MSAT_DECIMALS } from '../../../src/lightning/payment-request.ts';
import { until, type LightningNetwork } from './lightning-network.ts';

const signer = createSigner(new Uint8Array(64).fill(1));
const CAPACITY_MSAT = 6_000_000_000_000n;

/** Payouts over a node, as the gateway makes them. */
export interface Sending {
  plan(request: string, hash: string, msat: bigint): ReturnType<ChainSender['plan']>;
  signedPlan(request: string, hash: string, msat: bigint): Promise<SignedTransaction>;
  lookUp(signed: SignedTransaction): Promise<TransactionStatus>;
  /** Waits for the payment, its proof and its fee. */
  expectPaid(signed: SignedTransaction): Promise<void>;
}

/** @param sender the one of now: a case can replace it */
export function sendingOver(network: () => LightningNetwork, sender: () => ChainSender): Sending {
  const lookUp = (signed: SignedTransaction): Promise<TransactionStatus> =>
    sender().lookUp({ nonce: null, attempts: [signed] });

  const plan: Sending['plan'] = (paymentRequest, hash, msat) =>
    sender().plan({
      id: 'a payout',
      asset: 'BTC',
      outputs: [
        {
          address: hash,
          tag: null,
          memo: null,
          amount: fromUnits(msat, MSAT_DECIMALS),
          paymentRequest,
        },
      ],
      preset: 'normal',
      feeRate: null,
      feeReserve: parseAmount('0.00001'),
      minNonce: 0,
    } satisfies PlanRequest);

  return {
    plan,
    lookUp,
    async signedPlan(request, hash, msat) {
      const planned = await plan(request, hash, msat);
      if (planned.type !== 'plan') throw new Error(JSON.stringify(planned));
      expect(BigInt((planned.plan as LightningPlan).feeLimitMsat)).toBeLessThanOrEqual(1_000_000n);
      return signer.sign({ id: 'a payout', purpose: 'payout', plan: planned.plan });
    },
    async expectPaid(signed) {
      await until(async () => (await lookUp(signed)).state === 'block');
      // A channel between both has no routing fee.
      const paid = { txid: signed.txid, confirmations: 1, fee: 0n, succeeded: true };
      expect(await lookUp(signed)).toMatchObject(paid);
      const { preimage } = network().book.payments.get(signed.txid)!;
      const proof = createHash('sha256').update(Buffer.from(preimage!, 'hex')).digest('hex');
      expect(proof).toBe(signed.txid);
    },
  };
}

export interface SendingCases {
  network: () => LightningNetwork;
  sender: () => ChainSender;
  /** The result of a second broadcast of a payment that is paid. */
  repeated: 'ok' | 'failed';
}

/** The cases that every node's program has. */
export function itSends({ network, sender, repeated }: SendingCases): void {
  const { plan, signedPlan, lookUp, expectPaid } = sendingOver(network, sender);

  it('pay a request once, and have its proof and fee', async () => {
    const { payer } = network();
    const { request, hash } = payer.request(30_000_123n);
    const signed = await signedPlan(request, hash, 30_000_123n);
    expect(await lookUp(signed)).toEqual({ state: 'unseen' });
    expect(await sender().broadcast(signed.raw)).toEqual({ result: 'ok' });
    await expectPaid(signed);
    expect(payer.received(hash)).toBe(30_000_123n);
    expect(await sender().broadcast(signed.raw)).toMatchObject({ result: repeated });
    expect(payer.received(hash)).toBe(30_000_123n);
  });

  it('pay a request without an amount', async () => {
    const { payer } = network();
    const { request, hash } = payer.request(null);
    const signed = await signedPlan(request, hash, 7_000n);
    await sender().broadcast(signed.raw);
    await expectPaid(signed);
    expect(payer.received(hash)).toBe(7_000n);
  });

  it('never plan a request again that is paid or on its way', async () => {
    const { payer } = network();
    const { request, hash } = payer.request(1_000_000n);
    payer.holds = true;
    const signed = await signedPlan(request, hash, 1_000_000n);
    expect(await sender().broadcast(signed.raw)).toEqual({ result: 'ok' });
    expect(await lookUp(signed)).toMatchObject({ state: 'mempool' });
    expect(await plan(request, hash, 1_000_000n)).toMatchObject({ type: 'refused' });
    payer.settle(true);
    await expectPaid(signed);
    expect(await plan(request, hash, 1_000_000n)).toMatchObject({ type: 'refused' });
  });

  it('stay open, and are not to be sent again, when the node loses the record of one that it began', async () => {
    const { payer, book } = network();
    const { request, hash } = payer.request(2_000_000n);
    const signed = await signedPlan(request, hash, 2_000_000n);
    expect(await sender().broadcast(signed.raw)).toEqual({ result: 'ok' });
    await expectPaid(signed);
    book.forget();
    const sent = { nonce: null, attempts: [signed], wasAccepted: true };
    expect(await sender().lookUp(sent)).toEqual({
      state: 'unseen',
      lost: 'the lightning node had begun it, and has no record of it any more',
    });
  });

  it('wait while the channels can send less than they need', async () => {
    const { request, hash } = network().payer.request(CAPACITY_MSAT);
    expect(await plan(request, hash, CAPACITY_MSAT)).toMatchObject({
      type: 'wait',
      reason: 'the channels of the lightning node can send less than a payout needs',
    });
  });
}
