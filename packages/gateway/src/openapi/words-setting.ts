import { CONVERSION_STATUSES } from '@crypto-checkout/protocol/schema/conversion';
import { oneOf } from './words-common.ts';
import type { Words } from './word.ts';

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
  status: { text: oneOf(CONVERSION_STATUSES), example: 'draft', values: CONVERSION_STATUSES },
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

/** What the service answers about everything else. */
export const SETTING_WORDS: Readonly<Record<string, Words>> = {
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
    min_confirmations: {
      text: 'Confirmations that make a payment count, where the invoice asks for none; at most as many as make it final on its chain.',
      example: 1,
    },
    zero_conf_max_amount: {
      text: 'Bitcoin on its chain only: up to this much a payment may count before it is in a block.',
      example: null,
    },
  },
  Wallet: {
    '': 'Balances of one chain (§2.9).',
    name: { text: 'A name for people.', example: 'Bitcoin wallet' },
    balances: 'The chain’s own coin.',
    token_balances: { text: 'Its tokens; only on chains that have some.', example: [] },
    address_format: { text: 'Bitcoin only: form of new addresses of kind `BTC`, `bech32` or `p2sh` (§2.1).', example: 'bech32' },
  },
  Balance: {
    '': 'What a wallet holds of one coin.',
    available: { text: 'Can be paid out.', example: '0.0123' },
    pending: { text: 'Seen, not confirmed.', example: '0' },
    currency: { text: 'Symbol of the coin.', example: 'BTC' },
    zero_confirmed: { text: 'Bitcoin-like chains, their own coin: counted before it is in a block.', example: '0' },
    to_consolidate: { text: 'Account chains, and every token: lies on addresses of invoices.', example: null },
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
    can_add_exchange: {
      text: 'Whether it may have exchanges of its own, for the integrator’s programs: kept and shown, nothing here depends on it.',
      example: false,
    },
    show_internal_tx: {
      text: 'Whether it sees transactions between accounts, for the integrator’s programs: kept and shown, nothing here depends on it.',
      example: false,
    },
    whitelabel_fee: {
      text: 'A fraction, from 0 to 1: 0.1 is 10 %. Kept and shown for the integrator’s own bills; this service charges it to nobody.',
      example: '0.1',
    },
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
  AutomaticPayout: {
    '': 'Sends what is in a wallet beyond an amount to an address, every so many minutes (§2.10).',
    wallet: 'The wallet that pays.',
    recipient_address: { text: 'Where to.', example: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx' },
    is_enabled: { text: 'Whether it is carried out.', example: true },
    is_api_editable: {
      text: 'Whether it can be changed over this interface; false for one that the operator made on the command line, unless it says otherwise there.',
      example: true,
    },
    min_amount: { text: 'The least that is sent.', example: '0.001' },
    keep_amount: { text: 'What stays in the wallet.', example: '0.1' },
    interval: { text: 'Minutes between two looks.', example: 60 },
  },
};
