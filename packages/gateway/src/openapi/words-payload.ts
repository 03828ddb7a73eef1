import { EMAIL_EVENTS } from '@crypto-checkout/protocol/event';
import { PERMISSIONS } from '@crypto-checkout/protocol/schema/api-key';
import type { Words } from './word.ts';

const list = (values: readonly string[]): string => values.map((value) => `\`${value}\``).join(', ');
const PROFILE_ID = '2d1f6c7e-90aa-4b63-8c55-0f6b8f2e4a70';

const PROFILE: Words = {
  name: { text: 'A name for people.', example: 'Shop' },
  notification_email: { text: 'Where notices go; null for none.', example: 'ops@shop.example' },
  invoice_expiration: { text: 'Seconds that a price holds. Default 900.', example: 900 },
  addresses_expiration: { text: 'Seconds that the address of an invoice is looked after. Default 604800.', example: 604_800 },
  notification_email_kinds: {
    text: `Events that send a notice, with commas between or as a list; null for none: ${list(EMAIL_EVENTS)}.`,
    example: 'invoice_complete,payout_complete',
  },
  onramp_api_key: { text: 'Key of an on-ramp; null for none.', example: null },
  allow_smart_contract_payouts: { text: 'Whether payouts to contracts are allowed. Default false.', example: false },
  stablecoin_precision: { text: 'Decimals of amounts in stablecoins. Default 2.', example: 2 },
  acceptance_range: 'How far from the amount a payment may be to match it, in percent with at most four decimals.',
  'acceptance_range.positive_difference': { text: 'Above, 0 to 1000000; more is noted as overpaid. Default 0.5.', example: '0.5' },
  'acceptance_range.negative_difference': { text: 'Below, 0 to 100. Default 0.5.', example: '0.5' },
  reserve_wallet: { text: 'Refills the wallet of a payout that lacks money; null for none.', example: null },
  'reserve_wallet.kind': 'The coin that is taken from it.',
  'reserve_wallet.wallet': 'Id of the wallet.',
  'reserve_wallet.wallet_id': 'The same, under the name that a get answers with.',
  callback_url: {
    text: 'Where callbacks go: https, on test networks also http; null for nowhere.',
    example: 'https://shop.example/callbacks',
  },
  currencies: 'The coins that it offers, each once; what is left out is disabled.',
};

const SUB_ACCOUNT: Words = {
  name: { text: 'A name for people.', example: 'Branch' },
  can_add_exchange: {
    text: 'Whether it may have exchanges of its own, for the integrator’s programs: kept and shown, nothing here depends on it. Default false.',
    example: false,
  },
  show_internal_tx: {
    text: 'Whether it sees transactions between accounts, for the integrator’s programs: kept and shown, nothing here depends on it. Default false.',
    example: false,
  },
  whitelabel_fee: {
    text: 'A fraction, from 0 to 1: 0.1 is 10 %. Kept and shown for the integrator’s own bills; this service charges it to nobody. Default 0.',
    example: '0.1',
  },
};

const API_KEY: Words = {
  name: { text: 'A name for people.', example: 'Branch till' },
  permissions: {
    text: `What it may do: ${list(PERMISSIONS)}. One that approves never creates.`,
    example: ['invoices:read', 'invoices:write'],
  },
  max_payout: { text: 'In US dollars: payouts above it become drafts; null for no limit.', example: '1000' },
  whitelist_ip: { text: 'Addresses and networks that it may be used from; null or empty for all.', example: ['203.0.113.7'] },
};

