import type { Checkout, CheckoutPayment } from '@crypto-checkout/protocol/checkout';
import { checkout, inTwoCoins, lightning, payment, xrp } from './fixture.ts';

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

const told = (view: Checkout, heading: string, says: string, ...next: string[]): Situation => ({
  view,
  heading,
  says,
  next,
});

export const SITUATIONS: Readonly<Record<string, Situation>> = {
  choose: told(at('choose'), 'Choose how to pay', 'The exact amount comes next.', 'picker'),
  'choose, nothing to choose': told(
    at('choose', {}, { coins: [] }),
    'Choose how to pay',
    'No coin can be used at the moment. Please ask the shop.',
    'contact-link',
  ),
  pay: told(
    at('pay'),
    'Send your payment',
    'Scan the code or copy the details, and check the amount.',
    ...AGAIN,
    'twins',
    'from',
  ),
  'pay, a token': told(
    tether(),
    'Send your payment',
    'Send only USDT on TRON (TRC20). Anything else may be lost.',
    'qr',
    'from',
    'other-coin',
  ),
  'pay, over lightning': told(
    { ...lightning(), merchant: at('pay').merchant },
    'Send your payment',
    'Send only BTC on Lightning.',
    ...AGAIN,
    'twins',
  ),
  'pay, XRP': told(
    xrp(),
    'Send your payment',
    'Required for your payment to be found.',
    ...AGAIN,
    'from',
  ),
  'pay, from an exchange': told(
    tether({ from: 'exchange' }),
    'Send your payment',
    'Copy amount and address into the withdrawal form of your exchange.',
    'from',
    'qr',
    'other-coin',
  ),
  'pay, from an exchange, too little': told(
    tether({ from: 'exchange', minimum_withdrawal: '60' }),
    'Send your payment',
    'Many exchanges send no less than 60 USDT, and this is less.',
    'from',
    'other-coin',
  ),
  'pay, little time': told(
    at('pay', { extendable: true }, { server_time: '2026-11-21T12:13:00.000000+00:00' }),
    'Send your payment',
    'Do you need more time? The price can be held longer.',
    ...AGAIN,
    'more-button',
    'twins',
    'from',
  ),
  'pay, any amount': told(
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
  underpaid: told(
    at('underpaid'),
    'Part of the amount has arrived',
    '0.0004 BTC has arrived. Please send the remaining 0.00041234 BTC.',
    ...AGAIN,
    'contact-link',
  ),
  'underpaid, the time for the rest is over': told(
    at('underpaid', { renewable: true, expires_at: OVER }),
    'Part of the amount has arrived',
    'Please do not send to the old amount.',
    'renew-button',
    'contact-link',
  ),
  'underpaid, after another coin was chosen': told(
    { ...inTwoCoins('underpaid'), merchant: at('pay').merchant },
    'Part of the amount has arrived',
    '0.0004 BTC has arrived. Please send the remaining 25.34 USDT.',
    'qr',
    'explorer-link',
    'contact-link',
  ),
  seen: told(
    at('seen'),
    'We see your payment',
    'On Bitcoin this usually takes 20 minutes.',
    'explorer-link',
  ),
  paid: told(
    at('paid', {}, { success_url: 'https://shop.example/thanks' }),
    'Paid',
    'Nothing more is needed.',
    'success-link',
    'receipt-link',
    'contact-link',
  ),
  overpaid: told(
    at('paid', { overpaid: '0.0001' }, { notes: ['overpaid'] }),
    'Paid',
    '0.0001 BTC more than the amount has arrived. Please ask the shop about the rest.',
    'contact-link',
  ),
  complete: told(
    at('complete'),
    'Paid and final',
    'This payment can no longer be undone.',
    'receipt-link',
  ),
  expired: told(
    at('expired'),
    'The time to pay has run out',
    'If you have paid already, your money is not lost: it will show up here.',
    'renew-button',
    'other-coin',
    'contact-link',
  ),
  late: told(
    at('late', { late: '0.00081234', renewable: true }),
    'Your payment arrived late',
    'Please ask the shop what happens next.',
    'contact-link',
    'renew-button',
    'other-coin',
  ),
  'late, and another coin was chosen': told(
    { ...tether(), received: at('late').received },
    'Send your payment',
    '0.00081234 BTC arrived after the price had run out. It may be enough already: please ask the shop before you pay again.',
    'qr',
    'contact-link',
    'other-coin',
  ),
  'late, and paid with another coin': told(
    at(
      'paid',
      {},
      {
        notes: ['overpaid'],
        received: at('late').received.map((one) => ({ ...one, overpaid: one.amount })),
      },
    ),
    'Paid',
    '0.00081234 BTC more than the amount has arrived.',
    'contact-link',
  ),
  'late, not renewable': told(
    at('late', { late: '0.00081234' }, { coins: [] }),
    'Your payment arrived late',
    'Received: 0.00081234 BTC. The money is there, but it came after the price had run out.',
    'contact-link',
  ),
  'late, accepted': told(
    at('paid', {}, { notes: ['late_accepted'] }),
    'Paid',
    'A late payment was accepted at the price of its arrival.',
    'receipt-link',
  ),
  dropped: told(
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
    'Send your payment',
    'The network no longer knows your transaction; it may still arrive. Please look into your wallet before you pay again.',
    ...AGAIN,
  ),
  'taken back': told(
    at('seen', {}, { notes: ['reversed'] }),
    'We see your payment',
    'The payment was confirmed, but the network has taken that back. It is usually confirmed again soon.',
  ),
  'a part is checked': told(
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
    'Part of the amount has arrived',
    'Your payment is being checked',
    ...AGAIN,
  ),
  held: told(
    at('held'),
    'Your payment is being checked',
    'You do not have to do anything.',
    'contact-link',
  ),
  failed: told(
    at('failed'),
    'The payment did not go through',
    'Please look into your wallet before you pay again.',
    ...AGAIN,
    'contact-link',
  ),
  'failed, price over': told(
    at('failed', { expires_at: OVER, renewable: true }),
    'The payment did not go through',
    'Please look into your wallet',
    'renew-button',
    'contact-link',
  ),
  replaced: told(
    at('failed', {}, { notes: ['replaced'] }),
    'The payment did not go through',
    'A transaction was replaced by another one in your wallet and does not count.',
    ...AGAIN,
  ),
  'wrong coin': told(
    at('pay', {}, { notes: ['wrong_coin'] }),
    'Send your payment',
    'Another coin arrived at this address.',
    ...AGAIN,
    'contact-link',
  ),
  'paid twice': told(
    at('complete', {}, { notes: ['paid_twice'] }),
    'Paid and final',
    'This order was paid more than once.',
    'contact-link',
  ),
  'something new': told(
    at('something new'),
    'Please wait',
    'We see your payment and are waiting for news.',
    'contact-link',
  ),
};
