import { formatAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { kindOf } from '@crypto-checkout/protocol/kind';
import { z } from 'zod';
import type { Lying } from '../consolidation/lying.ts';
import type { Context } from '../context.ts';
import { raiseAlarmAbout } from '../conversion/alarm.ts';
import { startConversion } from '../conversion/start.ts';
import { conversionsFor, type ConversionRow } from '../conversion/store.ts';
import { milliseconds, timestamp, transact, type Trx } from '../database/database.ts';
import type { Price } from '../exchange/exchange.ts';
import { readPair, type Pair } from '../exchange/pair.ts';
import { TOO_LARGE } from '../exchange/price.ts';
import { ServiceError } from '../http/error.ts';
import { LedgerError } from '../wallet/post.ts';
import { holdFunds } from './hold.ts';
import { movePayout } from './move.ts';
import { insufficientFunds, lackingOf, needs } from './need.ts';
import { availableIn, lockPayout, type LockedPayout, type NewPayout } from './store.ts';

/** §2.8; the reference is written under either name, as an id or with it. */
const reference = z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)]);
const reserveWallet = z.object({ kind: z.string(), wallet: reference.optional(), wallet_id: reference.optional() });

/** After an exchange refused it is not asked again for so long. */
const PAUSE_MS = 10 * 60 * 1000;

type Poor = Pick<NewPayout, 'account_id' | 'wallet_id' | 'asset' | 'fee_asset' | 'total' | 'fee_reserve'>;

/**
 * Whether a payout that lacks money may wait for it: it may where the profile's reserve wallet can buy it, however little that has now.
 * @throws ServiceError `InsufficientFunds`
 */
export async function requireRefillable(context: Context, payout: Poor, reserve: unknown, lying: Lying): Promise<void> {
  if (reserve === null) throw insufficientFunds(payout, lying);
  const why = await whyNeverRefilled(context, payout, reserve, lying);
  if (why !== null) throw insufficientFunds(payout, lying, why);
}

/** @returns why the reserve wallet can never buy what is lacking; null when it can, or when there is enough by now */
export async function whyNeverRefilled(context: Context, payout: Poor, reserve: unknown, lying: Lying): Promise<string | null> {
  const lacking = lackingOf(payout, await availableIn(context.db, payout.account_id, payout.wallet_id), lying);
  try {
    for (const asset of lacking.keys()) await readPurchase(context, payout, reserve, asset);
    return null;
  } catch (error) {
    if (error instanceof ServiceError) return error.message.replace(/\.+$/, '');
    throw error;
  }
}

/**
 * Lets a locked payout go on that waited for money, when by now there is enough of it.
 * @returns what it lacks, by asset; nothing when it goes on
 */
export async function fundPayout(trx: Trx, context: Context, payout: LockedPayout, lying: Lying): Promise<Map<string, Amount>> {
  if (payout.status !== 'awaiting_funds') return new Map();
  const lacking = await lackingFor(trx, payout, lying);
  if (lacking.size > 0) return lacking;
  await holdFunds(trx, payout, timestamp(context.clock.now()), lying);
  await movePayout(trx, context, payout, ['new'], { hold: 'held' });
  return lacking;
}

async function lackingFor(trx: Trx, payout: LockedPayout, lying: Lying): Promise<Map<string, Amount>> {
  const available = new Map<string, string>();
  for (const asset of [...needs(payout).keys()].toSorted()) available.set(asset, await availableOf(trx, payout, asset));
  return lackingOf(payout, available, lying);
}

