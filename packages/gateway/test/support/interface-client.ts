import { createHmac } from 'node:crypto';

/*
 * A client written only from docs/interface.md. It imports no package of this repository, so it
 * detects misunderstandings that the packages share.
 */

export interface Answer {
  status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- a test looks into any answer
  body: any;
}

let last = 0;

/**
 * Signs a request with three headers and no body. The nonce is a time in microseconds that always
 * increases.
 */
export async function send(
  base: string,
  { key, secret }: { key: string; secret: string },
  method: string,
  pathAndQuery: string,
  parameters: Record<string, unknown> = {},
): Promise<Answer> {
  last = Math.max(last + 1, Date.now() * 1000);
  const [path] = pathAndQuery.split('?');
  const payload = Buffer.from(
    JSON.stringify({ request: path, nonce: last, ...parameters }),
  ).toString('base64');
  const answer = await fetch(base + pathAndQuery, {
    method,
    headers: {
      'X-CC-KEY': key,
      'X-CC-PAYLOAD': payload,
      'X-CC-SIGNATURE': createHmac('sha256', secret).update(payload).digest('hex'),
    },
  });
  return { status: answer.status, body: await answer.json() };
}

/** The forms of field values. */
type Form =
  | 'string'
  | 'integer'
  | 'boolean'
  | 'decimal'
  | 'timestamp'
  | 'object'
  | 'array'
  | 'null';

const is: Record<Form, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  decimal: (value) => typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value),
  timestamp: (value) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}[+-]\d\d:\d\d$/.test(value),
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  array: Array.isArray,
  null: (value) => value === null,
};

/**
 * Fields of a resource: name and form. `|` separates forms; `?` after a name marks an optional
 * field.
 */
export type Fields = Record<string, string>;

/** Returns the differences between a value and its list of fields. */
export function fieldErrors(value: unknown, fields: Fields): string[] {
  if (!is.object(value)) return [`${JSON.stringify(value)} is no object`];
  return Object.entries(fields).flatMap(([path, forms]) => {
    const optional = path.endsWith('?');
    const name = optional ? path.slice(0, -1) : path;
    const member = name
      .split('.')
      .reduce<unknown>(
        (inner, part) => (inner as Record<string, unknown> | null | undefined)?.[part],
        value,
      );
    if (member === undefined) return optional ? [] : [`${name} is missing`];
    return forms.split('|').some((form) => is[form as Form](member))
      ? []
      : [`${name} is ${JSON.stringify(member)}, not ${forms}`];
  });
}

/** An amount object (docs/interface.md, "Amounts"). */
const amountAt = (path: string): Fields => ({
  [`${path}.amount`]: 'decimal',
  [`${path}.currency`]: 'string',
});

const EMBEDDED_INVOICE: Fields = {
  id: 'string',
  kind: 'string',
  created_at: 'timestamp',
  profile_id: 'string',
  address: 'string|null',
  lightning: 'object|null',
  network: 'string',
  amount: 'object',
  ...amountAt('amount.requested'),
  ...amountAt('amount.invoiced'),
  'amount.invoiced.rate_usd?': 'decimal',
  'amount.paid': 'object|null',
  custom_fee: 'object|null',
  min_confirmations: 'integer|null',
  zero_conf_enabled: 'boolean|null',
  notes: 'string|null',
  passthrough: 'string|null',
};

const RULE: Fields = {
  id: 'string',
  from_wallet: 'object',
  'from_wallet.id': 'string',
  'from_wallet.name': 'string',
  from_kind: 'string',
  to_wallet: 'object',
  'to_wallet.id': 'string',
  'to_wallet.name': 'string',
  to_kind: 'string',
  keep_amount: 'decimal',
  min_amount: 'decimal',
  max_amount: 'decimal',
  exchange: 'object|null',
  is_enabled: 'boolean',
};

