import * as after from '@crypto-checkout/elements/server';
import { inLocale, msg, str } from '@crypto-checkout/elements/locale';
import { pageLink, walletLink } from '@crypto-checkout/elements/link';
import { formatApprox } from '@crypto-checkout/elements/approximation';
import { formatPrice, isPositive } from '@crypto-checkout/elements/number';
import { askText, refundRows, replaceText, waitText } from '@crypto-checkout/elements/refund';
import { stageTexts } from '@crypto-checkout/elements/stage';
import type {
  Checkout,
  CheckoutCoin,
  CheckoutPayment,
  CheckoutReceived,
} from '@crypto-checkout/protocol/checkout';
import { OPEN_STAGES } from '@crypto-checkout/protocol/open-stages';
import { QrError, qrModules } from '@crypto-checkout/protocol/qr';
import { terminalQr } from './terminal-qr.ts';

export interface TextRequest {
  checkout: Checkout;
  language: string;
  publicUrl: string;
  /** Path of this checkout's page after `publicUrl`. */
  path: string;
  /** Whether the reader renders colours. */
  colours: boolean;
}

type Lines = readonly (string | null | undefined | false | 0)[];

/**
 * The checkout for terminals: amount, address, a code to scan, and the commands that choose and
 * renew.
 */
export function renderText(request: TextRequest): string {
  const { language, publicUrl, path, colours } = request;
  const checkout = printable(request.checkout);
  return inLocale(language, () => {
    const { stage, payment, notes } = checkout;
    const asks =
      payment &&
      (OPEN_STAGES.includes(stage) || notes.includes('reusable')) &&
      !after.hasRunOut(checkout);
    const api = `${publicUrl}/checkouts/${encodeURIComponent(checkout.id)}`;
    const { title, text } = stageTexts(after.shownStage(checkout));
    // In trouble it says what happened, and the code is left out where paying is not what helps.
    const head = after.headOf(checkout, false, language);
    const isTrouble = Boolean(head.heading);
    const warning = asks && after.exchangeWarning(checkout, language);
    const link = `${publicUrl}${path}`;
    const back = refundLines(checkout, link, language);
    const blocks: (Lines | false | null)[] = [
      orderLines(checkout, language),
      ...(checkout.refunds?.length ? back : []),
      [
        head.heading || title,
        isTrouble
          ? head.text
          : // Left blank where a warning takes its place.
            after.stageSentence(checkout, language).trim() || (!warning && text),
        warning,
        ...notes
          .filter((note) => !isTrouble || note !== head.stage)
          .map((note) => after.noteText(note, checkout, language)),
        after.lateNote(checkout, language),
      ],
      ...(checkout.refunds?.length ? [] : back),
      stage === 'choose' && coinLines(checkout.coins, api, language),
    ];
    const pay =
      payment &&
      (asks || isAlone(checkout, payment)) &&
      paymentLines(checkout, payment, Boolean(asks), language);
    const news: (Lines | false | null | undefined)[] = [
      payment && progressLines(checkout, payment, language),
      ...checkout.received.map((one) => receivedLines(one, checkout, Boolean(asks), language)),
      payment?.renewable && [
        msg('Get a new price', { id: 'expired.renew' }),
        `  curl -L -d '' ${api}/renew`,
      ],
      payment?.extendable && [
        msg('Need more time?', { id: 'more.text' }),
        `  curl -L -d extend=true ${api}/renew`,
      ],
      [after.pageName() + `: ${link}`, ...shopLines(checkout)],
    ];
    // Where paying is not what helps, it comes last.
    const rest =
      asks && head.folded
        ? [...news, [msg(str`Pay with ${payment.symbol}`, { id: 'wallet.with' })], pay]
        : [asks && [codeOf(payment, colours)], pay, ...news];
    return `${[...blocks, ...rest]
      .map((lines) => (lines || []).filter(Boolean).join('\n'))
      .filter(Boolean)
      .join('\n\n')}\n`;
  });
}

function orderLines(checkout: Checkout, language: string): Lines {
  const { merchant, order, notes } = checkout;
  return [
    merchant.name,
    order.description,
    order.order_id && msg(str`Order ${order.order_id}`, { id: 'order' }),
    order.amount && formatPrice(order.amount, language),
    after.leftText(checkout, language),
    notes.includes('test_network') &&
      msg('Test network: these coins have no value.', { id: 'test' }),
  ];
}

