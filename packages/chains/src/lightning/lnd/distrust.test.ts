import { sha256 } from '@noble/hashes/sha2.js';
import { hex } from '@scure/base';
import { mnemonicToSeedSync } from '@scure/bip39';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import { describe, expect, it } from 'vitest';
import type { DeriveOptions } from '../../adapter.ts';
import { publicKeysOf } from '../../keys.ts';
import { decodeBolt11 } from '../bolt11.ts';
import { lightningTarget } from '../payment-request.ts';
import { createLightningSender } from '../sender.ts';
import { createLndAdapter } from './adapter.ts';
import type { LndInvoice, LndPayment } from './answers.ts';
import type { LndNode } from './node.ts';
import type { LndPayer } from './payer.ts';
import { createSettledInvoices } from './settled.ts';
import { LND, sourceOf, type LndSetup } from './setup.ts';

const NOW = Date.UTC(2026, 10, 21);
// Published test words without funds.
const seed = mnemonicToSeedSync(
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about',
);
const keys = publicKeysOf(seed, { network: 'testnet' });
const otherKeys = publicKeysOf(seed.toReversed(), { network: 'testnet' });

const options: DeriveOptions = {
  kind: 'BTC_LIGHTNING',
  index: 7,
  amount: parseAmount('0.0005'),
  expirySeconds: 900,
  description: 'Order 42',
  now: NOW,
};

interface Made {
  paymentHash: string;
  paymentRequest: string;
}

/** A request that a node with these keys makes. */
function requestOf(from = keys, more: Partial<DeriveOptions> = {}): Made {
  const { paymentHash, paymentRequest } = lightningTarget(from, { ...options, ...more }).lightning!;
  return { paymentHash: paymentHash!, paymentRequest: paymentRequest! };
}
const right = requestOf();

const never = () => Promise.reject(new Error('Not asked in this test'));
const nodeWith = (members: Partial<LndNode>): LndNode => ({
  info: never,
  addInvoice: never,
  invoicesAfter: async () => [],
  newestIndex: async () => 0,
  newestInvoices: async () => [],
  subscribe: never,
  channels: async () => ({ count: 1, receivable: 1_000_000n, sendable: 1_000_000n }),
  cancelInvoice: never,
  ...members,
});

describe('a node that returns a payment request', () => {
  const source = sourceOf(LND, decodeBolt11(right.paymentRequest).nodeKey);
  const beginning = { settleIndex: 0, oldest: 0 };
  const block = { height: 0, hash: source };
  const setup: LndSetup = {
    program: LND,
    network: 'testnet',
    source,
    prefix: 'tb',
    beginning,
    scan: { beginning: block, source },
  };
  const offered = (made: Made, wanted: Partial<DeriveOptions> = {}) => {
    const node = nodeWith({ addInvoice: async () => made });
    return createLndAdapter({ node, setup }).deriveTarget({ ...options, ...wanted });
  };

  it('is taken at its word for the request that was asked for', async () => {
    expect((await offered(right)).lightning).toMatchObject(right);
  });

  it.each<[string, Made]>([
    ['another node', requestOf(otherKeys)],
    ['another amount', requestOf(keys, { amount: parseAmount('0.00049') })],
    ['no amount', requestOf(keys, { amount: null })],
    ['another hash', { ...right, paymentHash: 'ab'.repeat(32) }],
    ['another description', requestOf(keys, { descriptionHash: 'ab'.repeat(32) })],
  ])('of %s is refused: the money would go elsewhere', async (_, made) => {
    await expect(offered(made)).rejects.toThrow(
      'The node returned a payment request that was not asked for',
    );
  });

  it('of another network is refused', async () => {
    const main = publicKeysOf(seed, { network: 'mainnet' });
    await expect(offered(requestOf(main))).rejects.toThrow('that was not asked for');
  });
});

describe('a list of settled payments', () => {
  const invoice = (state: LndInvoice['state'], index: number): LndInvoice => ({
    r_hash: String(index).repeat(64),
    state,
    add_index: index,
    settle_index: index,
    settle_date: NOW / 1000,
    amt_paid_msat: 50_000_000n,
  });
  const invoices = (['ACCEPTED', 'SETTLED', 'OPEN', 'CANCELED'] as const).map((state, at) =>
    invoice(state, at + 1),
  );
  const read = async (node: Partial<LndNode>, settleIndex: number): Promise<string[]> => {
    const settled = createSettledInvoices({ node: nodeWith(node), now: () => NOW, quietMs: 1 });
    const found = await settled.after({ settleIndex, oldest: 0 });
    settled.close();
    return found.map(({ state }) => state);
  };
  const stream: LndNode['subscribe'] = async (_, onInvoice) => {
    for (const one of invoices) onInvoice({ ...one, settle_index: one.settle_index + 10 });
    return { close() {} };
  };

  it('has no payment that the node only holds, in whatever way it is read', async () => {
    expect(await read({ subscribe: stream }, 5)).toEqual(['SETTLED']);
    const quiet: LndNode['subscribe'] = async () => ({ close() {} });
    expect(await read({ subscribe: quiet, invoicesAfter: async () => invoices }, 0)).toEqual([
      'SETTLED',
    ]);
  });
});

describe('a payout that the node calls paid', () => {
  const preimage = 'cd'.repeat(32);
  const hash = hex.encode(sha256(hex.decode(preimage)));
  const status = (proof: string) => {
    const payment: LndPayment = {
      payment_hash: hash,
      payment_preimage: proof,
      value_msat: 50_000_000n,
      fee_msat: 1_000n,
      status: 'SUCCEEDED',
      failure_reason: '',
      payment_index: 3,
    };
    const payer: LndPayer = { pay: never, channels: never, track: async () => payment };
    const sender = createLightningSender({
      payer,
      feeLimit: parseAmount('0.5'),
      now: () => NOW,
    });
    return sender.lookUp({ nonce: null, attempts: [{ raw: '', txid: hash, plan: PLAN }] });
  };
  const PLAN = {
    family: 'lightning',
    paymentRequest: right.paymentRequest,
    paymentHash: hash,
    amountMsat: '50000000',
    feeLimitMsat: '250000',
  } as const;

  it('is complete with the preimage of its hash', async () => {
    expect(await status(preimage)).toMatchObject({ state: 'block', txid: hash });
  });

  it.each(['', '00'.repeat(32), 'ef'.repeat(32)])(
    'stays open with the preimage "%s", which proves nothing',
    async (proof) => {
      await expect(status(proof)).rejects.toThrow('The node shows a payment without its proof');
    },
  );
});
