import type { Checkout, CheckoutCoin, CheckoutPayment } from '@crypto-checkout/protocol/checkout';

/**
 * Writes the reduced checkout into the hosted page. The server draws the page from it, and the
 * browser hydrates with the same data. The complete checkout follows once the script has loaded. A
 * shop's page never gets one, because other scripts there could read it from the events.
 */
export function snapshotOf(checkout: Checkout, show: string | null): string {
  const { payment } = checkout;
  const coins = payment && show !== 'coins' ? coinsBeside(checkout.coins, payment) : checkout.coins;
  const seen = {
    coins: coins.map(inShortOrder),
    ...(payment && {
      payment: { ...shortened(payment, show), ...NO_PROOF },
      ...(payment.from !== 'exchange' && { merchant: withoutCompany(checkout.merchant) }),
    }),
  };
  return JSON.stringify({ ...checkout, ...seen }, (_, value: unknown) =>
    value === false ? undefined : (value ?? undefined),
  );
}

/** The company is for the form of an exchange alone; that one will ask for it is said before. */
const withoutCompany = ({ legal, ...merchant }: Checkout['merchant']): Checkout['merchant'] => ({
  ...merchant,
  legal: legal?.asked ? ({ asked: true } as typeof legal) : null,
});

/**
 * In this order members that often have the same values together stand together: a list of sixty
 * coins then takes 184 compressed bytes less.
 */
const inShortOrder = (coin: CheckoutCoin): CheckoutCoin => {
  const { name, approx, symbol, kind, gas, seconds, network, ...others } = coin;
  return { name, approx, symbol, kind, gas, seconds, network, ...others };
};

/**
 * Reduces the coins to those that a payment page draws: the paid coin and the forms of bitcoin, all
 * without prices. One more coin is kept if there is one, so that "Other coin" is offered.
 */
function coinsBeside(
  coins: Checkout['coins'],
  { kind, symbol }: CheckoutPayment,
): Checkout['coins'] {
  const own = coins.filter((coin) =>
    symbol === 'BTC' ? coin.symbol === symbol : coin.kind === kind,
  );
  const others = coins.filter((coin) => !own.includes(coin)).slice(0, Math.max(1, 2 - own.length));
  // Only the choice between the forms of bitcoin shows networks, and a coin alone is compared.
  const bare = own.length === 1 && own[0]!.kind === kind && others.length > 0;
  return [...own, ...others].map((coin) => ({
    ...coin,
    name: '',
    approx: null,
    fee_usd: null,
    seconds: null,
    network: bare ? '' : coin.network,
  }));
}

/**
 * The hosted page checks no proofs, so it needs none. Its script comes from the same server as the
 * address, and a forged server would send a forged script as well.
 */
const NO_PROOF = { proof: null, lightning_proof: null, signed_terms: null };

/** The scheme of a payment link. A QR code without one holds a bare address. */
const SCHEME = /^\w+:/;

/**
 * Leaves out everything of a payment that the page's markup already contains. The list of coins
 * needs no QR code and no payment details, and a receipt needs no QR code.
 */
function shortened(payment: CheckoutPayment, show: string | null): CheckoutPayment {
  const { qr, strings } = payment;
  if (show === null && !qr.path) return { ...payment, transactions: [] };
  const shared = {
    ...payment,
    transactions: [],
    strings: { ...strings, qr: SCHEME.exec(strings.qr)?.[0] ?? '', address: '' },
  };
  if (show === null) return shared;
  const bare = {
    ...shared,
    qr: { size: 0, path: '' },
    strings: { qr: '', link: '', address: '', amount: null, tag: null },
  };
  return show === 'coins'
    ? { ...bare, address: null, due: null, remaining: null, rate: null, usual_seconds: null }
    : bare;
}

/** Puts the snapshot into single quotes: its many double quotes then need no escaping. */
export const quoteSnapshot = (html: string): string =>
  html.replace(
    /(\ssnapshot=)"([^"]*)"/,
    (_, name: string, json: string) => `${name}'${json.replaceAll('&quot;', '"')}'`,
  );