/** Every coin with the command that chooses it. */
function coinLines(coins: readonly CheckoutCoin[], api: string, language: string): Lines {
  if (coins.length === 0) return [msg('No coins are available right now.', { id: 'choose.none' })];
  const width = Math.max(...coins.map(({ kind }) => kind.length));
  return [
    ...coins.map(({ kind, name, network, symbol, approx, seconds, gas }) => {
      const usual = seconds ? after.formatDuration(seconds, language) : '';
      const facts = [
        `${name}, ${network}`,
        approx && `≈ ${formatApprox(approx, language, symbol)} ${symbol}`,
        usual,
        gas &&
          msg(str`Your wallet also needs a little ${gas} for the network fee.`, { id: 'coin.gas' }),
      ];
      return `  ${kind.padEnd(width)}  ${facts.filter(Boolean).join(' · ')}`;
    }),
    '',
    `  curl -L -d kind=${coins[0]!.kind} ${api}/payment`,
  ].map((line) => line || ' ');
}

/** The code, where one can hold the text. */
function codeOf({ strings }: CheckoutPayment, colours: boolean): string | null {
  try {
    return terminalQr(qrModules(strings.qr), colours);
  } catch (error) {
    if (error instanceof QrError) return null;
    throw error;
  }
}

/** Stages in which the amount is not on its way. */
const UNPAID = ['pay', 'underpaid', 'expired', 'late', 'failed'];

/** Whether amount and address are shown: nobody may send an old amount to an old address. */
const shows = ({ stage }: Checkout, asks: boolean): boolean => asks || !UNPAID.includes(stage);

/** Whether every payment received is of the current coin. */
const isAlone = ({ received }: Checkout, { invoice_id }: CheckoutPayment): boolean =>
  received.every((one) => one.invoice_id === invoice_id);

function paymentLines(
  checkout: Checkout,
  payment: CheckoutPayment,
  asks: boolean,
  language: string,
): Lines {
  const {
    symbol,
    name,
    network,
    strings,
    address,
    tag,
    lightning,
    due,
    public_address,
    invoice_id,
    from,
  } = payment;
  const { server_time, received } = checkout;
  const isShown = shows(checkout, asks);
  const amount = asks ? (strings.amount ?? payment.remaining ?? due) : due;
  const exchange = asks && from === 'exchange';
  // With a decimal point in every language: it is copied by hand from a terminal.
  const asked = after.inWalletUnit(amount ?? '', payment);
  const sum = `${asked.amount} ${asked.symbol}`;
  const where = after.hasBoth(payment) ? `${network}/Lightning` : network;
  // An exchange's form opens no link.
  const link = asks && !exchange && walletLink(strings.link);
  return [
    exchange &&
      !after.exchangeWarning(checkout, language) &&
      msg(str`Withdrawal network: ${network}`, { id: 'exchange.network' }),
    row(msg('Coin', { id: 'details.coin' }), after.coinText(name, symbol, network)),
    isShown &&
      isPositive(amount) &&
      row(
        (asks && after.amountLabel({ checkout, language })) || msg('Amount', { id: 'amount' }),
        sum,
      ),
    exchange &&
      isPositive(amount) &&
      msg(str`${sum} must arrive after your exchange’s fee.`, { id: 'exchange.fee' }),
    ...(isShown
      ? [
          row(msg('Address', { id: 'address' }), address),
          row(
            msg('Lightning request', { id: 'request' }),
            lightning?.payment_request ?? lightning?.lnurl,
          ),
          row(msg('Destination tag', { id: 'tag' }), tag),
          row(msg('Plain address', { id: 'address.public' }), public_address),
        ]
      : []),
    asks && msg(str`Send only ${symbol} on ${where}. Anything else may be lost.`, { id: 'only' }),
    link && row(msg('Open wallet app', { id: 'wallet' }), link),
    ...(asks && payment.expires_at ? timeLines(payment.expires_at, server_time, language) : []),
    // Received payments show their own price.
    (asks || received.length === 0) &&
      row(msg('Price', { id: 'details.price' }), after.paymentRate(payment, checkout, language)),
    !asks && received.length === 0 && row(msg('Invoice', { id: 'details.invoice' }), invoice_id),
  ];
}

