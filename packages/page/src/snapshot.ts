import type { Checkout, CheckoutPayment } from '@crypto-checkout/protocol/checkout';

/**
 * What the element draws from, without what this page does not need: the live view, which has everything, comes right after the script.
 * The server draws from it as well, so that both draw the same.
 */
export function snapshotOf(checkout: Checkout, show: string | null): Checkout {
  const { payment, coins } = checkout;
  if (!payment) return checkout;
  return { ...checkout, coins: show === 'coins' ? coins : coinsBeside(coins, payment), payment: shortened(payment) };
}

/** A payment page has its own coin in all its forms, and one more to show that there are others. */
function coinsBeside(coins: Checkout['coins'], { symbol }: CheckoutPayment): Checkout['coins'] {
  const other = coins.find((coin) => coin.symbol !== symbol);
  return coins.filter((coin) => coin.symbol === symbol || coin === other);
}

/** The code's text while the code is there, and the address, are on the page already. */
function shortened(payment: CheckoutPayment): CheckoutPayment {
  return payment.qr.path ? { ...payment, strings: { ...payment.strings, qr: '', address: '' } } : payment;
}
