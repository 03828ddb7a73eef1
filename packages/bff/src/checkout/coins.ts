import { type Amount, AmountError, divide, formatAmount, multiply, parseAmount, roundUp } from '@crypto-checkout/protocol/amount';
import type { CheckoutCoin } from '@crypto-checkout/protocol/checkout';
import { isRelayed, leastRelayed } from '@crypto-checkout/protocol/dust';
import { type Kind, KINDS, invoiceDecimals, kindOf } from '@crypto-checkout/protocol/kind';
import { byUse, gasOf, usualSeconds } from '@crypto-checkout/protocol/usual';
import { Refusal } from '../http/refusal.ts';
import type { Terms } from '../order/terms.ts';
import type { ServiceProfile } from '../service/service.ts';

/** Kinds that an order can be paid with: the profile's, or those of them that the order names. */
export function allowedKinds(terms: Terms, profile: ServiceProfile): string[] {
  const enabled = new Set(profile.currencies.map(({ kind }) => kind));
  return (terms.kinds ?? [...enabled]).filter((kind) => enabled.has(kind) && kindOf(kind) !== undefined);
}

/**
 * The coins that a buyer is offered, each once, the most used first: address formats of one coin on one network are not a choice for
 * buyers, unless the order names them. Nor is a coin of which the network would not pass on so little.
 */
export function offeredCoins(
  terms: Terms,
  profile: ServiceProfile,
  price: { amount: string; currency: string } | null,
  rates: ReadonlyMap<string, string> | null,
): readonly CheckoutCoin[] {
  const offer = offerOf(profile, rates);
  const kinds = terms.kinds?.join(' ') ?? '';
  const key = `${price?.amount} ${price?.currency} ${kinds}`;
  let coins = offer.coins.get(key);
  if (!coins) {
    let bare = offer.bare.get(kinds);
    if (!bare) offer.bare.set(kinds, (bare = bareCoins(terms, profile)));
    coins = bare.flatMap(({ kind, coin }) => {
      const approx = price && rates ? approximately(price, kind, rates, profile.stablecoinPrecision) : null;
      return approx === null || isRelayed(approx, kind.chain) ? { ...coin, approx } : [];
    });
    if (offer.coins.size >= MAX_OFFERS) offer.coins.clear();
    if (offer.bare.size >= MAX_OFFERS) offer.bare.clear();
    offer.coins.set(key, coins);
  }
  return coins;
}

/** @throws Refusal 400 for an amount that is so little of a coin that its network would not pass it on */
export function requireRelayed(
  name: string,
  price: { amount: string; currency: string },
  profile: ServiceProfile,
  rates: ReadonlyMap<string, string> | null,
): void {
  const kind = kindOf(name);
  const approx = kind && rates ? approximately(price, kind, rates, profile.stablecoinPrecision) : null;
  if (!kind || approx === null || isRelayed(approx, kind.chain)) return;
  const { symbol, network, chain } = kind;
  throw new Refusal(
    400,
    'CurrencyNotEnabled',
    `This order doesn't support selected payment currency ${name}: about ${approx} ${symbol} are due, and ${network} passes on ${leastRelayed(chain)} or more.`,
  );
}

interface Offer {
  rates: ReadonlyMap<string, string> | null;
  /** Coins without amounts, by the kinds that an order names. */
  bare: Map<string, readonly { kind: Kind; coin: CheckoutCoin }[]>;
  coins: Map<string, readonly CheckoutCoin[]>;
}

/** Views are made by the second, profiles by the minute: what all orders of one price see is worked out once. */
const offers = new WeakMap<ServiceProfile, Offer>();
const MAX_OFFERS = 500;

function offerOf(profile: ServiceProfile, rates: ReadonlyMap<string, string> | null): Offer {
  const known = offers.get(profile);
  if (known?.rates === rates) return known;
  const offer: Offer = { rates, bare: known?.bare ?? new Map(), coins: new Map() };
  offers.set(profile, offer);
  return offer;
}

function bareCoins(terms: Terms, profile: ServiceProfile): { kind: Kind; coin: CheckoutCoin }[] {
  const allowed = new Set(allowedKinds(terms, profile));
  const kinds = KINDS.filter(({ kind }) => allowed.has(kind));
  const once = terms.kinds ? kinds : kinds.filter((kind, index) => kinds.findIndex((other) => sameForBuyers(kind, other)) === index);
  return byUse(once).map((kind) => ({
    kind,
    coin: {
      kind: kind.kind,
      name: kind.name,
      network: kind.network,
      symbol: kind.symbol,
      approx: null,
      usual_seconds: usualSeconds(kind, minConfirmations(kind.kind, profile)),
      gas: gasOf(kind),
    },
  }));
}

/** How many confirmations the profile wants of a coin until it is paid, at most what is final on the chain: the service waits for no more. */
export function minConfirmations(kind: string, profile: ServiceProfile | null): number {
  const asked = profile?.currencies.find((currency) => currency.kind === kind)?.minConfirmations ?? 1;
  return Math.min(asked, kindOf(kind)?.finalConfirmations ?? asked);
}

function sameForBuyers(a: Kind, b: Kind): boolean {
  return a.symbol === b.symbol && a.network === b.network;
}

/** What an amount is in a coin, about: as it would be invoiced at the rates of the moment. Null where no rate is known. */
function approximately(
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

/** US dollars for one of a symbol; null where nobody says. */
export function rateOf(symbol: string, rates: ReadonlyMap<string, string>): Amount | null {
  const text = rates.get(symbol);
  try {
    // A rate may be longer than an amount; what is beyond the eighteenth decimal doesn't show in an approximation.
    return text === undefined ? null : parseAmount(text.replace(/(\.\d{18})\d+$/, '$1')) || null;
  } catch (error) {
    if (error instanceof AmountError) return null;
    throw error;
  }
}