/** Progress of the confirmations. */
function progressLines(
  checkout: Checkout,
  { confirmations }: CheckoutPayment,
  language: string,
): Lines {
  const need = after.confirmationsNeeded(checkout);
  return [
    row(msg('Received', { id: 'details.received' }), after.receivedAmount(checkout, language)),
    need !== undefined &&
      need > 1 &&
      msg(str`${Math.min(confirmations.have, need)} of ${need} confirmations`, {
        id: 'status.confirmations',
      }),
  ];
}

/** The refunds of a payment, and the address of the form that asks for one. */
function refundLines(checkout: Checkout, link: string, language: string): Lines[] {
  const { refunds = [], refundable = [], replaceable = [] } = checkout;
  return [
    // The transaction's id is drawn as a link there.
    ...refundRows({ checkout, language }).map((facts) =>
      facts.map(([label, value]) => typeof value === 'string' && row(label, value)),
    ),
    refunds.map(({ txid }) => row(msg('Transaction', { id: 'details.transaction' }), txid)),
    [
      refundable.some(({ ready }) => ready)
        ? row(askText(), `${link}refund`)
        : refundable.length > 0 && refunds.length === 0 && waitText({ checkout, language }),
      replaceable.some(({ ready }) => ready) && row(replaceText(), `${link}refund`),
    ],
  ];
}

/** One payment: its id, value, price, time and address. */
function receivedLines(
  one: CheckoutReceived,
  checkout: Checkout,
  asks: boolean,
  language: string,
): Lines {
  const facts = [
    one.txid,
    after.paymentValue(one, checkout, language),
    after.rowMark(one, checkout, language) ?? (one.late && !one.value && stageTexts('late').title),
  ];
  return [
    row(msg('Transaction', { id: 'details.transaction' }), facts.filter(Boolean).join(' · ')),
    row(msg('Price', { id: 'details.price' }), after.paymentRate(one, checkout, language)),
    row(msg('Time', { id: 'details.time' }), after.formatTimestamp(one.created_at, language)),
    row(msg('Coin', { id: 'details.coin' }), after.coinText(one.name, one.symbol, one.network)),
    // The current payment's address is shown with it, unless its price is over.
    ...(checkout.payment && isAlone(checkout, checkout.payment) && shows(checkout, asks)
      ? []
      : [
          row(msg('Address', { id: 'address' }), one.address),
          row(msg('Destination tag', { id: 'tag' }), one.tag),
        ]),
    row(msg('Invoice', { id: 'details.invoice' }), one.invoice_id),
    pageLink(one.explorer_url),
  ];
}

function timeLines(expiresAt: string, serverTime: string, language: string): Lines {
  const end = Date.parse(expiresAt);
  const until = after.formatTime(end, language);
  const left = after.formatDuration(
    Math.max(0, Math.round((end - Date.parse(serverTime)) / 1000)),
    language,
  );
  return [
    msg(str`This price holds until ${until}.`, { id: 'pay.until' }),
    msg(str`Time left: ${left}`, { id: 'countdown.said' }),
  ];
}

function shopLines({ shop_url, success_url, merchant }: Checkout): Lines {
  return [
    row(msg('Continue', { id: 'continue' }), pageLink(success_url)),
    row(msg('Back to the shop', { id: 'back' }), pageLink(shop_url)),
    row(msg('Contact the shop', { id: 'contact' }), after.contactOf(merchant)),
  ];
}

const row = (label: string, value: string | null | undefined): string | null =>
  value ? `${label}: ${value}` : null;

/**
 * Control and bidirectional characters could move a terminal's cursor or reorder a line; names and
 * notes must not contain them.
 */
// oxlint-disable-next-line no-control-regex -- these are the characters meant
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g;

function printable<T>(value: T): T {
  if (typeof value === 'string') return value.replace(UNPRINTABLE, ' ') as T;
  if (Array.isArray(value)) return value.map(printable) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, printable(one)])) as T;
}
