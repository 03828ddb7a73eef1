import { formatAmount, multiply, parseAmount, roundDown } from '@crypto-checkout/protocol/amount';
import type { CheckoutPayment, CheckoutReceived } from '@crypto-checkout/protocol/checkout';
import { withDecimals } from '@crypto-checkout/protocol/currency';
import { UNCOUNTED } from './payment.ts';
import type { Step } from './scene.ts';

const WRONG = {
  amount: '18.5',
  kind: 'ETH_USDT',
  name: 'Tether',
  network: 'Ethereum (ERC20)',
  symbol: 'USDT',
};

/**
 * Received payments, oldest first, as the server would return them. The last one carries the
 * excess.
 */
export function receivedOf(
  { arrivals = [], notes = [], refund }: Step,
  payment: Omit<CheckoutPayment, 'qr'> | null,
): CheckoutReceived[] {
  if (!payment) return [];
  const { invoice_id, address, tag, kind, name, network, symbol, rate, overpaid, transactions } =
    payment;
  return transactions.map((transaction, at) => {
    const { as } = arrivals[at]!;
    const late = as === 'late';
    const open =
      as === 'wrong' ||
      (late && !notes.includes('late_accepted')) ||
      UNCOUNTED.includes(transaction.status);
    const counts = open ? null : rate;
    return {
      ...transaction,
      ...(as === 'wrong'
        ? { ...WRONG, asked: { symbol, network } }
        : { kind, name, network, symbol }),
      invoice_id,
      address,
      tag,
      rate: counts,
      value:
        counts &&
        withDecimals(
          formatAmount(
            roundDown(multiply(parseAmount(transaction.amount), parseAmount(counts), 'up'), 2),
          ),
          2,
        ),
      late,
      ...(refund && refund !== 'waiting' && { refunded: transaction.amount }),
      overpaid: at === transactions.length - 1 ? overpaid : null,
    };
  });
}
