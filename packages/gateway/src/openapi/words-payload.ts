import { CURRENCIES } from '@crypto-checkout/protocol/currency';
import { KINDS } from '@crypto-checkout/protocol/kind';
import type { Words } from './word.ts';

const list = (values: readonly string[]): string => values.map((value) => `\`${value}\``).join(', ');
const CURRENCY_LIST = list(CURRENCIES.map(({ symbol }) => symbol));
const KIND_LIST = list(KINDS.map(({ kind }) => kind));
const PROFILE_ID = '2d1f6c7e-90aa-4b63-8c55-0f6b8f2e4a70';

/** What a caller sends. */
export const PAYLOAD_WORDS: Readonly<Record<string, Words>> = {
  CreateInvoice: {
    '': 'A new invoice (§4.1).',
    profile_id: { text: 'Settings, callback address, wallets.', example: PROFILE_ID },
    amount: { text: 'A decimal; left out for a reusable address.', example: '19.90' },
    currency: { text: `What the amount is in: ${CURRENCY_LIST}.`, example: 'USD' },
    kind: { text: `What is paid with: ${KIND_LIST}. The address of a chain’s own coin takes its tokens too.`, example: 'BTC' },
    passthrough: { text: 'Returned unchanged and sent with every callback; an object is kept as its JSON text.', example: 'order 1001' },
    fee_amount: { text: 'Fee of your own in the coin, added to what is asked for.', example: '0.00001' },
    min_confirmations: { text: 'Confirmations that make a payment count. Default: the profile’s.', example: 1 },
    notes: { text: 'Shown in the dashboard and on the payment page.', example: 'Two tickets' },
    zero_conf_enabled: {
      text: 'Whether payments may count before they are in a block; bitcoin on the chain only. Default false.',
      example: false,
    },
    exchange_rate_limit: 'Refuses the request when our rate is another.',
    invoice_expiration: { text: 'Seconds that the price holds (ours). Default: the profile’s.', example: 900 },
  },
  RenewInvoice: { '': 'What to renew.', extend: { text: 'More time at the same rate, once, while the price holds.', example: false } },
  ExchangeRateLimit: {
    '': 'Refuses the request when our rate differs too much.',
    pair: { text: 'Coin and fiat currency, with a colon between.', example: 'BTC:USD' },
    exchange_rate: { text: 'The rate that you expect.', example: '50000' },
    allowed_difference: { text: 'As a fraction: 0.05 for 5 %.', example: '0.05' },
  },
  CreatePayout: {
    '': 'A new payout (§4.3).',
    kind: { text: `What is sent: ${KIND_LIST}; for lightning \`BTC_LIGHTNING_TO_LIGHTNING\` or \`BTC_LIGHTNING_TO_BTC\`.`, example: 'BTC' },
    profile_id: { text: 'Settings, callback address, wallets.', example: PROFILE_ID },
    wallet_id: { text: 'The wallet that pays. Default: the profile’s of the kind.', example: 'c1b7d9a0-5e62-4c1f-8f0d-3a9e2b7c6d54' },
    passthrough: { text: 'Sent with every callback. Without `reference_id` it must be unique.', example: 'order 1001' },
    reference_id: { text: 'Unique. The same request again is the same payout, another one with it is refused.', example: 'payout-1001' },
    recipients: 'Who gets what; one for lightning.',
    network_fee_pays: { text: 'Who pays the network; `recipient`: the first one. Default `merchant`.', example: 'merchant' },
    network_fee_preset: { text: 'How fast it has to be. Default `normal`.', example: 'normal' },
    network_fee: { text: 'Satoshi per byte, instead of a preset; bitcoin-like chains only.', example: 12 },
    estimate_only: { text: 'Checks everything, tells the fee, and sends nothing. Default false.', example: false },
    scheduled_at: { text: 'Not before this time, within a year (ours).', example: '2026-11-22T06:00:00Z' },
  },
  CreatePayoutRecipient: {
    '': 'Who gets what.',
    amount: { text: 'A decimal. Lightning: may be left out for a BOLT11 request that says its amount.', example: '10' },
    currency: { text: `What the amount is in: as for invoices, without USDT.`, example: 'USD' },
    address: {
      text: 'Where to. Lightning: a BOLT11 request or an LNURL, with or without `lightning:`. XRP: also an X-address.',
      example: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
    },
    fee_amount: { text: 'Fee of your own, taken from what the recipient gets.', example: '0.10' },
    fee_currency: { text: 'What the fee is in: as `currency`.', example: 'USD' },
    destination_tag: { text: 'XRP and TON only.', example: '12345' },
    notes: { text: 'Internal; with the prefix `memo:` a message on the chain (ETH, BSC, TON).', example: 'memo: thank you' },
    exchange_rate_limit: 'Refuses the payout when our rate is another.',
  },
  ApprovePayout: { '': 'The decision about a draft.', approve: { text: 'true sends it, false ends it.', example: true } },
  AskConfirmations: {
    '': 'Whose confirmations to count.',
    id: { text: 'Ids, up to 500.', example: ['8f1a4a2e-3c1d-4f6a-9d70-5a3e7d5b9c11'] },
  },
};
