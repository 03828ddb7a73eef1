import type { Checkout, CheckoutPayment } from '@crypto-checkout/protocol/checkout';

/** Coins of their own chain, whose name contains a token standard. */
const NATIVE = ['ETH', 'BNB', 'TRX'];

/** The network's name; a chain's own coin follows no token standard. */
export const networkName = ({ kind, network }: Pick<CheckoutPayment, 'kind' | 'network'>): string =>
  NATIVE.includes(kind) ? network.replace(/ \(.*/, '') : network;

/** "Tether (USDT)"; a coin whose symbol is its name has no other. */
export const coinName = ({ name, symbol }: Pick<CheckoutPayment, 'name' | 'symbol'>): string =>
  name === symbol ? symbol : `${name} (${symbol})`;

/**
 * Networks on which the payment can arrive: `Bitcoin or Lightning` where a request is beside an
 * address.
 */
export const networksOf = (payment: CheckoutPayment, language: string): string =>
  hasBoth(payment)
    ? new Intl.ListFormat(language, { type: 'disjunction' }).format([payment.network, 'Lightning'])
    : networkName(payment);

/** Whether an address and a lightning request are in one code. */
export const hasBoth = ({ address, lightning }: CheckoutPayment): boolean =>
  Boolean(address && lightning?.payment_request);

/** The amount to send. */
export const amountOf = ({ strings, remaining, due }: CheckoutPayment): string | null =>
  strings.amount ?? remaining ?? due;

/**
 * An amount in the unit that wallets show: satoshis over lightning, where it has no fraction of
 * them. Withdrawal forms of exchanges ask for BTC.
 */
export function inWalletUnit(
  amount: string,
  { kind, symbol, from }: Pick<CheckoutPayment, 'kind' | 'symbol' | 'from'>,
): { amount: string; symbol: string } {
  const [, whole, decimals = ''] = /^(\d+)(?:\.(\d{1,8}))?$/.exec(amount) ?? [];
  return whole && from !== 'exchange' && kind.startsWith('BTC_LIGHTNING')
    ? { amount: `${BigInt(whole + decimals.padEnd(8, '0'))}`, symbol: 'sats' }
    : { amount, symbol };
}

/**
 * Whether another coin is available: the server lists coins only while one can be chosen, and the
 * payment's own one only while it is offered.
 */
export const canChange = ({ coins, payment }: Checkout): boolean =>
  coins.length > 1 ||
  coins.some(({ symbol, network }) => symbol !== payment?.symbol || network !== payment.network);
