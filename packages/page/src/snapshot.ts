import type { Checkout, CheckoutPayment } from '@crypto-checkout/protocol/checkout';

/**
 * What the element draws from, without what this page does not need: the live view, which has everything, comes right after the script.
 * The server draws from it as well, so that both draw the same. Only on our own page: elsewhere somebody may listen to its events.
 */
export function snapshotOf(checkout: Checkout, show: string | null): string {
  const { payment, coins } = checkout;
  const seen = payment && { coins: show === 'coins' ? coins : coinsBeside(coins, payment), payment: shortened(payment, show) };
  return JSON.stringify({ ...checkout, ...seen }, (_, value: unknown) => (value === false ? undefined : (value ?? undefined)));
}

/** A payment page has bitcoin in all its forms beside bitcoin, and otherwise enough to know that there are others. */
function coinsBeside(coins: Checkout['coins'], { symbol }: CheckoutPayment): Checkout['coins'] {
  const twins = symbol === 'BTC' ? coins.filter((coin) => coin.symbol === symbol) : [];
  return [...twins, ...coins.filter((coin) => !twins.includes(coin)).slice(0, Math.max(1, 2 - twins.length))];
}

/** All that is told of the code's text: by it the element knows a code that is no more than an address. */
const SCHEME = /^\w+:/;

/**
 * The address, and the code's text while the code is there, are on the page already, as are transactions in what was received; coins and
 * receipts stand without a code and its link, coins without anything that is to be sent.
 */
function shortened(payment: CheckoutPayment, show: string | null): CheckoutPayment {
  const { qr, strings } = payment;
  if (show === null && !qr.path) return { ...payment, transactions: [] };
  const told = { ...payment, transactions: [], strings: { ...strings, qr: SCHEME.exec(strings.qr)?.[0] ?? '', address: '' } };
  if (show === null) return told;
  const bare = { ...told, qr: { size: 0, path: '' }, strings: { qr: '', link: '', address: '', amount: null, tag: null } };
  return show === 'coins' ? { ...bare, address: null, due: null, remaining: null, rate: null } : bare;
}

/** An attribute full of double quotes is shorter in single ones; all other characters stay escaped. */
export const quoteSnapshot = (html: string): string =>
  html.replace(/(\ssnapshot=)"([^"]*)"/, (_, name: string, json: string) => `${name}'${json.replaceAll('&quot;', '"')}'`);
