import { INVOICE_STATUSES, PAYOUT_STATUSES, RISK_LEVELS, TRANSACTION_STATUSES, ZERO_CONF_STATUSES } from '@crypto-checkout/protocol/status';
import { oneOf } from './words-common.ts';
import type { Words } from './word.ts';

const AMOUNT: Words = {
  amount: { text: 'A decimal, as text.', example: '0.000398' },
  currency: { text: 'Symbol of a currency or a coin.', example: 'BTC' },
};

const EMBEDDED_INVOICE: Words = {
  address: {
    text: 'Where to pay to; null for lightning. XRP: account and destination tag, joined by a colon.',
    example: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
  },
  lightning: { text: 'The lightning request; null for other coins.', example: null },
  amount: 'What was asked for, in the currency and in the coin, and what was paid.',
  'amount.requested': { text: 'In the currency of the invoice; 0 without an amount.', example: { amount: '19.90', currency: 'USD' } },
  'amount.invoiced': 'In the coin, fee included.',
  'amount.invoiced.amount': { text: 'A decimal, as text.', example: '0.000398' },
  'amount.invoiced.currency': { text: 'Symbol of the coin.', example: 'BTC' },
  'amount.invoiced.rate_usd': { text: 'What one coin was worth in US dollars.', example: '50000' },
  'amount.paid': { text: 'What came in so far, after the custom fee; null before anything did.', example: null },
  'amount.paid_total': { text: 'What came in, before the custom fee; only with one.', example: null },
  custom_fee: { text: 'Fee of the merchant’s own, in the coin of `kind`; null without one.', example: null },
  min_confirmations: { text: 'Confirmations that make a payment count; null for lightning.', example: 1 },
  zero_conf_enabled: { text: 'Whether payments may count before they are in a block.', example: false },
  x_address: { text: 'XRP only: address and tag in one.', example: null },
  public_address: { text: 'Liquid only: the address without its blinding key.', example: null },
};

const PAYOUT: Words = {
  txid: { text: 'The blockchain’s id; empty until it was sent.', example: '' },
  approved_at: { text: 'When somebody approved it, a draft or one that a policy held; null for others.', example: null },
  executed_at: { text: 'When it was sent.', example: null },
  wallet_id: { text: 'The wallet that pays.', example: 'c1b7d9a0-5e62-4c1f-8f0d-3a9e2b7c6d54' },
  status: { text: oneOf(PAYOUT_STATUSES), example: 'new', values: PAYOUT_STATUSES },
  amount: 'What it costs. On some chains the network fee is final only after it was sent: read it again then.',
  'amount.total': { text: 'What all recipients get together, in the coin.', example: '0.000398' },
  'amount.network_fee': { text: 'Fee of the network.', example: '0.0000141' },
  'amount.network_fee_currency': { text: 'Symbol of the coin that pays it.', example: 'BTC' },
  network_fee_pays: { text: '`merchant` or `recipient`.', example: 'merchant', values: ['merchant', 'recipient'] },
  network_fee_preset: { text: '`high`, `normal` or `economy`.', example: 'normal', values: ['high', 'normal', 'economy'] },
  network_fee: { text: 'Satoshi per byte, as given or as the preset came to; null on chains without such a rate.', example: 10 },
  passthrough: { text: 'Text of the caller’s, sent with every callback; null without one.', example: null },
  error: { text: 'Why it failed; null otherwise.', example: null },
  approved_by: { text: 'Who approved it; null for others.', example: null },
  'approved_by.username': 'Name of the key or the operator.',
  'approved_by.email': 'Their address, where it is known.',
  recipients: 'Who gets what.',
};

