import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { kindOf, type ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import { ServiceError } from '../../src/http/error.ts';
import { call, type TestAnswer, type TestKey } from '../support/call.ts';
import { InvariantViolation } from './invariant-violation.ts';
import type { SimulatedGateway } from './simulated-gateway.ts';
import type { Coin, Step } from './steps.ts';

/** Resources that the shop created in this run, and chains that the worker has not scanned yet. */
export interface SimulationState {
  gateway: SimulatedGateway;
  invoices: { id: string; kind: string; amount: string | null }[];
  payouts: { id: string; payload: Record<string, unknown> }[];
  conversions: string[];
  refunds: string[];
  /** The mined chain of the latest payment or payout. */
  lastPaid: ChainId | null;
  /** Chains with changes that were not scanned yet. */
  unread: Set<ChainId>;
}

export type StepOf<Name extends Step['do']> = Extract<Step, { do: Name }>;

export const pick = <T>(list: readonly T[], number: number): T | undefined =>
  list[number % Math.max(1, list.length)];

/** The sandbox rejects impossible operations with a ServiceError; other errors are bugs. */
export function ignoreRejection(error: unknown): void {
  if (!(error instanceof ServiceError)) throw error;
}

/**
 * Sends a signed request and checks the answer: no 5xx while all dependencies work, a reason on
 * every rejection, and no change by a rejected request.
 */
export async function request(
  state: SimulationState,
  method: string,
  path: string,
  members: Record<string, unknown>,
  key: TestKey = state.gateway.account.api,
): Promise<TestAnswer> {
  const { gateway } = state;
  const before = await gateway.digest();
  const answer = await call(gateway.app, key, method, path, members);
  if (answer.status < 300) return answer;
  const mayBeUnavailable =
    gateway.environment.faults.size > 0 || gateway.environment.ratePercent === null;
  if (answer.status >= 500 && !(mayBeUnavailable && answer.status === 503))
    throw new InvariantViolation('a request is not answered with 5xx', { path, members, answer });
  if (answer.status < 500 && typeof answer.body.reason !== 'string')
    throw new InvariantViolation('a rejection has a reason', { path, answer });
  const after = answer.status < 500 ? await gateway.digest() : before;
  if (after !== before)
    throw new InvariantViolation('a rejected request changes nothing', {
      path,
      members,
      answer,
      changed: changedTables(before, after),
    });
  return answer;
}

/** Names of the tables whose digests differ. */
function changedTables(before: string, after: string): string[] {
  const unchanged = new Set(before.split(' '));
  return after.split(' ').filter((table) => !unchanged.has(table));
}

export const chainOf = (kind: string): ChainId | undefined => kindOf(kind)?.chain;

/** A percentage of the available balance, split into equal parts. */
export async function shareOf(
  { gateway }: SimulationState,
  kind: Coin,
  percent: number,
  parts: number,
): Promise<string> {
  const { rows } = await sql<{ amount: string }>`
    select amount::text as amount from balance where bucket = 'available' and currency = ${kind}`.execute(
    gateway.context.db,
  );
  const unit = 10n ** BigInt(18 - Math.min(8, kindOf(kind)!.decimals));
  const share = (parseAmount(rows[0]?.amount ?? '0') * BigInt(percent)) / 100n / BigInt(parts);
  return formatAmount(share - (share % unit));
}

export async function walletOf({ gateway }: SimulationState, kind: Coin): Promise<string> {
  const { wallet_id } = await gateway.context.db
    .selectFrom('profile_currency')
    .select('wallet_id')
    .where('kind', '=', kind)
    .executeTakeFirstOrThrow();
  return wallet_id;
}
