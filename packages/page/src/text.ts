import * as after from '@crypto-checkout/elements/after';
import { inLocale, msg, str } from '@crypto-checkout/elements/locale';
import { pageLink, walletLink } from '@crypto-checkout/elements/link';
import { formatCoins, formatMoney, isPositive } from '@crypto-checkout/elements/number';
import { wordsOf } from '@crypto-checkout/elements/stage';
import type { Checkout, CheckoutCoin, CheckoutPayment, CheckoutReceived } from '@crypto-checkout/protocol/checkout';
import { OPEN_STAGES } from '@crypto-checkout/protocol/open';
import { QrError, qrModules } from '@crypto-checkout/protocol/qr';
import { terminalQr } from './terminal-qr.ts';

export interface TextRequest {
  checkout: Checkout;
  language: string;
  publicUrl: string;
  /** Where this checkout's page is, from `publicUrl` on. */
  path: string;
  /** The reader draws colours. */
  colours: boolean;
}

type Lines = readonly (string | null | undefined | false | 0)[];

/** The checkout for who has no browser at hand: what to pay, where to, a code to scan, and the commands that choose and renew. */
export function renderText(request: TextRequest): string {
  const { language, publicUrl, path, colours } = request;
  const checkout = printable(request.checkout);
  return inLocale(language, () => {
    const { stage, payment, notes, server_time } = checkout;
    const asks =
      payment &&
      (OPEN_STAGES.includes(stage) || notes.includes('reusable')) &&
      !(payment.expires_at && Date.parse(payment.expires_at) <= Date.parse(server_time));
    const api = `${publicUrl}/checkouts/${encodeURIComponent(checkout.id)}`;
    const { title, text } = wordsOf(stage);
    const warning = asks && after.warningOf(checkout, language);
    const link = `${publicUrl}${path}`;
    return `${[
      orderLines(checkout, language),
      [
        title,
        // A blank where a warning says it instead.
        after.sentenceFor(checkout, language).trim() || (!warning && text),
        warning,
        ...notes.map((note) => after.noteOf(note, checkout, language)),
        after.lateFigures(checkout, language),
      ],
      stage === 'choose' && coinLines(checkout.coins, api, language),
      asks && [codeOf(payment, colours)],
      payment && (asks || isAlone(checkout, payment)) && paymentLines(checkout, payment, Boolean(asks), language),
      payment && progressLines(checkout, payment, language),
      ...checkout.received.map((one) => receivedLines(one, checkout, language)),
      payment?.renewable && [msg('Get a new price', { id: 'expired.renew' }), `  curl -L -d '' ${api}/renew`],
      payment?.extendable && [
        msg('Do you need more time? The price can be held longer.', { id: 'more.text' }),
        `  curl -L -d extend=true ${api}/renew`,
      ],
      [after.pageName() + `: ${link}`, ...shopLines(checkout)],
    ]
      .map((lines) => (lines || []).filter(Boolean).join('\n'))
      .filter(Boolean)
      .join('\n\n')}\n`;
  });
}

function orderLines({ merchant, order, notes }: Checkout, language: string): Lines {
  return [
    merchant.name,
    order.description,
    order.order_id && msg(str`Order ${order.order_id}`, { id: 'order' }),
    order.amount && `${formatMoney(order.amount.amount, language)} ${order.amount.currency}`,
    notes.includes('test_network') && msg('Test network: these coins have no value.', { id: 'test' }),
  ];
}

/** Every coin with what chooses it. */
function coinLines(coins: readonly CheckoutCoin[], api: string, language: string): Lines {
  if (coins.length === 0) return [msg('No coin can be used at the moment. Please ask the shop.', { id: 'choose.none' })];
  const width = Math.max(...coins.map(({ kind }) => kind.length));
  return [
    ...coins.map(({ kind, name, network, symbol, approx, usual_seconds, gas }) => {
      const usual = usual_seconds ? after.duration(usual_seconds, language) : '';
      const facts = [
        `${name}, ${network}`,
        approx && `≈ ${formatCoins(approx, language)} ${symbol}`,
        usual && msg(str`Usually ${usual}`, { id: 'coin.time' }),
        gas && msg(str`Your wallet also needs a little ${gas} for the network fee.`, { id: 'coin.gas' }),
      ];
      return `  ${kind.padEnd(width)}  ${facts.filter(Boolean).join(' · ')}`;
    }),
    '',
    `  curl -L -d kind=${coins[0]!.kind} ${api}/payment`,
  ].map((line) => line || ' ');
}

/** The code, where one holds the text. */
function codeOf({ strings }: CheckoutPayment, colours: boolean): string | null {
  try {
    return terminalQr(qrModules(strings.qr), colours);
  } catch (error) {
    if (error instanceof QrError) return null;
    throw error;
  }
}

/** Whether all that came is of the coin that is shown. */
const isAlone = ({ received }: Checkout, { invoice_id }: CheckoutPayment): boolean =>
  received.every((one) => one.invoice_id === invoice_id);

