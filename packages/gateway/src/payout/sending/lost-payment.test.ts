import { createHash } from 'node:crypto';
import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { UnavailableError } from '@crypto-checkout/chains/error';
import { encodeBolt11, FEATURES } from '@crypto-checkout/chains/lightning/bolt11';
import { LndError } from '@crypto-checkout/chains/lightning/lnd/failure';
import type { LndPayer, PaymentState } from '@crypto-checkout/chains/lightning/lnd/payer';
import { createLightningSender } from '@crypto-checkout/chains/lightning/sender';
import { timestamp } from '../../database/database.ts';
import { giveUpPayout } from './give-up.ts';
import { findPayouts } from '../store.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  ADDRESS,
  payoutShop,
  requirePayoutBooks,
  type PayoutShop,
} from '../../../test/support/payouts.ts';

const LIFE_SECONDS = 3_600;
/** The request has ended, also by a clock that differs. */
const AFTER_ITS_END = LIFE_SECONDS + 20 * 60;

/** How the node answers the next call that pays. */
type Answer = 'begins' | 'lost before' | 'lost after' | 'refused' | 'searches';

/** The records of a node, which an operator can delete. */
function createRecords(now: () => number) {
  const records = new Map<string, PaymentState>();
  const state = { answer: 'begins' as Answer, calls: 0 };
  const record = (status: PaymentState['status'], reason = ''): PaymentState => ({
    payment_hash: hash,
    payment_preimage: status === 'SUCCEEDED' ? preimage : '',
    value_msat: 10_000_000n,
    fee_msat: 0n,
    status,
    failure_reason: reason,
    payment_index: 1,
  });
  const payer: LndPayer = {
    async pay() {
      state.calls += 1;
      if (now() > endsAt) throw new LndError(2, 'invoice expired');
      if (state.answer === 'refused') throw new LndError(2, 'self-payments not allowed');
      if (state.answer === 'lost before') throw new UnavailableError('The node does not answer');
      const begun = record('IN_FLIGHT');
      if (state.answer === 'searches') return { ...begun, isSearchOnly: true };
      records.set(hash, begun);
      if (state.answer === 'lost after') throw new UnavailableError('The node does not answer');
      return begun;
    },
    track: async (asked) => records.get(asked) ?? null,
    channels: async () => ({ count: 1, receivable: 1_000_000n, sendable: 1_000_000n }),
  };
  return { payer, state, records, record };
}

/** Of the newest request. */
let endsAt = 0;
let preimage = '';
let hash = '';
let shop: PayoutShop;
let node: ReturnType<typeof createRecords>;

beforeAll(async () => {
  shop = await payoutShop({ chains: ['bitcoin', 'lightning'] });
  await shop.fund('BTC', '1');
});
afterAll(() => shop.close());
beforeEach(() => {
  const now = () => shop.context.clock.now();
  node = createRecords(now);
  const feeLimit = parseAmount('0.5');
  const sender = createLightningSender({ payer: node.payer, feeLimit, now });
  shop.context.senders = new Map([...shop.context.senders, ['lightning', sender]]);
});

let count = 0;
async function payOut(): Promise<string> {
  count += 1;
  const now = Math.floor(shop.context.clock.now() / 1_000);
  preimage = String(count).padStart(64, '0');
  hash = createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex');
  endsAt = (now + LIFE_SECONDS) * 1_000;
  const address = encodeBolt11(
    {
      prefix: 'tb',
      amountMsat: 10_000_000n,
      timestamp: now,
      paymentHash: hash,
      paymentSecret: '09'.repeat(32),
      description: 'a payout',
      descriptionHash: null,
      expirySeconds: LIFE_SECONDS,
      features: FEATURES,
    },
    new Uint8Array(32).fill(7),
  );
  const recipients = [{ amount: '0.0001', currency: 'BTC', address }];
  return (await shop.payOut({ kind: 'BTC_LIGHTNING_TO_LIGHTNING', recipients })).id;
}

async function workAfter(seconds: number): Promise<void> {
  shop.context.clock.advance(seconds * 1_000);
  for (let round = 0; round < 2; round += 1) await shop.work();
}