/** Locked, so that nobody else takes it before it is held. */
async function availableOf(trx: Trx, { account_id, wallet_id }: LockedPayout, asset: string): Promise<string> {
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
 * Has what a payout lacks bought from the profile's reserve wallet (§2.8): once for each need, as a conversion of its own. Why it
 * can't be is told to the operator, and the payout goes on waiting.
 * @returns the conversions to be carried out
 * @throws ServiceError `RateUnavailable`
 */
export async function refillPayout(
  context: Context,
  payout: LockedPayout,
  lacking: ReadonlyMap<string, Amount>,
  lying: Lying,
): Promise<string[]> {
  const made = await conversionsFor(context.db, payout.id);
  if (made.some(({ status }) => status === 'pending') || isPaused(context, made)) return [];
  const wait = (reason: string): Promise<void> => tellThatItWaits(context, payout.id, reason);
  const refused = made.at(-1)?.status === 'failed';
  if (refused) await wait(`the exchange refused to convert, ${made.at(-1)?.error ?? ''}`);
  try {
    const purchases = await planPurchases(context, payout, lacking);
    return await transact(context.db, (trx) => buy(trx, context, payout, purchases, lying));
  } catch (error) {
    if (error instanceof LedgerError) await wait('the reserve wallet has too little');
    else if (error instanceof ServiceError && error.reason !== 'RateUnavailable') await wait(error.message);
    else throw error;
    return [];
  }
}

/** Under its lock: by now it may have gone on, or been rejected, and then nothing is said of it any more. */
async function tellThatItWaits(context: Context, id: string, reason: string): Promise<void> {
  await transact(context.db, async (trx) => {
    if ((await lockPayout(trx, id))?.status !== 'awaiting_funds') return;
    await raiseAlarmAbout({ ...context, db: trx }, id, `A payout waits for money: ${reason.replace(/\.+$/, '')}. ${WAY_OUT}`);
  });
}

/** What an operator can do about it. */
const WAY_OUT = "It is sent when its own wallet has enough, or the profile's reserve wallet can buy it; to end it, reject it.";

function isPaused({ clock }: Context, made: readonly ConversionRow[]): boolean {
  const last = made.at(-1);
  return last?.status === 'failed' && clock.now() < milliseconds(last.updated_at) + PAUSE_MS;
}

interface Purchase {
  asset: string;
  pair: Pair;
  price: Price;
}

/** @throws ServiceError when there is no reserve wallet, or none that could pay for it */
async function planPurchases(context: Context, payout: LockedPayout, lacking: ReadonlyMap<string, Amount>): Promise<Purchase[]> {
  const purchases: Purchase[] = [];
  for (const [asset, needed] of lacking) {
    const pair = await readPurchase(context, payout, payout.reserve_wallet, asset);
    purchases.push({ asset, pair, price: await pair.exchange.quote({ from: pair.from.kind, to: pair.to.kind, buy: needed }) });
  }
  return purchases;
}

/**
 * What is sold out of the reserve wallet for an asset that is lacking.
 * @throws ServiceError why that can't be, in words for whoever set the reserve wallet
 */
async function readPurchase(context: Context, payout: Poor, reserve: unknown, asset: string): Promise<Pair> {
  const { data } = reserveWallet.safeParse(reserve);
  const wallet = data?.wallet_id ?? data?.wallet;
  if (data === undefined || wallet === undefined) throw never('the profile has no reserve wallet');
  const { kind } = data;
  if (wallet === payout.wallet_id && kindOf(kind)?.asset === asset)
    throw never(`it is the same ${kind} in the same wallet as what is lacking`);
  const pair = { from_wallet: wallet, from_kind: kind, to_wallet: payout.wallet_id, to_kind: asset };
  try {
    return await readPair(context, payout.account_id, pair);
  } catch (cause) {
    const why = cause instanceof ServiceError ? WHY_NO_PAIR[cause.errors?.[0]?.field ?? ''] : undefined;
    throw why === undefined ? cause : never(why(kind, asset), cause);
  }
}

const never = (why: string, cause?: unknown): ServiceError => new ServiceError('InvalidState', why, { cause });

/** By the member of a conversion that can't be, the same in words of the profile. */
const WHY_NO_PAIR: Readonly<Record<string, (kind: string, asset: string) => string>> = {
  from_wallet: () => 'the wallet that the profile names as its reserve does not exist',
  from_kind: (kind) => `the wallet that the profile names as its reserve does not hold ${kind}`,
  to_kind: (kind, asset) => `no exchange here sells ${asset} for ${kind}, the reserve of the profile`,
};

/** All that it lacks, or nothing. */
async function buy(trx: Trx, context: Context, { id }: LockedPayout, purchases: readonly Purchase[], lying: Lying): Promise<string[]> {
  const payout = await lockPayout(trx, id);
  if (payout?.status !== 'awaiting_funds') return [];
  const lacking = await lackingFor(trx, payout, lying);
  const made = await conversionsFor(trx, id);
  if (made.some(({ status }) => status === 'pending')) return [];
  // Something came in, or went, since it was priced: the next round prices it anew.
  if (purchases.length !== lacking.size || purchases.some(({ asset, price }) => (lacking.get(asset) ?? price.bought + 1n) > price.bought))
    return [];
  for (const { asset, pair, price } of purchases) {
    if (price.sold >= TOO_LARGE) throw new LedgerError(`The reserve wallet would have to have ${formatAmount(price.sold)}`);
    const number = made.filter(({ to_asset }) => to_asset === asset).length + 1;
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
  return (await conversionsFor(trx, id)).filter(({ status }) => status === 'pending').map((conversion) => conversion.id);
}
