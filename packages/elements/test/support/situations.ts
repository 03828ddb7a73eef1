import type { Checkout, CheckoutPayment } from '@crypto-checkout/protocol/checkout';
import { bitcoinWithLightning, checkout, inTwoCoins, lightning, payment, xrp } from './fixture.ts';

/** All situations of a buyer, with heading, sentence and next step. */
export interface Situation {
  view: Checkout;
  heading: string;
  says: string;
  /** Parts with a next step. */
  next: readonly string[];
}

const CONTACT = 'https://shop.example/help';
const AGAIN = ['qr', 'wallet-link', 'other-coin'];
const OVER = '2026-11-21T11:59:00.000000+00:00';

function at(
  stage: string,
  own: Partial<CheckoutPayment> = {},
  rest: Partial<Checkout> = {},
): Checkout {
  const view = checkout(stage, rest);
  return {
    ...view,
    merchant: { ...view.merchant, contact: CONTACT },
    payment: view.payment && { ...view.payment, ...own },
  };
}

const ADDRESS = 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH';
export const tether = (own: Partial<CheckoutPayment> = {}): Checkout =>
  at('pay', {
    ...payment({
      kind: 'USDT-TRX',
      name: 'Tether',
      symbol: 'USDT',
      network: 'TRON (TRC20)',
      address: ADDRESS,
    }),
    due: '49.93',
    remaining: '49.93',
    rate: '0.9994',
    strings: { qr: ADDRESS, link: ADDRESS, address: ADDRESS, amount: '49.93', tag: null },
    ...own,
  });

const shows = (view: Checkout, heading: string, says: string, ...next: string[]): Situation => ({
  view,
  heading,
  says,
  next,
});