/** Fields by resource (docs/interface.md, "Invoice fields" to "API keys"). */
export const FIELDS = {
  pagination: {
    num_pages: 'integer',
    count: 'integer',
    page: 'integer',
    next_page: 'integer|null',
    previous_page: 'integer|null',
    per_page: 'integer',
  },
  invoice: {
    ...EMBEDDED_INVOICE,
    'expires_at?': 'timestamp|null',
    status: 'string',
    'transactions?': 'array',
  },
  transaction: {
    id: 'string',
    kind: 'string',
    txid: 'string',
    invoice: 'object|null',
    ...Object.fromEntries(
      Object.entries(EMBEDDED_INVOICE).map(([name, form]) => [`invoice.${name}`, form]),
    ),
    ...amountAt('amount.paid'),
    'amount.paid.quotes': 'object',
    'amount.paid.quotes.USD': 'decimal',
    currency_rates: 'object',
    created_at: 'timestamp',
    executed_at: 'timestamp|null',
    confirmed_at: 'timestamp|null',
    confirmations: 'integer',
    status: 'string',
    zero_conf_status: 'string|null',
    network: 'string',
    risk_level: 'string|null',
    risk_data: 'object',
    sub_kind: 'string|null',
  },
  payout: {
    id: 'string',
    kind: 'string',
    txid: 'string',
    created_at: 'timestamp',
    approved_at: 'timestamp|null',
    executed_at: 'timestamp|null',
    profile_id: 'string',
    wallet_id: 'string',
    confirmations: 'integer',
    status: 'string',
    network: 'string',
    'amount.total': 'decimal',
    'amount.network_fee': 'decimal',
    'amount.network_fee_currency': 'string',
    network_fee_pays: 'string',
    network_fee_preset: 'string',
    network_fee: 'integer|null',
    passthrough: 'string|null',
    reference_id: 'string|null',
    sub_kind: 'string|null',
    error: 'string|null',
    approved_by: 'object|null',
    recipients: 'array',
  },
  recipient: {
    id: 'string',
    address: 'string',
    ...amountAt('amount.requested'),
    ...amountAt('amount.received'),
    custom_fee: 'object|null',
    notes: 'string|null',
  },
  conversion: {
    id: 'string',
    created_at: 'timestamp',
    created_by: 'string',
    'from_wallet.id': 'string',
    'from_wallet.name': 'string',
    from_kind: 'string',
    'to_wallet.id': 'string',
    'to_wallet.name': 'string',
    to_kind: 'string',
    amount: 'decimal',
    to_amount: 'decimal|null',
    exchange: 'object|null',
    status: 'string',
    is_approved: 'boolean',
    approved_by: 'string|null',
  },
  profile: {
    id: 'string',
    account: 'string',
    account_id: 'string',
    name: 'string',
    notification_email: 'string|null',
    invoice_expiration: 'integer',
    addresses_expiration: 'integer',
    notification_email_kinds: 'array',
    onramp_api_key: 'string|null',
    allow_smart_contract_payouts: 'boolean',
    stablecoin_precision: 'integer',
    'acceptance_range.positive_difference': 'decimal',
    'acceptance_range.negative_difference': 'decimal',
    reserve_wallet: 'object|null',
    callback_url: 'string|null',
    currencies: 'array',
  },
  currency: {
    kind: 'string',
    network: 'string',
    wallet_id: 'string',
    custom_fee: 'object|null',
    min_confirmations: 'integer',
  },
  wallet: {
    id: 'string',
    name: 'string',
    'balances.available': 'decimal',
    'balances.pending': 'decimal',
    'balances.currency': 'string',
    'token_balances?': 'array',
  },
  automaticPayout: {
    id: 'string',
    'wallet.id': 'string',
    'wallet.name': 'string',
    kind: 'string',
    recipient_address: 'string',
    is_enabled: 'boolean',
    is_api_editable: 'boolean',
    min_amount: 'decimal',
    keep_amount: 'decimal',
    interval: 'integer',
  },
  automaticConversion: { ...RULE, created_at: 'timestamp', created_by: 'string' },
  automaticFunding: RULE,
  rate: {
    id: 'string',
    kind: 'string',
    symbol: 'string',
    rate_usd: 'decimal',
    rate_btc: 'decimal',
    sign: 'string',
  },
  settings: { id: 'string', name: 'string', is_testnet: 'boolean', url: 'string|null' },
  account: {
    id: 'string',
    name: 'string',
    slug: 'string',
    is_testnet: 'boolean',
    can_add_exchange: 'boolean',
    show_internal_tx: 'boolean',
    whitelabel_fee: 'decimal|null',
    profiles: 'array',
    callback_token: 'string',
    url: 'string|null',
  },
  apiKey: {
    id: 'string',
    api_key: 'string',
    api_secret: 'string',
    name: 'string',
    created_by: 'string|null',
    updated_at: 'timestamp',
    is_integrator_key: 'boolean',
    account_id: 'string',
    max_payout: 'decimal|null',
    max_payout_daily: 'decimal|null',
    whitelist_ip: 'array',
    permissions: 'array',
  },
  resent: { status: 'string', message: 'string' },
} satisfies Record<string, Fields>;
