import { formatAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { kindOf } from '@crypto-checkout/protocol/kind';
import { z } from 'zod';
import type { UnsweptFunds } from '../../sweep/unswept-funds.ts';
import type { Context } from '../../context.ts';
import { raiseAlarmAbout } from '../../alarm/raise.ts';
import { startConversion } from '../../conversion/start.ts';
import { conversionsFor, type ConversionRow } from '../../conversion/store.ts';
import { milliseconds, timestamp, transact, type Trx } from '../../database/database.ts';
import type { Price } from '../../exchange/exchange.ts';
import { readPair, type Pair } from '../../exchange/pair.ts';
import { TOO_LARGE } from '../../exchange/price.ts';
import { ServiceError } from '../../http/error.ts';
import { LedgerError } from '../../ledger/post.ts';
import { holdFunds } from '../hold.ts';
import { movePayout } from '../transition.ts';
import { insufficientFunds, shortfallOf, requiredFunds } from '../required-funds.ts';
import { availableIn, lockPayout, type LockedPayout, type NewPayout } from '../store.ts';

/** Profiles store the wallet as an id or as an object with an id, under either name. */
const reference = z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)]);
const reserveWallet = z.object({
  kind: z.string(),
  wallet: reference.optional(),
  wallet_id: reference.optional(),
});

/** Wait after an exchange rejected a conversion. */
const PAUSE_MS = 10 * 60 * 1000;

type Underfunded = Pick<
  NewPayout,
  'account_id' | 'wallet_id' | 'chain' | 'asset' | 'fee_asset' | 'total' | 'fee_reserve'
>;

/**
 * Requires that a payout without enough funds may wait for them: the profile's reserve wallet must
 * be able to buy them, whatever its balance is now.
 * @throws ServiceError `InsufficientFunds`
 */
export async function requireRefillable(
  context: Context,
  payout: Underfunded,
  reserve: unknown,
  unswept: UnsweptFunds,
): Promise<void> {
  const obstacle =
    reserve === null ? null : await refillObstacle(context, payout, reserve, unswept);
  if (reserve !== null && obstacle === null) return;
  const available = await availableIn(context.db, payout.account_id, payout.wallet_id);
  throw insufficientFunds(payout, unswept, {
    shortfall: shortfallOf(payout, available, unswept),
    address: fundingAddressOf(context, payout),
    obstacle,
  });
}

/** The address for coins that an operator sends. Simulated chains have no use for it. */
export function fundingAddressOf(
  { senders, chains }: Context,
  { chain }: Pick<Underfunded, 'chain'>,
): string | null {
  if (chains.get(chain)?.source !== 'node') return null;
  const sender = senders.get(chain);
  return sender?.sweeping?.payoutAddress ?? sender?.fundingAddress ?? null;
}

/**
 * @returns the reason why the reserve wallet can never buy the missing funds; null if it can, or if
 * nothing is missing by now
 */
export async function refillObstacle(
  context: Context,
  payout: Underfunded,
  reserve: unknown,
  unswept: UnsweptFunds,
): Promise<string | null> {
  const shortfall = shortfallOf(
    payout,
    await availableIn(context.db, payout.account_id, payout.wallet_id),
    unswept,
  );
  try {
    for (const asset of shortfall.keys()) await readPurchase(context, payout, reserve, asset);
    return null;
  } catch (error) {
    if (error instanceof ServiceError) return error.message.replace(/\.+$/, '');
    throw error;
  }
}

/**
 * Resumes a locked payout that waits for funds, if the wallet has enough by now.
 * @returns the shortfall by asset; empty if the payout was resumed
 */
export async function fundPayout(
  trx: Trx,
  context: Context,
  payout: LockedPayout,
  unswept: UnsweptFunds,
): Promise<Map<string, Amount>> {
  if (payout.status !== 'awaiting_funds') return new Map();
  const shortfall = await shortfallFor(trx, payout, unswept);
  if (shortfall.size > 0) return shortfall;
  await holdFunds(trx, payout, timestamp(context.clock.now()), unswept);
  await movePayout(trx, context, payout, ['new'], { hold: 'held' });
  return shortfall;
}

async function shortfallFor(
  trx: Trx,
  payout: LockedPayout,
  unswept: UnsweptFunds,
): Promise<Map<string, Amount>> {
  const available = new Map<string, string>();
  for (const asset of [...requiredFunds(payout).keys()].toSorted())
    available.set(asset, await availableOf(trx, payout, asset));
  return shortfallOf(payout, available, unswept);
}

/** Locks the balance, so that no other payout takes it before it is held. */
async function availableOf(
  trx: Trx,
  { account_id, wallet_id }: LockedPayout,
  asset: string,
): Promise<string> {
  const row = await trx
    .selectFrom('balance')
    .select('amount')
    .where('account_id', '=', account_id)
    .where('wallet_id', '=', wallet_id)
    .where('currency', '=', asset)
    .where('bucket', '=', 'available')
    .forUpdate()
    .executeTakeFirst();
  return row?.amount ?? '0';
}

/**
 * Buys the missing funds from the profile's reserve wallet, as one conversion per asset and
 * attempt. If that is impossible, an alarm states the reason and the payout keeps waiting.
 * @returns the pending conversions
 * @throws ServiceError `RateUnavailable`
 */