export const SITUATIONS: Readonly<Record<string, Situation>> = {
  choose: shows(at('choose'), 'Choose a coin', 'You’ll see the exact amount next.', 'picker'),
  'choose, nothing to choose': shows(
    at('choose', {}, { coins: [] }),
    'Choose a coin',
    'No coins are available right now.',
    'contact-link',
  ),
  pay: shows(at('pay'), 'Send exactly', 'on Bitcoin', ...AGAIN, 'twins', 'from'),
  'pay, a token': shows(
    tether(),
    'Send exactly',
    'Send only USDT on TRON (TRC20). Anything else may be lost.',
    'qr',
    'from',
    'other-coin',
  ),
  'pay, over lightning': shows(
    { ...lightning(), merchant: at('pay').merchant },
    'Send exactly',
    'Send only sats on Lightning.',
    ...AGAIN,
    'twins',
  ),
  'pay, bitcoin or lightning': shows(
    bitcoinWithLightning({ merchant: at('pay').merchant }),
    'Send exactly',
    'Send only BTC on Bitcoin/Lightning.',
    ...AGAIN,
    'twins',
    'from',
  ),
  'pay, XRP': shows(
    xrp(),
    'Send exactly',
    'Without this tag, your payment can’t be matched to your order.',
    ...AGAIN,
    'from',
  ),
  'pay, from an exchange': shows(
    tether({ from: 'exchange' }),
    'Send exactly',
    'Paste these into your exchange’s withdrawal form.',
    'from',
    'qr',
    'other-coin',
  ),
  'pay, from an exchange, too little': shows(
    tether({ from: 'exchange', minimum_withdrawal: '60' }),
    'Send exactly',
    'Most exchanges won’t send less than 60 USDT.',
    'from',
    'other-coin',
  ),
  'pay, little time': shows(
    at('pay', { extendable: true }, { server_time: '2026-11-21T12:13:00.000000+00:00' }),
    'Send exactly',
    'Need more time?',
    ...AGAIN,
    'more-button',
    'twins',
    'from',
  ),
  'pay, any amount': shows(
    at(
      'pay',
      {
        due: null,
        remaining: null,
        rate: null,
        expires_at: null,
        strings: { ...payment().strings, amount: null },
      },
      { notes: ['reusable'], order: { order_id: null, description: null, amount: null } },
    ),
    'Send your payment',
    'You can send any amount to this address, as often as you like.',
    'qr',
  ),
  underpaid: shows(
    at('underpaid'),
    'Partly paid',
    '0.0004 BTC received. Send 0.00041234 BTC more.',
    ...AGAIN,
    'contact-link',
  ),
  'underpaid, the time for the rest is over': shows(
    at('underpaid', { renewable: true, expires_at: OVER }),
    'Partly paid',
    'Don’t send the old amount.',
    'renew-button',
    'contact-link',
  ),
  'underpaid, after another coin was chosen': shows(
    { ...inTwoCoins('underpaid'), merchant: at('pay').merchant },
    'Partly paid',
    '0.0004 BTC received. Send 25.34 USDT more.',
    'qr',
    'explorer-link',
    'contact-link',
  ),
  seen: shows(at('seen'), 'Payment detected', 'Time left: ≈ 10 minutes', 'explorer-link'),
  paid: shows(
    at('paid', {}, { success_url: 'https://shop.example/thanks' }),
    'Payment complete',
    'Thanks, you’re all set.',
    'success-link',
    'receipt-link',
    'contact-link',
  ),
  overpaid: shows(
    at('paid', { overpaid: '0.0001' }, { notes: ['overpaid'] }),
    'You paid too much',
    'You paid 0.0001 BTC too much. Ask the shop to refund the difference.',
    'contact-link',
  ),
  complete: shows(at('complete'), 'Payment complete', 'Confirmed and final.', 'receipt-link'),
  expired: shows(
    at('expired'),
    'This price has expired',
    'Already paid? It isn’t lost; it will appear here.',
    'renew-button',
    'other-coin',
    'contact-link',
  ),
  late: shows(
    at('late', { late: '0.00081234', renewable: true }),
    'Your payment arrived late',
    'The shop can accept or refund it.',
    'contact-link',
    'renew-button',
    'other-coin',
  ),
  'late, and another coin was chosen': shows(
    { ...tether(), received: at('late').received },
    'Send exactly',
    '0.00081234 BTC arrived after the price expired. It may already be enough. Ask the shop before paying again.',
    'qr',
    'contact-link',
    'other-coin',
  ),
  'late, and paid with another coin': shows(
    at(
      'paid',
      {},
      {
        notes: ['overpaid'],
        received: at('late').received.map((one) => ({ ...one, overpaid: one.amount })),
      },
    ),
    'You paid too much',
    'You paid 0.00081234 BTC too much.',
    'contact-link',
  ),
  'late, not renewable': shows(
    at('late', { late: '0.00081234' }, { coins: [] }),
    'Your payment arrived late',
    'Received: 0.00081234 BTC. It arrived after the price expired.',
    'contact-link',
  ),
  'late, accepted': shows(
    at('paid', {}, { notes: ['late_accepted'] }),
    'Payment complete',
    'Your late payment was accepted at the rate when it arrived.',
    'receipt-link',
  ),
  dropped: shows(
    at(
      'pay',
      {},
      {
        notes: ['dropped'],
        received: checkout('seen').received.map((one) => ({
          ...one,
          status: 'dropped',
          value: null,
        })),
      },
    ),
    'Transaction dropped',
    'The network dropped your transaction. It may still go through. Check your wallet before paying again.',
    ...AGAIN,
  ),
  'underpaid, the rest was dropped': shows(
    at(
      'underpaid',
      {},
      {
        notes: ['dropped'],
        received: [
          ...checkout('underpaid').received,
          ...checkout('seen').received.map((one) => ({
            ...one,
            txid: 'f1'.repeat(32),
            created_at: '2026-11-21T12:03:00.000000+00:00',
            status: 'dropped',
            value: null,
          })),
        ],
      },
    ),
    'Transaction dropped',
    'Check your wallet before paying again.',
    ...AGAIN,
    'contact-link',
  ),
  'underpaid, after a transaction was replaced': shows(
    at(
      'underpaid',
      {},
      {
        notes: ['replaced'],
        received: [
          ...checkout('seen').received.map((one) => ({
            ...one,
            txid: 'f1'.repeat(32),
            created_at: '2026-11-21T12:00:30.000000+00:00',
            status: 'replaced',
            value: null,
          })),
          ...checkout('underpaid').received,
        ],
      },
    ),
    'Partly paid',
    '0.0004 BTC received. Send 0.00041234 BTC more.',
    ...AGAIN,
    'contact-link',
  ),
  'taken back': shows(
    at('seen', {}, { notes: ['reversed'] }),
    'Your payment is being confirmed again',
    'The network took a confirmation back; a new one usually comes within minutes.',
  ),
  'a part is checked': shows(
    at(
      'underpaid',
      { paid: '0' },
      {
        received: checkout('underpaid').received.map((one) => ({
          ...one,
          status: 'quarantined',
          value: null,
        })),
      },
    ),
    'Partly paid',
    'Your payment is being checked',
    ...AGAIN,
  ),
  held: shows(
    at('held'),
    'Your payment is being checked',
    'There’s nothing you need to do.',
    'contact-link',
  ),
  failed: shows(
    at('failed'),
    'The payment did not go through',
    'Check your wallet before paying again.',
    ...AGAIN,
    'contact-link',
  ),
  'failed, price over': shows(
    at('failed', { expires_at: OVER, renewable: true }),
    'The payment did not go through',
    'Check your wallet',
    'renew-button',
    'contact-link',
  ),
  replaced: shows(
    at('failed', {}, { notes: ['replaced'] }),
    'The payment did not go through',
    'Your wallet replaced this transaction, so it doesn’t count.',
    ...AGAIN,
  ),
  'wrong coin': shows(
    at('pay', {}, { notes: ['wrong_coin'] }),
    'The payment did not go through',
    'Ask the shop how to get it back.',
    ...AGAIN,
    'contact-link',
  ),
  'paid twice': shows(
    at('complete', {}, { notes: ['paid_twice'] }),
    'You paid twice',
    'This order was paid more than once.',
    'contact-link',
  ),
  'something new': shows(
    at('something new'),
    'Please wait',
    'We detected your payment and are waiting for news.',
    'contact-link',
  ),
};