function paymentLines(checkout: Checkout, payment: CheckoutPayment, asks: boolean, language: string): Lines {
  const { symbol, name, network, strings, tag, lightning, due, public_address, rate, invoice_id, from } = payment;
  const { server_time, order, received } = checkout;
  const amount = asks ? (strings.amount ?? payment.remaining ?? due) : due;
  const exchange = asks && from === 'exchange';
  // With a dot in every language: out of a terminal it is copied by hand.
  const sum = `${amount} ${symbol}`;
  // A form of an exchange opens no link.
  const link = asks && !exchange && walletLink(strings.link);
  return [
    exchange && !after.warningOf(checkout, language) && msg(str`There, choose the network ${network}.`, { id: 'exchange.network' }),
    row(msg('Coin', { id: 'details.coin' }), `${name} (${symbol}), ${network}`),
    isPositive(amount) && row((asks && after.amountLabel({ checkout, language })) || msg('Amount', { id: 'amount' }), sum),
    exchange && isPositive(amount) && msg(str`The exchange takes its fee on top: ${sum} must arrive here.`, { id: 'exchange.fee' }),
    lightning
      ? row(msg('Lightning request', { id: 'request' }), lightning.payment_request ?? lightning.lnurl)
      : row(msg('Address', { id: 'address' }), strings.address),
    row(msg('Destination tag', { id: 'tag' }), tag),
    row(msg('Plain address', { id: 'address.public' }), public_address),
    asks && msg(str`Send only ${symbol} on ${network}. Anything else may be lost.`, { id: 'only' }),
    link && row(msg('Open in wallet', { id: 'wallet' }), link),
    ...(asks && payment.expires_at ? timeLines(payment.expires_at, server_time, language) : []),
    // What came says its own price.
    (asks || received.length === 0) &&
      rate &&
      order.amount &&
      row(msg('Price', { id: 'details.price' }), `1 ${symbol} = ${formatMoney(rate, language)} ${order.amount.currency}`),
    !asks && received.length === 0 && row(msg('Invoice', { id: 'details.invoice' }), invoice_id),
  ];
}

/** How far it has come. */
function progressLines(checkout: Checkout, { confirmations }: CheckoutPayment, language: string): Lines {
  const need = after.neededFor(checkout);
  return [
    row(msg('Received', { id: 'details.received' }), after.arrived(checkout, language)),
    need && msg(str`Confirmations: ${Math.min(confirmations.have, need)} of ${need}`, { id: 'status.confirmations' }),
  ];
}

/** One payment: which it is, what it counts for and at which price, when it came, and where to. */
function receivedLines(one: CheckoutReceived, checkout: Checkout, language: string): Lines {
  const facts = [one.txid, after.worthOf(one, checkout, language), after.markOf(one, checkout)];
  return [
    row(msg('Transaction', { id: 'details.transaction' }), facts.filter(Boolean).join(' · ')),
    row(msg('Price', { id: 'details.price' }), after.priceOf(one, checkout, language)),
    row(msg('Time', { id: 'details.time' }), after.moment(one.created_at, language)),
    row(msg('Coin', { id: 'details.coin' }), `${one.name} (${one.symbol}), ${one.network}`),
    // The payment that is shown says it itself.
    ...(checkout.payment && isAlone(checkout, checkout.payment)
      ? []
      : [row(msg('Address', { id: 'address' }), one.address), row(msg('Destination tag', { id: 'tag' }), one.tag)]),
    row(msg('Invoice', { id: 'details.invoice' }), one.invoice_id),
    pageLink(one.explorer_url),
  ];
}

function timeLines(expiresAt: string, serverTime: string, language: string): Lines {
  const end = Date.parse(expiresAt);
  const until = after.clock(end, language);
  const left = after.duration(Math.max(0, Math.round((end - Date.parse(serverTime)) / 1000)), language);
  return [msg(str`This price holds until ${until}.`, { id: 'pay.until' }), msg(str`Time left: ${left}`, { id: 'countdown.said' })];
}

function shopLines({ shop_url, success_url, merchant }: Checkout): Lines {
  return [
    row(msg('Continue', { id: 'continue' }), pageLink(success_url)),
    row(msg('Back to the shop', { id: 'back' }), pageLink(shop_url)),
    row(msg('Contact the shop', { id: 'contact' }), after.contactOf(merchant)),
  ];
}

const row = (label: string, value: string | null | undefined): string | null => (value ? `${label}: ${value}` : null);

/** What moves a terminal's cursor, changes its title or turns a line around, has no business in a name or a note. */
// oxlint-disable-next-line no-control-regex -- these are the characters meant
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g;

function printable<T>(value: T): T {
  if (typeof value === 'string') return value.replace(UNPRINTABLE, ' ') as T;
  if (Array.isArray(value)) return value.map(printable) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, printable(one)])) as T;
}
