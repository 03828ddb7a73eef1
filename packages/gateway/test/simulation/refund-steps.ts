import { sql } from 'kysely';
import { call, type TestAnswer } from '../support/call.ts';
import { InvariantViolation } from './invariant-violation.ts';
import { recipientOf } from './payout-steps.ts';
import { pick, request, type SimulationState, type StepOf } from './simulation-state.ts';
import type { Coin } from './steps.ts';

/** Kinds whose buyers have an address here. */
const REFUNDABLE: readonly string[] = ['BTC', 'ETH', 'ETH_USDT', 'XRP', 'TON'];

/** Asks for a refund of a recent payment, twice; or in a process that crashes, and then again. */
export async function requestRefund(
  state: SimulationState,
  { transaction, isProven, crashAfter }: StepOf<'request refund'>,
): Promise<void> {
  const { gateway } = state;
  const { rows } = await sql<{ id: string; asset: string }>`
    select id, asset from transaction order by status = 'complete' desc, number desc limit 6`.execute(
    gateway.context.db,
  );
  const found = pick(rows, transaction);
  if (!found || !REFUNDABLE.includes(found.asset)) return;
  const payload = {
    transaction_id: found.id,
    is_proven: isProven,
    ...recipientOf(found.asset as Coin, `refund of ${found.id}`),
  };
  const ask = (): Promise<TestAnswer> =>
    request(state, 'POST', '/v1/refunds/', payload, gateway.account.bff);
  const first = crashAfter === undefined ? await ask() : await crash(state, crashAfter, payload);
  const again = await ask();
  const isNew = again.status === 201;
  if (
    first !== null &&
    first.status < 300 &&
    (isNew || again.body.result?.id !== first.body.result.id)
  )
    throw new InvariantViolation('the same request for a refund is the same refund', {
      first,
      again,
    });
  const id = again.status < 300 ? (again.body.result.id as string) : null;
  if (id !== null && !state.refunds.includes(id)) state.refunds.push(id);
}

async function crash(
  { gateway: { crashing, account } }: SimulationState,
  steps: number,
  payload: Record<string, unknown>,
): Promise<null> {
  crashing.surviveFor(steps);
  await call(crashing.app, account.bff, 'POST', '/v1/refunds/', payload).catch(() => null);
  if (crashing.isKilled()) await crashing.waitUntilIdle();
  crashing.surviveFor(Number.POSITIVE_INFINITY);
  return null;
}

/** Approves or rejects a refund, or both at once. */
export async function decideRefund(
  state: SimulationState,
  { refund, decision }: StepOf<'decide refund'>,
): Promise<void> {
  const id = pick(state.refunds, refund);
  if (id === undefined) return;
  const { account, app, parallelApprove } = state.gateway;
  if (decision !== 'both') {
    const is_approved = decision === 'approve';
    await request(state, 'PUT', `/v1/refunds/${id}/`, { is_approved }, account.approve);
    return;
  }
  const answers = await Promise.all(
    [true, false, true].map((is_approved) =>
      call(app, parallelApprove, 'PUT', `/v1/refunds/${id}/`, { is_approved }),
    ),
  );
  const done = new Set(
    answers.filter(({ status }) => status === 200).map(({ body }) => body.result.status),
  );
  if (done.has('rejected') && done.size > 1)
    throw new InvariantViolation('a refund is approved or rejected, not both', answers);
}
