import {
  type Amount,
  AmountError,
  divide,
  formatAmount,
  multiply,
  parseAmount,
  roundUp,
} from '@crypto-checkout/protocol/amount';
import type { CheckoutCoin } from '@crypto-checkout/protocol/checkout';
import { isAboveDust, dustLimit } from '@crypto-checkout/protocol/dust';
import { type Kind, KINDS, invoiceDecimals, kindOf } from '@crypto-checkout/protocol/kind';
import { byPopularity } from '@crypto-checkout/protocol/popularity';
import { gasOf } from '@crypto-checkout/protocol/gas';
import { usualSeconds } from '@crypto-checkout/protocol/usual-time';
import { HttpError } from '../http/http-error.ts';
import type { Terms } from '../orders/terms.ts';
import type { ServiceProfile } from '../service/service.ts';
import { cheapNetworksFirst } from './coin-order.ts';

/** The kinds that can pay an order: those of the profile, limited by the order. */
export function allowedKinds(terms: Terms, profile: ServiceProfile): string[] {
  const enabled = new Set(profile.currencies.map(({ kind }) => kind));
  return (terms.kinds ?? [...enabled]).filter(
    (kind) => enabled.has(kind) && kindOf(kind) !== undefined,
  );
}

/** Whether no new invoice should be made in a kind for now. */
export const isUnavailable = ({ currencies }: ServiceProfile, name: string): boolean =>
  currencies.some(({ kind, isUnavailable: is }) => is && kind === name);

/** The last known exchange rates and network fees; null before the first read. */
export interface Market {
  rates: ReadonlyMap<string, string> | null;
  /** Usual network fees in US dollars, by kind. */
  networkFees: ReadonlyMap<string, string> | null;
}

/**
 * The coins offered to the buyer, each once, the most used assets first, their networks by fee and
 * time. Address formats of one coin on one network are one choice, unless the order names
 * them. Amounts below the dust limit of a network are left out.
 */
export function offeredCoins(
  terms: Terms,
  profile: ServiceProfile,
  price: { amount: string; currency: string } | null,
  market: Market,
): readonly CheckoutCoin[] {
  const { rates, networkFees } = market;
  const offer = cachedOffer(profile, market);
  const kinds = terms.kinds?.join(' ') ?? '';
  const key = `${price?.amount} ${price?.currency} ${kinds}`;
  let coins = offer.coins.get(key);
  if (!coins) {
    let withoutAmounts = offer.withoutAmounts.get(kinds);
    if (!withoutAmounts)
      offer.withoutAmounts.set(kinds, (withoutAmounts = coinsWithoutAmounts(terms, profile)));
    coins = cheapNetworksFirst(
      withoutAmounts.flatMap(({ kind, coin }) => {
        const approx =
          price && rates
            ? approximateAmount(price, kind, rates, profile.stablecoinPrecision)
            : null;
        const fee_usd = networkFees?.get(kind.kind) ?? null;
        const isPayable = approx === null || isAboveDust(approx, kind.chain);
        return isPayable ? { ...coin, approx, fee_usd } : [];
      }),
    );
    if (offer.coins.size >= MAX_OFFERS) offer.coins.clear();
    if (offer.withoutAmounts.size >= MAX_OFFERS) offer.withoutAmounts.clear();
    offer.coins.set(key, coins);
  }
  return coins;
}

/** @throws HttpError 400 for a coin in which no new invoice should be made for now */
export function requireAvailable(name: string, profile: ServiceProfile): void {
  if (isUnavailable(profile, name)) throw unreachableNetwork();
}

/** The profile offers the coin, so its network is the reason. */
export const unreachableNetwork = (options: ErrorOptions = {}): HttpError =>
  new HttpError(
    400,
    'CurrencyNotEnabled',
    "This order doesn't support selected payment currency now, because its network can't be reached. Choose another coin.",
    options,
  );

/** @throws HttpError 400 for an amount below the dust limit of the coin's network */
export function requireAboveDust(
  name: string,
  price: { amount: string; currency: string },
  profile: ServiceProfile,
  rates: ReadonlyMap<string, string> | null,
): void {
  const kind = kindOf(name);
  const approx =
    kind && rates ? approximateAmount(price, kind, rates, profile.stablecoinPrecision) : null;
  if (!kind || approx === null || isAboveDust(approx, kind.chain)) return;
  const { symbol, network, chain } = kind;
  throw new HttpError(
    400,
    'CurrencyNotEnabled',
    `This order doesn't support selected payment currency ${name}: about ${approx} ${symbol} are due, and ${network} passes on ${dustLimit(chain)} or more.`,
  );
}

