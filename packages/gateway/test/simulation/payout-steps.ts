import { createHash } from 'node:crypto';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import { kindOf } from '@crypto-checkout/protocol/kind';
import { bech32, hex } from '@scure/base';
import { sql } from 'kysely';
import { timestamp } from '../../src/database/timestamp.ts';
import { processPayouts } from '../../src/payout/sending/process.ts';
import { call, type TestAnswer } from '../support/call.ts';
import { InvariantViolation } from './invariant-violation.ts';
import { COINS, type SimulatedGateway } from './simulated-gateway.ts';
import {
  chainOf,
  pick,
  request,
  shareOf,
  type SimulationState,
  type StepOf,
} from './simulation-state.ts';
import type { Coin, PayoutOrder } from './steps.ts';

/** Statuses besides `draft` that can be rejected. */
export const WAITING_STATUSES: readonly string[] = [
  'scheduled',
  'awaiting_funds',
  'awaiting_policies',
];

/**
 * Whether the scheduled date is in the future: until then the payout can be rejected although it is
 * `new`.
 */
export const isScheduledLater = (
  { gateway }: SimulationState,
  { payload }: SimulationState['payouts'][number],
): boolean =>
  typeof payload['scheduled_at'] === 'string' &&
  Date.parse(payload['scheduled_at']) > gateway.context.clock.now();

export async function createPayout(
  state: SimulationState,
  order: PayoutOrder,
): Promise<TestAnswer> {
  const payload = await payoutPayload(state, order);
  const answer = await request(
    state,
    'POST',
    '/v1/payouts/',
    payload,
    order.capped ? state.gateway.capped : state.gateway.account.api,
  );
  if (answer.status !== 201) return answer;
  state.payouts.push({ id: answer.body.result.id, payload });
  state.lastPaid = chainOf(order.kind)!;
  const isLarge = usdOf(state.gateway, order.kind, payload) > MAX_PAYOUT_USD;
  if ((answer.body.result.status === 'draft') !== (order.capped && isLarge))
    throw new InvariantViolation('a payout above max_payout is a draft', { order, answer });
  return answer;
}

export async function payoutPayload(
  state: SimulationState,
  order: PayoutOrder,
): Promise<Record<string, unknown>> {
  const { gateway } = state;
  const { symbol } = kindOf(order.kind)!;
  const amount = await shareOf(state, order.kind, order.percent, order.recipients);
  return {
    kind: order.kind,
    profile_id: gateway.account.profile_id,
    reference_id: `order-${order.number}`,
    recipients: Array.from({ length: order.recipients }, (_, at) => ({
      amount,
      currency: symbol === 'USDT' ? 'USD' : symbol,
      ...recipientOf(order.kind, `${order.number}.${at}`),
    })),
    ...(order.recipientPays ? { network_fee_pays: 'recipient' } : {}),
    ...(order.scheduled
      ? { scheduled_at: new Date(gateway.environment.now + order.scheduled * 1000).toISOString() }
      : {}),
  };
}

/** A unique address, or a unique tag on the XRP Ledger. */
export function recipientOf(
  kind: PayoutOrder['kind'],
  name: string,
): { address: string; destination_tag?: string } {
  const bytes = createHash('sha256').update(name).digest().subarray(0, 20);
  if (kind === 'BTC') return { address: bech32.encode('tb', [0, ...bech32.toWords(bytes)]) };
  if (kind === 'TON') return { address: `0:${createHash('sha256').update(name).digest('hex')}` };
  if (kind !== 'XRP') return { address: `0x${hex.encode(bytes)}` };
  return {
    address: 'rN7n7otQDd6FczFgLdSqtcsAUxDkw6fzRH',
    destination_tag: String(bytes.readUInt32BE()),
  };
}

/** `max_payout` of the key `capped` in USD. */
const MAX_PAYOUT_USD = parseAmount('500');

function usdOf(
  { environment }: SimulatedGateway,
  kind: Coin,
  { recipients }: Record<string, unknown>,
): bigint {
  const sum = (recipients as { amount: string }[]).reduce(
    (total, { amount }) => total + parseAmount(amount),
    0n,
  );
  return kind === 'ETH_USDT'
    ? sum
    : (sum * COINS[kind]! * BigInt(environment.ratePercent ?? 0)) / 100n;
}

export async function repeatPayout(
  state: SimulationState,
  { payout, isIdentical }: StepOf<'repeat payout'>,
): Promise<void> {
  const found = pick(state.payouts, payout);
  if (!found) return;
  const payload = isIdentical ? found.payload : { ...found.payload, network_fee_preset: 'high' };
  const { status, body } = await request(state, 'POST', '/v1/payouts/', payload);
  if (isIdentical ? status !== 200 || body.result.id !== found.id : status !== 409) {
    throw new InvariantViolation(
      'a repeated payout returns the same payout, a different one is rejected',
      { payload, status, body },
    );
  }
}

/** Rejects a waiting payout twice while the worker may start it. */
export async function rejectWhileProcessing(
  { gateway }: SimulationState,
  { payout }: StepOf<'reject while processing'>,
): Promise<void> {
  const { context, app, parallelApprove } = gateway;
  const { rows } = await sql<{ id: string }>`
    select id from payout where status = any(${[...WAITING_STATUSES]}::text[]) or (status = 'new' and scheduled_at > ${timestamp(context.clock.now())})
    order by number desc limit 3`.execute(context.db);
  const found = pick(rows, payout);
  if (!found) return;
  const reject = (): Promise<TestAnswer> =>
    call(app, parallelApprove, 'PUT', `/v1/payouts/${found.id}/`, { approve: false });
  const [answers] = await Promise.all([Promise.all([reject(), reject()]), processPayouts(context)]);
  const rejected = answers.filter(({ status }) => status === 200);
  const { status } = await context.db
    .selectFrom('payout')
    .select('status')
    .where('id', '=', found.id)
    .executeTakeFirstOrThrow();
  if (rejected.length > 1 || (rejected.length === 1) !== (status === 'rejected'))
    throw new InvariantViolation('a waiting payout is rejected once or started', {
      answers,
      status,
    });
  if (answers.some((answer) => answer.status !== 200 && answer.status !== 409))
    throw new InvariantViolation('a request is not answered with 5xx', answers);
}