export async function refillPayout(
  context: Context,
  payout: LockedPayout,
  shortfall: ReadonlyMap<string, Amount>,
  unswept: UnsweptFunds,
): Promise<string[]> {
  const conversions = await conversionsFor(context.db, payout.id);
  if (conversions.some(({ status }) => status === 'pending') || isPaused(context, conversions))
    return [];
  const alarm = (reason: string): Promise<void> => raiseWaitingAlarm(context, payout.id, reason);
  const refused = conversions.at(-1)?.status === 'failed';
  if (refused)
    await alarm(`the exchange rejected the conversion (${conversions.at(-1)?.error ?? ''})`);
  try {
    const purchases = await planPurchases(context, payout, shortfall);
    return await transact(context.db, (trx) => buy(trx, context, payout, purchases, unswept));
  } catch (error) {
    if (error instanceof LedgerError) await alarm('the reserve wallet has insufficient funds');
    else if (error instanceof ServiceError && error.reason !== 'RateUnavailable')
      await alarm(error.message);
    else throw error;
    return [];
  }
}

/** Under the payout's lock: it may have been resumed or rejected by now, which needs no alarm. */
async function raiseWaitingAlarm(context: Context, id: string, reason: string): Promise<void> {
  await transact(context.db, async (trx) => {
    if ((await lockPayout(trx, id))?.status !== 'awaiting_funds') return;
    await raiseAlarmAbout(
      { ...context, db: trx },
      id,
      `A payout waits for funds: ${reason.replace(/\.+$/, '')}. ${OPERATOR_HINT}`,
    );
  });
}

const OPERATOR_HINT =
  'It is sent when its wallet has enough, or when the reserve wallet of the profile can buy it. Reject it to cancel it.';

function isPaused({ clock }: Context, conversions: readonly ConversionRow[]): boolean {
  const last = conversions.at(-1);
  return last?.status === 'failed' && clock.now() < milliseconds(last.updated_at) + PAUSE_MS;
}

interface Purchase {
  asset: string;
  pair: Pair;
  price: Price;
}

/** @throws ServiceError if the profile has no reserve wallet, or it cannot buy an asset */
async function planPurchases(
  context: Context,
  payout: LockedPayout,
  shortfall: ReadonlyMap<string, Amount>,
): Promise<Purchase[]> {
  const purchases: Purchase[] = [];
  for (const [asset, needed] of shortfall) {
    const pair = await readPurchase(context, payout, payout.reserve_wallet, asset);
    purchases.push({
      asset,
      pair,
      price: await pair.exchange.quote({ from: pair.from.kind, to: pair.to.kind, buy: needed }),
    });
  }
  return purchases;
}

/**
 * The exchange pair that buys a missing asset from the reserve wallet.
 * @throws ServiceError with the reason if there is none
 */
async function readPurchase(
  context: Context,
  payout: Underfunded,
  reserve: unknown,
  asset: string,
): Promise<Pair> {
  const { data } = reserveWallet.safeParse(reserve);
  const wallet = data?.wallet_id ?? data?.wallet;
  if (data === undefined || wallet === undefined)
    throw cannotBuy('the profile has no reserve wallet');
  const { kind } = data;
  if (wallet === payout.wallet_id && kindOf(kind)?.asset === asset)
    throw cannotBuy(`the reserve is the same ${kind} wallet that lacks the funds`);
  const pair = {
    from_wallet: wallet,
    from_kind: kind,
    to_wallet: payout.wallet_id,
    to_kind: asset,
  };
  try {
    return await readPair(context, payout.account_id, pair);
  } catch (cause) {
    const describe =
      cause instanceof ServiceError ? PAIR_ERROR_TEXT[cause.errors?.[0]?.field ?? ''] : undefined;
    throw describe === undefined ? cause : cannotBuy(describe(kind, asset), cause);
  }
}

const cannotBuy = (obstacle: string, cause?: unknown): ServiceError =>
  new ServiceError('InvalidState', obstacle, { cause });

/** Reasons in terms of the profile, by the invalid member of the pair. */
const PAIR_ERROR_TEXT: Readonly<Record<string, (kind: string, asset: string) => string>> = {
  from_wallet: () => "the profile's reserve wallet does not exist",
  from_kind: (kind) => `the profile's reserve wallet does not hold ${kind}`,
  to_kind: (kind, asset) =>
    `no exchange sells ${asset} for ${kind}, the coin of the profile's reserve wallet`,
};

/** Buys all missing assets, or none. */
async function buy(
  trx: Trx,
  context: Context,
  { id }: LockedPayout,
  purchases: readonly Purchase[],
  unswept: UnsweptFunds,
): Promise<string[]> {
  const payout = await lockPayout(trx, id);
  if (payout?.status !== 'awaiting_funds') return [];
  const shortfall = await shortfallFor(trx, payout, unswept);
  const conversions = await conversionsFor(trx, id);
  if (conversions.some(({ status }) => status === 'pending')) return [];
  // The shortfall changed after the price was quoted: the next cycle quotes again.
  if (
    purchases.length !== shortfall.size ||
    purchases.some(({ asset, price }) => (shortfall.get(asset) ?? price.bought + 1n) > price.bought)
  )
    return [];
  for (const { asset, pair, price } of purchases) {
    if (price.sold >= TOO_LARGE)
      throw new LedgerError(`The reserve wallet needs ${formatAmount(price.sold)}`);
    const number = conversions.filter(({ to_asset }) => to_asset === asset).length + 1;
    const naturalKey = `payout:${id}:${asset}:${number}`;
    await startConversion(trx, context, {
      accountId: payout.account_id,
      origin: 'payout',
      naturalKey,
      payoutId: id,
      createdBy: 'payout',
      approvedBy: null,
      pair,
      price,
    });
  }
  return (await conversionsFor(trx, id))
    .filter(({ status }) => status === 'pending')
    .map((conversion) => conversion.id);
}
