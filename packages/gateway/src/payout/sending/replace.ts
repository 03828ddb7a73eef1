import { formatAmount, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { CHAINS } from '@crypto-checkout/protocol/kind';
import { FeeCeilingError } from '@crypto-checkout/chains/error';
import type { Replacement } from '@crypto-checkout/chains/sender';
import type { Context } from '../../context.ts';
import { timestamp, transact, type Trx } from '../../database/database.ts';
import {
  ageOf,
  findReplaceable,
  planReplacement,
  saveReplacement,
  type Replaceable,
  type ReplaceIntent,
} from '../../engine/sending/replace.ts';
import { ServiceError } from '../../http/error.ts';
import { isUuid } from '../../http/id.ts';
import { LedgerError } from '../../ledger/post.ts';
import { holdMore } from '../hold.ts';
import { isEnded } from '../state.ts';
import { findPayouts, lockPayout, type PayoutView } from '../store.ts';
import { lockShared, payoutsOfBatch } from './batch-store.ts';
import { feeReserveOf, shareFee } from './batch.ts';
import { movePayout } from '../transition.ts';

/** The same request again within this time is a repetition. */
const REPEATED_WITHIN_MS = 30_000;

/**
 * Requests of an operator: `bump` sends the transaction of a payout again for a higher fee;
 * `cancel` takes its place with a transaction that pays nobody. The worker broadcasts it. At most
 * one of all of them can be mined, and any of them counts: a cancelled payout fails once the
 * cancelling transaction is final, and can be paid until then.
 * @throws ServiceError `NotFound`; `InvalidState` if it does not wait for its block, or pays the
 * highest fee rate of its chain; `InsufficientFunds` if the wallet lacks the higher fee
 * @throws UnavailableError if the node does not answer
 */
export async function requestReplacement(
  context: Context,
  { accountId, username }: { accountId: string; username: string },
  id: string,
  intent: ReplaceIntent,
): Promise<PayoutView> {
  const payout = isUuid(id) ? (await findPayouts(context.db, [id], accountId))[0] : undefined;
  if (payout === undefined) throw new ServiceError('NotFound', 'No payout has this id.');
  const waiting = await requireReplaceable(context, payout);
  const { newest } = waiting;
  const isRepeated =
    newest.intent === intent &&
    (intent === 'cancel' || ageOf(newest, context.clock.real()) < REPEATED_WITHIN_MS);
  if (isRepeated) return payout;
  await requireAlone(context, payout, intent);
  const replacement = await planReplacement(waiting, intent).catch(asRefusal);
  const store = (pays: 'all' | 'one'): Promise<void> =>
    transact(context.db, (trx) =>
      storeReplacement(trx, context, { id, waiting, intent, replacement, pays }),
    );
  try {
    await store('all').catch((error: unknown) => {
      if (!(error instanceof LedgerError)) throw error;
      // The wallet of another payout may lack its part.
      return store('one');
    });
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    const reserve = formatAmount(replacement.reserve);
    const message = `The wallet has too little ${payout.fee_asset}: the new transaction can cost ${reserve}, and ${payout.fee_reserve} is held for it.`;
    throw new ServiceError('InsufficientFunds', message);
  }
  const about = { payout_id: id, by: username };
  if (intent === 'bump')
    context.log.info({ event: 'payout_bumped', ...about }, 'the fee of a payout was raised');
  else context.log.info({ event: 'payout_cancelled', ...about }, 'a payout is being cancelled');
  return (await findPayouts(context.db, [id]))[0]!;
}

function asRefusal(error: unknown): never {
  if (error instanceof FeeCeilingError)
    throw new ServiceError('InvalidState', error.message, { cause: error });
  throw error;
}

async function requireAlone(
  { db }: Context,
  { batch_id }: PayoutView,
  intent: ReplaceIntent,
): Promise<void> {
  const shared = batch_id === null ? [] : await payoutsOfBatch(db, batch_id);
  if (intent === 'cancel' && shared.length > 1)
    throw new ServiceError(
      'InvalidState',
      `The payout leaves in one transaction with ${shared.length - 1} others, so it can't be cancelled alone; it can be bumped.`,
    );
}

async function requireReplaceable(
  { db, senders }: Context,
  { id, chain, status }: PayoutView,
): Promise<Replaceable> {
  const sender = senders.get(chain);
  if (sender?.replace === undefined)
    throw new ServiceError(
      'InvalidState',
      `A transaction on ${CHAINS[chain].name} can't be replaced once it is sent.`,
    );
  const waiting = isEnded(status) ? null : await findReplaceable(db, sender, id);
  if (waiting !== null) return waiting;
  throw new ServiceError(
    'InvalidState',
    `The payout is ${status}: only a transaction that was sent and waits for its block can be replaced.`,
  );
}

/**
 * Whether the payout waits for its block on a chain where its transaction can be replaced, and
 * whether it is being cancelled.
 */
export async function replacementOf(
  { db, senders }: Context,
  { id, chain, status }: PayoutView,
): Promise<{ is_replaceable: boolean; is_cancelling: boolean }> {
  const sender = senders.get(chain);
  const isOpen = sender !== undefined && !isEnded(status);
  const waiting = isOpen ? await findReplaceable(db, sender, id) : null;
  return {
    is_replaceable: waiting !== null,
    is_cancelling: waiting?.newest.intent === 'cancel',
  };
}

export interface NewReplacement {
  /** Of the payout that it is for. */
  id: string;
  waiting: Replaceable;
  intent: ReplaceIntent;
  replacement: Replacement;
  /**
   * `all`: the payouts of the transaction share what the higher fee needs, as they share the fee.
   * `one`: this one pays it. Default: `all`.
   */
  pays?: 'all' | 'one';
}

/**
 * Holds the higher fee of a payout and stores the plan, unless the payout changed meanwhile.
 * @throws LedgerError if the balance is too low; the caller must roll back
 */
export async function storeReplacement(
  trx: Trx,
  context: Context,
  { id, waiting, intent, replacement, pays = 'all' }: NewReplacement,
): Promise<void> {
  await lockShared(trx, id);
  const payout = await lockPayout(trx, id);
  if (payout === null || isEnded(payout.status) || payout.hold !== 'held') return;
  if (!(await saveReplacement(trx, waiting, intent, replacement))) return;
  const more = replacement.reserve - (await feeReserveOf(trx, payout));
  if (more <= 0n) return;
  const parts = pays === 'all' ? await shareFee(trx, payout, more) : [{ id, part: more }];
  for (const one of parts) await holdPart(trx, context, one);
}

async function holdPart(
  trx: Trx,
  context: Context,
  { id, part }: { id: string; part: Amount },
): Promise<void> {
  const payout = (await lockPayout(trx, id))!;
  await holdMore(trx, payout, part, timestamp(context.clock.now()));
  const fee_reserve = formatAmount(parseAmount(payout.fee_reserve) + part);
  await movePayout(trx, context, payout, [], { fee_reserve });
}