interface CachedOffer extends Market {
  /** Coins without amounts, by the kinds of an order. */
  withoutAmounts: Map<string, readonly { kind: Kind; coin: CheckoutCoin }[]>;
  coins: Map<string, readonly CheckoutCoin[]>;
}

/**
 * Views are computed every second but profiles change rarely: cache the offers per profile and
 * price.
 */
const offers = new WeakMap<ServiceProfile, CachedOffer>();
const MAX_OFFERS = 500;

/** Kinds that the service refused since it was asked for the profile. */
const leftOut = new WeakMap<ServiceProfile, ReadonlySet<string>>();

/** Whether coins are missing in the offers for now. */
export const leavesOutCoins = (profile: ServiceProfile): boolean =>
  leftOut.has(profile) || profile.currencies.some(({ isUnavailable: is }) => is);

/**
 * Leaves a coin out of the offers until the profile is read again, a minute later: the service
 * refused it, for example because its network cannot be reached.
 */
export function leaveOut(profile: ServiceProfile, name: string): void {
  const refused = KINDS.filter(({ kind }) => kind === name);
  const same = KINDS.filter((kind) => refused.some((other) => isSameForBuyers(kind, other)));
  leftOut.set(profile, new Set([...(leftOut.get(profile) ?? []), ...same.map(({ kind }) => kind)]));
  offers.delete(profile);
}

function cachedOffer(profile: ServiceProfile, { rates, networkFees }: Market): CachedOffer {
  const cached = offers.get(profile);
  if (cached?.rates === rates && cached.networkFees === networkFees) return cached;
  const offer: CachedOffer = {
    rates,
    networkFees,
    withoutAmounts: cached?.withoutAmounts ?? new Map(),
    coins: new Map(),
  };
  offers.set(profile, offer);
  return offer;
}

function coinsWithoutAmounts(
  terms: Terms,
  profile: ServiceProfile,
): { kind: Kind; coin: CheckoutCoin }[] {
  const allowed = new Set(allowedKinds(terms, profile));
  const refused = leftOut.get(profile);
  const kinds = KINDS.filter(
    ({ kind }) => allowed.has(kind) && refused?.has(kind) !== true && !isUnavailable(profile, kind),
  );
  const distinct = terms.kinds
    ? kinds
    : kinds.filter(
        (kind, index) => kinds.findIndex((other) => isSameForBuyers(kind, other)) === index,
      );
  return byPopularity(distinct).map((kind) => ({
    kind,
    coin: {
      kind: kind.kind,
      name: kind.name,
      network: kind.network,
      symbol: kind.symbol,
      approx: null,
      fee_usd: null,
      seconds: usualSeconds(kind, minConfirmations(kind.kind, profile)),
      gas: gasOf(kind),
    },
  }));
}

/**
 * The confirmations that the profile requires for a coin, limited by the final depth of the chain:
 * the service never waits longer.
 */
export function minConfirmations(kind: string, profile: ServiceProfile | null): number {
  const required =
    profile?.currencies.find((currency) => currency.kind === kind)?.minConfirmations ?? 1;
  return Math.min(required, kindOf(kind)?.finalConfirmations ?? required);
}

function isSameForBuyers(a: Kind, b: Kind): boolean {
  return a.symbol === b.symbol && a.network === b.network;
}

/**
 * The approximate amount in a coin at the current rates, rounded like an invoice. Null without a
 * rate.
 */
function approximateAmount(
  { amount, currency }: { amount: string; currency: string },
  kind: Kind,
  rates: ReadonlyMap<string, string>,
  stablecoinPrecision: number,
): string | null {
  const from = rateOf(currency, rates);
  const to = rateOf(kind.symbol, rates) ?? rateOf(kind.asset, rates);
  if (!from || !to) return null;
  const exact = divide(multiply(parseAmount(amount), from, 'up'), to, 'up');
  return formatAmount(roundUp(exact, invoiceDecimals(kind, stablecoinPrecision)));
}

/** US dollars per unit of a symbol; null without a rate. */
export function rateOf(symbol: string, rates: ReadonlyMap<string, string>): Amount | null {
  const text = rates.get(symbol);
  try {
    // Rates can have more than 18 decimals; an approximation does not need them.
    return text === undefined ? null : parseAmount(text.replace(/(\.\d{18})\d+$/, '$1')) || null;
  } catch (error) {
    if (error instanceof AmountError) return null;
    throw error;
  }
}