const RECIPIENT: Words = {
  address: { text: 'As it was given.', example: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx' },
  amount: 'What was asked for, and what arrives.',
  'amount.requested': { text: 'In the currency of the request.', example: { amount: '10', currency: 'USD' } },
  'amount.received': 'In the coin, after the custom fee and, where the recipient pays it, the network’s.',
  custom_fee: { text: 'Fee of the merchant’s own; null without one.', example: null },
  destination_tag: { text: 'XRP and TON, when it was given.', example: null },
};

const RESENT: Words = {
  status: {
    text: '`success`, `error`, or `pending` when there is none to send.',
    example: 'success',
    values: ['success', 'error', 'pending'],
  },
  message: { text: 'The same for people.', example: 'The receiver took the callback.' },
  error: {
    text: '`no_profile_or_callback_url`, `callback_failed` or `exception_occurred`; only when the status is `error`.',
    example: null,
    values: ['no_profile_or_callback_url', 'callback_failed', 'exception_occurred'],
  },
};

/** What the service answers about payments. */
export const PAYMENT_WORDS: Readonly<Record<string, Words>> = {
  Amount: { '': 'An amount of something.', ...AMOUNT },
  Pagination: {
    '': 'Where a page is in its list (§2.2).',
    num_pages: { text: 'Pages in all; at least one.', example: 1 },
    count: { text: 'Items in all.', example: 1 },
    page: { text: 'This page, from 1.', example: 1 },
    next_page: { text: 'The next page; null on the last.', example: null },
    previous_page: { text: 'The page before; null on the first.', example: null },
    per_page: { text: 'Items on a page: 25.', example: 25 },
  },
  Invoice: {
    '': 'A request for a payment (§2.4).',
    ...EMBEDDED_INVOICE,
    expires_at: { text: 'When the price ends; null for reusable addresses and LNURL.', example: '2026-11-21T06:15:00.000000+00:00' },
    status: { text: oneOf(INVOICE_STATUSES), example: 'new', values: INVOICE_STATUSES },
    transactions: { text: 'The payments of it, oldest first.', example: [] },
  },
  ListedInvoice: {
    '': 'An invoice as a list shows it: without its transactions.',
    ...EMBEDDED_INVOICE,
    expires_at: { text: 'When the price ends; null for reusable addresses and LNURL.', example: '2026-11-21T06:15:00.000000+00:00' },
    status: { text: oneOf(INVOICE_STATUSES), example: 'new', values: INVOICE_STATUSES },
  },
  EmbeddedInvoice: { '': 'An invoice as its transactions carry it (§2.5).', ...EMBEDDED_INVOICE },
  InvoiceTransaction: { '': 'A payment as its invoice shows it.', amount: { text: 'A decimal, as text.', example: '0.000398' } },
  Lightning: {
    '': 'How to pay an invoice over lightning.',
    payment_request: { text: 'A BOLT11 request; null for LNURL.', example: 'lntb398u1p…' },
    payment_hash: { text: 'The hash of its secret.', example: '5fb3b5c3f8f5a1c0a6e6f9b8b9d9c1d2e3f4a5b6c7d8e9f0a1b2c3d4e5f60718' },
    lnurl: { text: 'The code, for an invoice of kind `BTC_LIGHTNING_LNURL`.', example: null },
    lnurl_invoice_id: { text: 'The LNURL invoice that this one was made for.', example: null },
  },
  QuotedAmount: {
    '': 'An amount with its value in fiat currencies.',
    ...AMOUNT,
    quotes: { text: 'Symbol of the fiat currency to value; US dollars are always there.', example: { USD: '19.90' } },
  },
  Transaction: {
    '': 'A payment that came in (§2.5). Its `id`, not `txid`, is the key to count it by.',
    invoice: 'The invoice that it pays, without status and transactions; null for a payment to an address of a wallet.',
    amount: 'What came in.',
    'amount.paid': 'After the custom fee.',
    'amount.paid_total': 'Before it; only with a custom fee.',
    currency_rates: { text: 'Crypto symbol to fiat symbol to rate, at the time of the payment.', example: { BTC: { USD: '50000' } } },
    executed_at: { text: 'When it was first in a block.', example: null },
    confirmed_at: { text: 'When it had the confirmations that are asked for.', example: null },
    status: { text: oneOf(TRANSACTION_STATUSES), example: 'pending', values: TRANSACTION_STATUSES },
    confirmations: { text: 'Blocks since, its own counted.', example: 0 },
    zero_conf_status: { text: `Result of the check before a block: ${oneOf(ZERO_CONF_STATUSES)} Null when there was none.`, example: null },
    risk_level: { text: `Result of the risk analysis: ${oneOf(RISK_LEVELS)} Null when there was none.`, example: null },
    risk_data: { text: 'What the analysis found; may be empty.', example: {} },
  },
  TransactionRisk: { '': 'What the risk analysis of a transaction found.', risk_data: { text: 'May be empty.', example: {} } },
  Confirmations: { '': 'How deep something is in the chain.' },
  Payout: { '': 'A payment that goes out (§2.6).', ...PAYOUT },
  PayoutEstimate: {
    '': 'What a payout would be and cost: nothing of it exists, and the fee is not guaranteed.',
    ...PAYOUT,
    id: { text: 'Null: it does not exist.', example: null },
    ...Object.fromEntries(Object.entries(RECIPIENT).map(([path, word]) => [`recipients.${path}`, word])),
    'recipients.id': { text: 'Null.', example: null },
  },
  PayoutRecipient: { '': 'Who gets what.', ...RECIPIENT },
  PayoutResent: {
    '': 'What became of a callback that was sent again.',
    ...RESENT,
    response: 'What the receiver answered; null when nothing was sent.',
    'response.status_code': { text: 'Null when it did not answer.', example: 200 },
    'response.url': { text: 'Where the callback went.', example: 'https://shop.example/callbacks' },
  },
  CallbackResent: {
    '': 'What became of a callback that was sent again.',
    ...RESENT,
    callback_response: 'What the receiver answered; null when nothing was sent.',
    'callback_response.status_code': { text: 'Null when it did not answer.', example: 200 },
    'callback_response.url': { text: 'Where the callback went.', example: 'https://shop.example/callbacks' },
  },
};