const statusOf = async (id: string): Promise<string> => (await shop.payout(id)).status;
const alarmsAbout = async (id: string): Promise<string[]> =>
  (
    await shop.context.db
      .selectFrom('alarm')
      .select('reason')
      .where('resource_id', '=', id)
      .execute()
  ).map(({ reason }) => reason);

it('a payout that its node had begun stays open without a record, and is not sent again', async () => {
  const id = await payOut();
  await shop.work();
  expect(await statusOf(id)).toBe('pending');
  const record = node.records.get(hash)!;
  node.records.clear();
  await workAfter(0);
  expect(node.state.calls).toBe(1);
  const alarm = [
    expect.stringMatching(
      new RegExp(`^The payment ${hash} has an unknown outcome: the lightning node had begun it`),
    ),
  ];
  expect(await alarmsAbout(id)).toEqual(alarm);
  await workAfter(AFTER_ITS_END);
  expect(await statusOf(id)).toBe('pending');
  expect(await alarmsAbout(id)).toEqual(alarm);
  expect(node.state.calls).toBe(1);
  node.records.set(hash, { ...record, status: 'SUCCEEDED', payment_preimage: preimage });
  await workAfter(0);
  expect(await statusOf(id)).toBe('complete');
  expect(await alarmsAbout(id)).toEqual([]);
});

it('a payout that its node may have begun is sent again, and stays open after its request', async () => {
  const id = await payOut();
  node.state.answer = 'lost before';
  await workAfter(0);
  expect(node.state.calls).toBeGreaterThan(1);
  expect(await alarmsAbout(id)).toEqual([]);
  await workAfter(AFTER_ITS_END);
  expect(await statusOf(id)).toBe('new');
  expect(await alarmsAbout(id)).toEqual([
    expect.stringContaining('has no record of it after its request ran out'),
  ]);
  // A final record of the node ends it.
  node.records.set(hash, node.record('FAILED', 'FAILURE_REASON_NO_ROUTE'));
  await workAfter(0);
  expect(await shop.payout(id)).toMatchObject({
    status: 'failed',
    error: 'No route to the recipient within the fee limit',
  });
});

it('a payout whose answer was lost stays open when the record is deleted', async () => {
  const id = await payOut();
  node.state.answer = 'lost after';
  await shop.work();
  await shop.work();
  expect(await statusOf(id)).toBe('pending');
  node.records.clear();
  await workAfter(AFTER_ITS_END);
  expect(await statusOf(id)).toBe('pending');
  expect(node.state.calls).toBe(1);
});

it('a route that is looked for does not count as begun', async () => {
  const id = await payOut();
  node.state.answer = 'searches';
  await workAfter(0);
  expect(await statusOf(id)).toBe('new');
  node.state.answer = 'begins';
  await workAfter(120);
  expect(await statusOf(id)).toBe('pending');
});

it('a payout that the node refused before it began fails at once', async () => {
  const id = await payOut();
  node.state.answer = 'refused';
  await shop.work();
  expect(await statusOf(id)).toBe('failed');
  await workAfter(AFTER_ITS_END);
  expect(await alarmsAbout(id)).toHaveLength(1);
});

it('a payout that was planned and surely never sent fails when its request has run out', async () => {
  const id = await payOut();
  const { context } = shop;
  const { signer } = context;
  context.signer = { sign: () => Promise.reject(new Error('the process ends here')) };
  await shop.work();
  context.signer = signer;
  const planned = context.db.selectFrom('outgoing').select('tries').where('id', '=', id);
  expect(await planned.execute()).toEqual([{ tries: 0 }]);
  await workAfter(AFTER_ITS_END);
  expect(await shop.payout(id)).toMatchObject({
    status: 'failed',
    error: 'The lightning node refuses the payment: invoice expired',
  });
});

const WEEK_SECONDS = 7 * 24 * 3_600;
const giveUp = async (id: string) =>
  giveUpPayout(shop.context, { username: 'them' }, (await findPayouts(shop.context.db, [id]))[0]!);