const AUTOMATIC_PAYOUT: Words = {
  keep_amount: { text: 'What stays in the wallet.', example: '0.1' },
  recipient_address: { text: 'Where to; XRP: also with a tag, or an X-address.', example: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx' },
  kind: { text: 'What is sent. Default: the own coin of the wallet’s chain.', example: 'BTC', ref: 'Kind' },
  is_enabled: { text: 'Whether it is carried out. Default false.', example: true },
  min_amount: { text: 'The least that is sent. Default 0.', example: '0.001' },
  interval: { text: 'Minutes between two looks. Default 60.', example: 60 },
};

const WALLET = 'c1b7d9a0-5e62-4c1f-8f0d-3a9e2b7c6d54';
const EXCHANGED: Words = {
  from_wallet: { text: 'Id of the wallet that gives.', example: WALLET },
  from_kind: { text: 'The coin that is sold.', example: 'BTC', ref: 'Kind' },
  to_wallet: { text: 'Id of the wallet that gets.', example: '0d8f4c3b-7a61-4e29-b5d8-6c1e9f2a3b47' },
  to_kind: { text: 'The coin that is bought.', example: 'ETH_USDT', ref: 'Kind' },
  exchange: { text: 'Id of the exchange. Default: the first that trades the two.', example: 'book' },
};
const CONVERSION: Words = {
  ...EXCHANGED,
  amount: { text: 'How much of `from_kind` is sold.', example: '0.01' },
  is_approved: { text: 'Whether it is carried out as soon as the wallet has enough. Default false.', example: false },
};
const RULE: Words = {
  ...EXCHANGED,
  min_amount: { text: 'The least that is exchanged at a time.', example: '0.001' },
  max_amount: { text: 'The most that is exchanged at a time.', example: '1' },
  keep_amount: { text: 'What stays in the wallet that gives (conversion), or has to be in the one that gets (funding).', example: '0.1' },
  is_enabled: { text: 'Whether it is carried out. Default false.', example: true },
};
const { from_wallet: _from, from_kind: _kind, ...CONVERSION_CHANGES } = CONVERSION;
const { from_wallet: _wallet, from_kind: _coin, ...RULE_CHANGES } = RULE;

/** What a caller sends. */
export const PAYLOAD_WORDS: Readonly<Record<string, Words>> = {
  CreateInvoice: {
    '': 'A new invoice (§4.1).',
    profile_id: { text: 'Settings, callback address, wallets.', example: PROFILE_ID },
    amount: { text: 'A decimal; left out, or null, for a reusable address.', example: '19.90' },
    currency: { text: 'What the amount is in.', example: 'USD', ref: 'Currency' },
    kind: { text: 'What is paid with. The address of a chain’s own coin takes its tokens too.', example: 'BTC', ref: 'Kind' },
    passthrough: { text: 'Returned unchanged and sent with every callback; an object is kept as its JSON text.', example: 'order 1001' },
    fee_amount: { text: 'Fee of your own in the coin, added to what is asked for.', example: '0.00001' },
    min_confirmations: {
      text: 'Confirmations that make a payment count. Default: the profile’s, at most as many as make it final on its chain.',
      example: 1,
    },
    notes: { text: 'Shown in the dashboard and on the payment page.', example: 'Two tickets' },
    zero_conf_enabled: {
      text: 'Whether payments may count before they are in a block; bitcoin on the chain only. Default false.',
      example: false,
    },
    exchange_rate_limit: 'Refuses the request when our rate is another; of the coin of `kind`, in any fiat currency.',
    invoice_expiration: { text: 'Seconds that the price holds (ours). Default: the profile’s.', example: 900 },
  },
  RenewInvoice: { '': 'What to renew.', extend: { text: 'More time at the same rate, once, while the price holds.', example: false } },
  ExchangeRateLimit: {
    '': 'Refuses the request when our rate differs too much.',
    pair: { text: 'Coin and fiat currency, with a colon between.', example: 'BTC:USD' },
    exchange_rate: { text: 'The rate that you expect, more than zero.', example: '50000' },
    allowed_difference: { text: 'As a fraction: 0.05 for 5 %.', example: '0.05' },
  },
  CreatePayout: {
    '': 'A new payout (§4.3).',
    kind: { text: 'What is sent.', example: 'BTC', ref: 'PayoutKind' },
    profile_id: { text: 'Settings, callback address, wallets.', example: PROFILE_ID },
    wallet_id: { text: 'The wallet that pays. Default: the profile’s of the kind.', example: 'c1b7d9a0-5e62-4c1f-8f0d-3a9e2b7c6d54' },
    passthrough: { text: 'Sent with every callback. Without `reference_id` it must be unique.', example: 'order 1001' },
    reference_id: { text: 'Unique. The same request again is the same payout, another one with it is refused.', example: 'payout-1001' },
    recipients: 'Who gets what; one for lightning.',
    network_fee_pays: { text: 'Who pays the network; `recipient`: the first one. Default `merchant`.', example: 'merchant' },
    network_fee_preset: { text: 'How fast it has to be. Default `normal`.', example: 'normal' },
    network_fee: { text: 'Satoshi per byte, instead of a preset; bitcoin-like chains only.', example: 12 },
    estimate_only: { text: 'Checks everything, tells the fee, and sends nothing. Default false.', example: false },
    scheduled_at: {
      text: 'Not before this time, within a year (ours); at once when it was within the last five minutes.',
      example: null,
    },
  },
  CreatePayoutRecipient: {
    '': 'Who gets what.',
    amount: { text: 'A decimal. Lightning: may be left out for a BOLT11 request that says its amount.', example: '10' },
    currency: {
      text: 'What the amount is in, also the coin that is sent; not USDT. TON’s coin is GRAM, and may be called TON.',
      example: 'USD',
      ref: 'PayoutCurrency',
    },
    address: {
      text: 'Where to. Lightning: a BOLT11 request or an LNURL, with or without `lightning:`. XRP: also an X-address.',
      example: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
    },
    fee_amount: { text: 'Fee of your own, taken from what the recipient gets.', example: '0.10' },
    fee_currency: { text: 'What the fee is in, as `currency`; not USDT.', example: 'USD', ref: 'PayoutCurrency' },
    destination_tag: { text: 'XRP and TON only.', example: '12345' },
    notes: { text: 'Internal; with the prefix `memo:` a message on the chain (ETH, BSC, TON).', example: 'memo: thank you' },
    exchange_rate_limit: 'Refuses the payout when our rate is another; of the coin that is sent, in any fiat currency.',
  },
  ApprovePayout: {
    '': 'The decision about a draft, or the end of a payout that waits.',
    approve: { text: 'true sends a draft, false ends it, or a payout that waits.', example: true },
  },
  AskConfirmations: {
    '': 'Whose confirmations to count.',
    id: { text: 'Ids, up to 500.', example: ['8f1a4a2e-3c1d-4f6a-9d70-5a3e7d5b9c11'] },
  },
  CreateProfile: { '': 'A new profile (§4.5).', ...PROFILE },
  UpdateProfile: { '': 'What to change of a profile: what is left out stays, null clears.', ...PROFILE },
  EnableCurrency: {
    '': 'A coin that a profile offers.',
    wallet_id: { text: 'The wallet that is credited and pays: one of the coin’s chain.', example: 'c1b7d9a0-5e62-4c1f-8f0d-3a9e2b7c6d54' },
    custom_fee: 'Fee of your own, for invoices that name none; null for none.',
    'custom_fee.amount': { text: 'A decimal.', example: '0.10' },
    min_confirmations: {
      text: 'Confirmations that make a payment count, 1 to 1000, for invoices that ask for none; at most as many as make it final on its chain. Default 1.',
      example: 1,
    },
    zero_conf_max_amount: {
      text: 'For `BTC`, `BTC_P2SH` and `BTC_BECH32` only: up to this much a payment may count before it is in a block. Default: nothing does.',
      example: '0.01',
    },
  },
  CreateSubAccount: { '': 'A new sub account (§4.10).', ...SUB_ACCOUNT },
  UpdateSubAccount: { '': 'What to change of a sub account: what is left out stays.', ...SUB_ACCOUNT },
  CreateApiKey: {
    '': 'A new key of a sub account (§4.11).',
    ...API_KEY,
    account_id: { text: 'A sub account of yours.', example: '6a0f2c55-1f3b-4d0e-9a41-7f0c2b9d8e33' },
    nonce_window: {
      text: 'Takes the last 256 nonces in any order, for callers that send in parallel (ours). Default false.',
      example: false,
    },
  },
  UpdateApiKey: { '': 'What to change of a key: what is left out stays.', ...API_KEY },
  RotateApiKey: {
    '': 'A new secret for a key (ours).',
    grace_seconds: { text: 'How long the old secret works too. Default 0.', example: 3600 },
  },
  CreateConversion: { '': 'A new conversion (§4.4).', ...CONVERSION },
  UpdateConversion: { '': 'What to change of a draft: what is left out stays.', ...CONVERSION_CHANGES },
  CreateAutomaticRule: { '': 'A new automatic conversion or funding (§4.8).', ...RULE },
  UpdateAutomaticRule: { '': 'What to change of it: what is left out stays.', ...RULE_CHANGES },
  UpdateWallet: {
    '': 'What to change of a wallet (ours).',
    address_format: { text: 'Form of new addresses of kind `BTC`.', example: 'bech32' },
  },
  CreateAutomaticPayout: {
    '': 'A new automatic payout (§4.7).',
    wallet: { text: 'Id of the wallet that pays.', example: WALLET },
    ...AUTOMATIC_PAYOUT,
  },
  UpdateAutomaticPayout: { '': 'What to change of it: what is left out stays.', ...AUTOMATIC_PAYOUT },
};
