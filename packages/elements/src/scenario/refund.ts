import type { Checkout, CheckoutReceived } from '@crypto-checkout/protocol/checkout';
import type { Step } from './scene.ts';

const TXID = '5e'.repeat(32);

/** The refund of the first payment, as the server would return it in a step. */
export function refundsOf(
  { refund }: Step,
  [payment]: readonly CheckoutReceived[],
): Pick<Checkout, 'refunds' | 'refundable'> {
  if (!refund || !payment) return {};
  const { txid: transaction, amount, kind, name, network, symbol } = payment;
  if (refund === 'waiting') {
    const { overpaid } = payment;
    const what = { transaction, amount: overpaid ?? amount, kind, name, network, symbol };
    const state = {
      cause: overpaid ? 'excess' : 'late',
      fee: null,
      received: null,
      ready: false,
      tagged: false,
    };
    return { refundable: [{ ...what, ...state }] };
  }
  const txid = refund === 'paid' ? TXID : null;
  return {
    refunds: [
      {
        transaction,
        amount,
        received: amount,
        kind,
        address: payment.address ?? '',
        status: refund,
        txid,
        explorer_url: txid && `https://explorer.example/tx/${txid}`,
      },
    ],
  };
}
