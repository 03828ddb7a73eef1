import { INVOICE_STATUSES, PAYOUT_STATUSES, RISK_LEVELS, TRANSACTION_STATUSES, ZERO_CONF_STATUSES } from '@crypto-checkout/protocol/status';
import { CONVERSION_STATUSES } from '@crypto-checkout/protocol/schema/conversion';
import type { Words } from './word.ts';

const list = (values: readonly string[]): string => `One of ${values.map((value) => `\`${value}\``).join(', ')}; accept others.`;

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
  approved_at: { text: 'When a draft was approved; null for others.', example: null },
  executed_at: { text: 'When it was sent.', example: null },
  wallet_id: { text: 'The wallet that pays.', example: 'c1b7d9a0-5e62-4c1f-8f0d-3a9e2b7c6d54' },
  status: { text: list(PAYOUT_STATUSES), example: 'new', values: PAYOUT_STATUSES },
  amount: 'What it costs. On some chains the network fee is final only after it was sent: read it again then.',
  'amount.total': { text: 'What all recipients get together, in the coin.', example: '0.000398' },
  'amount.network_fee': { text: 'Fee of the network.', example: '0.0000141' },
  'amount.network_fee_currency': { text: 'Symbol of the coin that pays it.', example: 'BTC' },
  network_fee_pays: { text: '`merchant` or `recipient`.', example: 'merchant', values: ['merchant', 'recipient'] },
  network_fee_preset: { text: '`high`, `normal` or `economy`.', example: 'normal', values: ['high', 'normal', 'economy'] },
  network_fee: { text: 'Satoshi per byte, when it was given.', example: null },
  passthrough: { text: 'Text of the caller’s, sent with every callback; null without one.', example: null },
  error: { text: 'Why it failed; null otherwise.', example: null },
  approved_by: { text: 'Who approved or rejected a draft.', example: null },
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

const EXCHANGED: Words = {
  from_wallet: 'The wallet that gives.',
  from_kind: { text: 'The coin that is sold.', example: 'BTC' },
  to_wallet: 'The wallet that gets.',
  to_kind: { text: 'The coin that is bought.', example: 'ETH_USDT' },
  exchange: 'Where it is exchanged; null when none is chosen.',
};

const CONVERSION: Words = {
  ...EXCHANGED,
  created_by: { text: 'The key, the operator or the rule that made it.', example: 'shop' },
  amount: { text: 'What is sold.', example: '0.01' },
  to_amount: { text: 'What it gives: expected at the rate of the moment, then what it gave.', example: '498.5' },
  status: { text: list(CONVERSION_STATUSES), example: 'draft', values: CONVERSION_STATUSES },
  is_approved: { text: 'Whether it is carried out as soon as the wallet has enough.', example: false },
  approved_by: { text: 'Who approved it.', example: null },
  error: { text: 'Why it failed (ours).', example: null },
};

const RULE: Words = {
  ...EXCHANGED,
  min_amount: { text: 'The least that is exchanged at a time.', example: '0.001' },
  max_amount: { text: 'The most that is exchanged at a time.', example: '1' },
  is_enabled: { text: 'Whether it is carried out.', example: true },
};

/** What the service answers. */
export const RESOURCE_WORDS: Readonly<Record<string, Words>> = {
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
    status: { text: list(INVOICE_STATUSES), example: 'new', values: INVOICE_STATUSES },
    transactions: { text: 'The payments of it, oldest first.', example: [] },
  },
  ListedInvoice: {
    '': 'An invoice as a list shows it: without its transactions.',
    ...EMBEDDED_INVOICE,
    expires_at: { text: 'When the price ends; null for reusable addresses and LNURL.', example: '2026-11-21T06:15:00.000000+00:00' },
    status: { text: list(INVOICE_STATUSES), example: 'new', values: INVOICE_STATUSES },
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
    status: { text: list(TRANSACTION_STATUSES), example: 'pending', values: TRANSACTION_STATUSES },
    confirmations: { text: 'Blocks since, its own counted.', example: 0 },
    zero_conf_status: { text: `Result of the check before a block: ${list(ZERO_CONF_STATUSES)} Null when there was none.`, example: null },
    risk_level: { text: `Result of the risk analysis: ${list(RISK_LEVELS)} Null when there was none.`, example: null },
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
  Profile: {
    '': 'Settings that an invoice or payout is created with (§2.8).',
    account: { text: 'Name of the account.', example: 'Shop' },
    notification_email: { text: 'Where notices go; null for none.', example: 'ops@shop.example' },
    invoice_expiration: { text: 'Seconds that a price holds.', example: 900 },
    addresses_expiration: { text: 'Seconds that an address without an amount is offered.', example: 604800 },
    notification_email_kinds: { text: 'Events that send a notice.', example: ['invoice_complete'] },
    onramp_api_key: { text: 'Key of an on-ramp; null for none.', example: null },
    allow_smart_contract_payouts: { text: 'Whether payouts to contracts are allowed.', example: false },
    stablecoin_precision: { text: 'Decimals of amounts in stablecoins, 0 to 6.', example: 2 },
    acceptance_range: 'How far from the amount a payment may be to match it, in percent.',
    'acceptance_range.positive_difference': { text: 'Above; more is noted as overpaid.', example: '0.5' },
    'acceptance_range.negative_difference': { text: 'Below.', example: '0.5' },
    reserve_wallet: { text: 'Refills the wallet of a payout that lacks money; null for none.', example: null },
    'reserve_wallet.wallet': 'The wallet.',
    'reserve_wallet.wallet_id': 'Id of the wallet.',
    callback_url: { text: 'Where callbacks go; null for nowhere.', example: 'https://shop.example/callbacks' },
    currencies: 'The coins that it offers.',
  },
  ProfileCurrency: {
    '': 'A coin that a profile offers.',
    wallet_id: { text: 'The wallet that is credited and pays.', example: 'c1b7d9a0-5e62-4c1f-8f0d-3a9e2b7c6d54' },
    custom_fee: { text: 'Fee of the merchant’s own; null without one.', example: null },
    min_confirmations: { text: 'Confirmations that make a payment count.', example: 1 },
    zero_conf_max_amount: { text: 'Bitcoin only: up to this much a payment may count before it is in a block.', example: null },
  },
  Wallet: {
    '': 'Balances of one chain (§2.9).',
    name: { text: 'A name for people.', example: 'Bitcoin wallet' },
    balances: 'The chain’s own coin.',
    token_balances: { text: 'Its tokens; only on chains that have some.', example: [] },
  },
  Balance: {
    '': 'What a wallet holds of one coin.',
    available: { text: 'Can be paid out.', example: '0.0123' },
    pending: { text: 'Seen, not confirmed.', example: '0' },
    currency: { text: 'Symbol of the coin.', example: 'BTC' },
    zero_confirmed: { text: 'Bitcoin-like chains: counted before it is in a block.', example: '0' },
    to_consolidate: { text: 'Account chains: lies on addresses of invoices.', example: null },
  },
  ExchangeRate: {
    '': 'What one of a currency or a coin is worth (§2.12).',
    id: { text: 'A slug.', example: 'euro' },
    kind: { text: '`fiat` or `crypto`.', example: 'fiat', values: ['fiat', 'crypto'] },
    symbol: { text: 'Its symbol.', example: 'EUR' },
    rate_usd: { text: 'In US dollars.', example: '1.16' },
    rate_btc: { text: 'In bitcoin.', example: '0.000012083333333333' },
    sign: { text: 'Its sign.', example: '€' },
  },
  AccountSettings: {
    '': 'The account of the key (§2.13).',
    name: { text: 'A name for people.', example: 'Shop' },
    is_testnet: { text: 'Whether it is for test networks.', example: true },
    url: { text: 'Its address on the web.', example: null },
  },
  SubAccount: {
    '': 'An account of an integrator’s customer (§2.13).',
    name: { text: 'A name for people.', example: 'Branch' },
    slug: { text: 'The name as it is written in addresses.', example: 'branch' },
    is_testnet: { text: 'Whether it is for test networks.', example: true },
    can_add_exchange: { text: 'Whether it may have exchanges of its own.', example: false },
    show_internal_tx: { text: 'Whether it sees transactions between accounts.', example: false },
    whitelabel_fee: { text: 'A fraction of what comes in: 0.1 is 10 %.', example: '0.1' },
    profiles: { text: 'Ids of its profiles.', example: ['2d1f6c7e-90aa-4b63-8c55-0f6b8f2e4a70'] },
    callback_token: { text: 'Signs its callbacks; asterisks except for integrator keys.', example: '************' },
    url: { text: 'Its address on the web.', example: null },
  },
  ApiKey: {
    '': 'A key and what it may do (§2.14).',
    name: { text: 'A name for people.', example: 'Branch till' },
    api_key: { text: 'Goes into the header `X-CC-KEY`.', example: 'ck_0b2f3c4d5e6f70818293a4b5c6d7e8f9' },
    api_secret: { text: 'Asterisks, except for integrator keys and where it was just made.', example: '************' },
    created_by: { text: 'Who made it.', example: 'integrator' },
    updated_at: { text: 'When it was last changed.', example: '2026-11-21T06:00:00.000000+00:00' },
    is_integrator_key: { text: 'Whether it may make accounts and keys.', example: false },
    max_payout: { text: 'In US dollars: payouts above it become drafts; null for no limit.', example: null },
    whitelist_ip: { text: 'Addresses and networks that it may be used from; empty for all.', example: [] },
    permissions: { text: 'What it may do; accept others.', example: ['invoices:read', 'invoices:write'] },
  },
  WalletReference: { '': 'A wallet, by its id and name.' },
  ExchangeReference: {
    '': 'An exchange.',
    id: { text: 'Its id.', example: 'book' },
    title: { text: 'Its name for people.', example: 'Built-in book' },
  },
  Conversion: { '': 'One exchange between wallets (§2.7).', ...CONVERSION },
  WholeConversion: {
    '': 'One exchange between wallets, with what it is joined to (§2.7).',
    ...CONVERSION,
    transaction: { text: 'Id of the transaction that brought the coins in, when an exchange sent them over a chain.', example: null },
    payout: { text: 'Id of the payout that lacked the money.', example: null },
  },
  AutomaticConversion: {
    '': 'Exchanges what is in a wallet beyond an amount, several times a day (§2.11).',
    ...RULE,
    keep_amount: { text: 'What stays, in the coin that is sold.', example: '0.1' },
    created_by: { text: 'The key or the operator that made it.', example: 'shop' },
  },
  AutomaticFunding: {
    '': 'Refills a wallet that has less than an amount, several times a day (§2.11).',
    ...RULE,
    keep_amount: { text: 'What there has to be, in the coin that is bought.', example: '0.1' },
  },
};