/** Attempts have the database's time; the test moves its own. */
async function asSentNow(id: string): Promise<void> {
  await sql`update outgoing_attempt set created_at_real = ${timestamp(shop.context.clock.real())}
    where outgoing_id = ${id}`.execute(shop.context.db);
}

/** Pays out, deletes the record, and waits until it can be given up. */
async function loseRecord(): Promise<{ id: string; settled: PaymentState }> {
  const id = await payOut();
  await shop.work();
  await asSentNow(id);
  const record = node.records.get(hash)!;
  node.records.clear();
  await workAfter(2 * WEEK_SECONDS);
  return { id, settled: { ...record, status: 'SUCCEEDED', payment_preimage: preimage } };
}

it('a payout without a record is given up by an operator, and repaired if it was paid', async () => {
  const before = await shop.holdings('BTC');
  const { id, settled } = await loseRecord();
  expect(await alarmsAbout(id)).toEqual([expect.stringContaining(`payouts give-up ${id}`)]);
  expect(await giveUp(id)).toMatchObject({
    status: 'failed',
    error: 'An operator gave it up: the lightning node has no record of its payment',
  });
  expect(await shop.holdings('BTC')).toEqual(before);
  expect(await alarmsAbout(id)).toEqual([]);
  await requirePayoutBooks(shop);
  await expect(giveUp(id)).rejects.toMatchObject({ reason: 'InvalidState' });
  node.records.set(hash, settled);
  await workAfter(11 * 60);
  expect(await statusOf(id)).toBe('complete');
});

it('a payout with a record is not given up', async () => {
  const id = await payOut();
  await shop.work();
  await asSentNow(id);
  await workAfter(2 * WEEK_SECONDS);
  await expect(giveUp(id)).rejects.toMatchObject({ reason: 'InvalidState' });
});

it('a payout that its node had begun is not given up for two weeks', async () => {
  const id = await payOut();
  await shop.work();
  await asSentNow(id);
  const date = new Date(shop.context.clock.real() + 2 * WEEK_SECONDS * 1_000).toISOString();
  node.records.clear();
  await workAfter(2 * WEEK_SECONDS - 1);
  expect(await alarmsAbout(id)).toEqual([
    expect.stringContaining('two weeks after it was sent (docs/run/lightning.md'),
  ]);
  await expect(giveUp(id)).rejects.toMatchObject({
    reason: 'InvalidState',
    message: `The payout can be given up from ${date} on, two weeks after its node may have begun it: a route can hold a payment until then (docs/run/lightning.md, "A payment without a record").`,
  });
  expect(await statusOf(id)).not.toBe('failed');
  await workAfter(1);
  expect(await giveUp(id)).toMatchObject({ status: 'failed' });
});

it('a payout that its node may have begun is not given up for two weeks after its request', async () => {
  const id = await payOut();
  node.state.answer = 'lost before';
  await shop.work();
  await asSentNow(id);
  await workAfter(2 * WEEK_SECONDS);
  await expect(giveUp(id)).rejects.toThrow('The payout can be given up from ');
  await workAfter(AFTER_ITS_END);
  expect(await giveUp(id)).toMatchObject({ status: 'failed' });
});

it('a payout that was proven paid is not given up without its record', async () => {
  const { id, settled } = await loseRecord();
  await giveUp(id);
  const { available } = await shop.holdings('BTC');
  const amount = formatAmount(parseAmount(available) - parseAmount('0.00009'));
  await shop.payOut({ recipients: [{ amount, currency: 'BTC', address: ADDRESS.BTC }] });
  node.records.set(hash, settled);
  await workAfter(11 * 60);
  expect(await shop.payout(id)).toMatchObject({ status: 'confirmed' });
  node.records.clear();
  await workAfter(0);
  await expect(giveUp(id)).rejects.toMatchObject({
    reason: 'InvalidState',
    message: expect.stringContaining('The payout is confirmed: only one'),
  });
  expect(await alarmsAbout(id)).toEqual([
    expect.stringMatching(/The payment [0-9a-f]{64} was paid, /),
  ]);
  node.records.set(hash, settled);
  await shop.fund('BTC', '1');
  await workAfter(0);
  expect(await statusOf(id)).toBe('complete');
});
