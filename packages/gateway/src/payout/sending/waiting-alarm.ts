import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { kindOf, type ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import { coinName } from '../../alarm/coin-name.ts';
import { raiseAlarm, raiseAlarmOnce } from '../../alarm/raise.ts';
import { clearLapsed } from '../../alarm/recurring.ts';
import type { Context } from '../../context.ts';
import { milliseconds, timestamp, type Db, type Trx } from '../../database/database.ts';
import type { SendOutcome } from '../../engine/sending/send.ts';
import { HIGHER_FEE } from '../../engine/sending/track.ts';
import type { AlarmFunding } from '../../database/tables/transaction.ts';
import { coinOf } from '../../sweep/start-sweep.ts';
import { requiredFunds } from '../required-funds.ts';
import { findPayouts, type PayoutView } from '../store.ts';

/** Each alarm about payouts that wait begins with it. */
const WAITING = 'Payouts are waiting: ';
/**
 * Time that a sweep may take beyond CONSOLIDATE_AFTER_MINUTES until a payout that lacks its money
 * is an alarm.
 */
const SWEEP_MINUTES = 30;

type WaitingOutcome = Extract<SendOutcome, { type: 'waiting' }>;

/** The alarms about waiting payouts of one chain, in one round of its worker. */
interface WaitingAlarms {
  raise(payoutId: string, outcome: WaitingOutcome): Promise<void>;
  /** A payout was not tried in this round, so its reason may go on. */
  missOne(): void;
  /** After a round that tried every payout: removes the alarms whose reason was not met again. */
  clear(): Promise<void>;
}

export function waitingAlarms(context: Context, chain: ChainId): WaitingAlarms {
  const met = new Map<string, AlarmFunding | null>();
  let triedAll = true;
  return {
    async raise(payoutId, outcome) {
      const { reason, cause } = outcome;
      if (cause === 'funds' && (await isOnItsWay(context, payoutId))) return;
      // A refusal of the signer needs the id, for its approval.
      const said = cause === 'signer' ? `${reason} (${approvalHint(payoutId)})` : reason;
      const others = met.get(`${WAITING}${said}`) ?? null;
      const funding = await fundingOf(context, payoutId, outcome, others);
      met.set(`${WAITING}${said}`, funding);
      await raiseAlarmOnce(context, chain, `${WAITING}${said}`, funding);
    },
    missOne() {
      triedAll = false;
    },
    async clear() {
      if (!triedAll) return;
      await sql`
        delete from alarm where chain = ${chain} and starts_with(reason, ${WAITING})
          and reason <> all(${[...met.keys()]}::text[])`.execute(context.db);
      await clearLapsed(context, { on: chain }, [HIGHER_FEE]);
    },
  };
}

const approvalHint = (payoutId: string): string =>
  `payout ${payoutId}; see payouts approval-request`;

/**
 * Coins that let payouts go, on the address that lacks them. Where their chain does not say how
 * much is missing: at most all that they send, because the keys may hold a part of it.
 * @param others what the payouts before this one need for the same reason
 */
async function fundingOf(
  { db, senders }: Context,
  payoutId: string,
  { reason, lack }: WaitingOutcome,
  others: AlarmFunding | null,
): Promise<AlarmFunding | null> {
  const [payout] = await findPayouts(db, [payoutId]);
  const sender = payout && senders.get(payout.chain);
  const address = lack ? sender?.sweeping?.payoutAddress : sender?.fundingAddress;
  if (!payout || !address || !reason.includes(address)) return null;
  const asset = lack?.asset ?? payout.fee_asset;
  const own = requiredFunds(payout).get(asset) ?? 0n;
  // The first one counts what the address holds.
  const amount = others?.amount == null ? (lack?.amount ?? own) : parseAmount(others.amount) + own;
  return { asset, amount: formatAmount(amount), address };
}

/** Removes the alarms of chains on which no payout waits any more. */
export async function clearOtherChains(
  context: Context,
  chains: readonly ChainId[],
): Promise<void> {
  await sql`
    delete from alarm where chain <> all(${[...chains]}::text[]) and starts_with(reason, ${WAITING})`.execute(
    context.db,
  );
  await clearLapsed(context, { notOn: chains }, [HIGHER_FEE]);
}

/** It was approved and could not be sent: an operator should not learn it from the recipient. */
export async function raiseFailed(
  trx: Trx,
  { ids, clock }: Context,
  { id, kind }: Pick<PayoutView, 'id' | 'kind'>,
  reason: string,
): Promise<void> {
  await raiseAlarm(trx, {
    id: ids.uuid(),
    chain: null,
    resource_id: id,
    reason: `A payout of ${coinName(kind)} failed: ${reason}`,
    raised_at: timestamp(clock.now()),
  });
}

/** Whether a sweep brings the money soon: no operator has to act. */
async function isOnItsWay({ db, clock, config }: Context, payoutId: string): Promise<boolean> {
  const [payout] = await findPayouts(db, [payoutId]);
  const patience = (config.sweepAfterMinutes + SWEEP_MINUTES) * 60_000;
  if (payout === undefined || clock.now() - milliseconds(payout.updated_at) > patience)
    return false;
  const isCold = config.hotLimit === null && config.sweepTo[payout.chain] !== undefined;
  return !isCold && (await hasUnswept(db, payout));
}

async function hasUnswept(db: Db, { chain, kind }: PayoutView): Promise<boolean> {
  const assets = [kindOf(kind)?.asset ?? kind, coinOf(chain).asset];
  const listed = sql`chain = ${chain} and asset = any(${assets}::text[])`;
  const { rows } = await sql<{ yes: boolean }>`
    select exists (select from deposit where ${listed} and amount > 0)
      or exists (select from transaction where ${listed} and credit = 'available' and not collected and not owed)
      or exists (select from sweep where ${listed} and status in ('topping_up', 'sending')) as yes`.execute(
    db,
  );
  return rows[0]?.yes === true;
}
