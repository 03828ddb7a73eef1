import type { Checkout, CheckoutPayment } from '@crypto-checkout/protocol/checkout';

/**
 * The reduced view that the first render uses; the live view, which is complete, arrives right
 * after the script. Server and browser render from the same reduced view. Only on our own page:
 * elsewhere other scripts may listen to the events.
 */
export function snapshotOf(checkout: Checkout, show: string | null): string {
  const { payment, coins } = checkout;
  const seen = payment && {
    coins: show === 'coins' ? coins : coinsBeside(coins, payment),
    payment: { ...shortened(payment, show), ...NO_PROOF },
  };
  return JSON.stringify({ ...checkout, ...seen }, (_, value: unknown) =>
    value === false ? undefined : (value ?? undefined),
  );
}

/**
 * A payment page needs its own coin, the bitcoin forms, and otherwise only whether there are other
 * coins; of each no price.
 */
function coinsBeside(
  coins: Checkout['coins'],
  { kind, symbol }: CheckoutPayment,
): Checkout['coins'] {
  const own = coins.filter((coin) =>
    symbol === 'BTC' ? coin.symbol === symbol : coin.kind === kind,
  );
  const others = coins.filter((coin) => !own.includes(coin)).slice(0, Math.max(1, 2 - own.length));
  return [...own, ...others].map((coin) => ({
    ...coin,
    name: '',
    approx: null,
    fee_usd: null,
    seconds: null,
    // Only those of the choice between the bitcoin forms are drawn.
    network: own.length > 1 ? coin.network : '',
  }));
}

/** Our own page pins no key: it comes from the server that the proof would be checked against. */
const NO_PROOF = { proof: null, lightning_proof: null, signed_terms: null };

/**
 * The prefix of the code's text: with it, the element sees whether the code holds only an address.
 */
const SCHEME = /^\w+:/;

/**
 * Address, code text and transactions are on the page already. Coins and receipts are shown without
 * a code; coins without payment details.
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
    ? { ...bare, address: null, due: null, remaining: null, rate: null }
    : bare;
}

/**
 * An attribute full of double quotes is shorter in single quotes; all other characters stay
 * escaped.
 */
export const quoteSnapshot = (html: string): string =>
  html.replace(
    /(\ssnapshot=)"([^"]*)"/,
    (_, name: string, json: string) => `${name}'${json.replaceAll('&quot;', '"')}'`,
  );
