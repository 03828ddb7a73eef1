// Answers of the gateway to the dashboard, with rare and long values.

export const AT = '2026-11-21T06:00:00.000000+00:00';
export const ID = '6eb455b2-29f3-4200-ac1f-7fe9e9f5bc4a';
export const LONG = 'x'.repeat(120);
export const none = { count: 0, items: [] };
export const one = <T>(item: T) => ({ count: 1, items: [item] });
export const money = { amount: '1234567.000000000000000001', currency: 'USDT' };
export const alarm = {
  id: ID,
  chain: null,
  resource: 'automatic conversion',
  resource_id: ID,
  reason: `In a circle: ${LONG}`,
  raised_at: AT,
  network: 'Bitcoin',
  about: { amount: null, currency: 'BTC', reference: null },
  funding: null,
};
/** Coins end it when they are sent. */
export const needsGas = {
  ...alarm,
  chain: 'ethereum',
  resource: null,
  resource_id: null,
  reason:
    'A sweep waits: USDT on Ethereum has no gas. Send ETH to the payout address 0x399Db6Ed32539fbDF44c3e7678b5b428e378F666, and assign it',
  network: 'Ethereum',
  about: null,
  funding: {
    amount: '0.0123',
    currency: 'ETH',
    address: '0x399Db6Ed32539fbDF44c3e7678b5b428e378F666',
  },
};

/** An answer of `attention/` with every kind of problem. */
export const ATTENTION = {
  drafts: {
    count: 21,
    items: [
      {
        ...money,
        id: ID,
        kind: 'ETH_USDT',
        status: 'draft',
        created_at: AT,
        recipient: `0x${LONG}`,
        recipients: 3,
        worth_usd: '1234567',
        key_name: 'Shop',
        is_covered: false,
      },
    ],
  },
  refunds: one({
    ...money,
    id: ID,
    cause: 'wrong_coin',
    address: `0x${LONG}`,
    is_proven: false,
    created_at: AT,
  }),
  waiting: one({ ...money, id: ID, kind: 'ETH_USDT', status: 'awaiting_funds', created_at: AT }),
  callbacks: one({
    id: ID,
    event: 'invoice_complete',
    url: `https://shop.example/${LONG}?a=1&b=2`,
    created_at: AT,
  }),
  receivers: {
    count: 2,
    items: [
      {
        address: 'http://127.0.0.1:18099/cb',
        waiting: 1,
        more: false,
        since: AT,
        status_code: 503,
        error: null,
        last_at: AT,
      },
      {
        address: 'https://shop.invalid/fail',
        waiting: 1000,
        more: true,
        since: AT,
        status_code: null,
        error: 'The name of the host does not resolve',
        last_at: AT,
      },
    ],
  },
  quarantined: one({ ...money, id: ID, kind: 'ETH_USDT', risk_level: null, created_at: AT }),
  alarms: {
    count: 4,
    items: [
      alarm,
      {
        ...alarm,
        resource: null,
        resource_id: null,
        chain: 'bitcoin',
        about: null,
        reason: `The recipient was paid (payout ${ID}), and the wallet holds too little for it`,
      },
      needsGas,
      {
        ...alarm,
        resource: 'payout',
        reason: 'The network fee rose',
        about: { amount: '0.5', currency: 'BTC', reference: 'order-1042' },
      },
    ],
  },
  unassigned: one({
    ...money,
    id: ID,
    chain: 'xrp',
    txid: LONG,
    address: LONG,
    reason: 'no known destination tag',
    seen_at: AT,
  }),
};

/** An order's name of 60 characters. */
export const ORDER = `A-1042-${'long-name-'.repeat(6)}`.slice(0, 60);
const btc = (amount: string) => ({ amount, currency: 'BTC' });

const listed = {
  id: ID,
  kind: 'BTC',
  created_at: AT,
  expires_at: AT,
  profile_id: ID,
  status: 'expired',
  address: LONG,
  lightning: null,
  amount: {
    requested: { amount: '100', currency: 'USD' },
    invoiced: btc('0.002'),
    paid: btc('0.001'),
  },
  custom_fee: null,
  min_confirmations: 1,
  order_id: ORDER,
  notes: ORDER,
  passthrough: null,
  uncounted: [] as { reason: string; amount: string; currency: string }[],
};
/** Invoices that were paid in part, late, in another coin, and given back. */
export const MIXED = [
  listed,
  {
    ...listed,
    amount: { ...listed.amount, paid: btc('0.002') },
    uncounted: [{ reason: 'late', ...btc('0.002') }],
  },
  {
    ...listed,
    amount: { ...listed.amount, paid: null },
    uncounted: [{ reason: 'wrong_coin', amount: '60', currency: 'USDC' }],
  },
  {
    ...listed,
    amount: { ...listed.amount, paid: null },
    uncounted: [{ reason: 'refunded', ...btc('0.002') }],
  },
];

export const TRANSACTION = {
  id: ID,
  kind: 'BTC',
  txid: LONG,
  invoice: { id: ID, profile_id: ID, address: LONG, notes: null, passthrough: null },
  order_id: ORDER,
  amount: { paid: { ...btc('0.002'), quotes: { USD: '100.00' } } },
  created_at: AT,
  executed_at: AT,
  confirmed_at: AT,
  confirmations: 6,
  status: 'complete',
  zero_conf_status: null,
  risk_level: null,
  risk_data: null,
};

/** A buyer's request that waits for an approval. */
export const REFUND = {
  id: ID,
  transaction_id: ID,
  invoice_id: ID,
  order_id: ORDER,
  payout_id: null,
  kind: 'BTC',
  status: 'requested',
  cause: 'late',
  address: 'rN7n7otQDd6FczFgLdSqtcsAUxDkw6fzRH',
  destination_tag: '1103515245',
  amount: btc('0.002'),
  received: btc('0.0019'),
  network_fee_pays: 'recipient',
  is_proven: true,
  reference_id: null,
  reason: null,
  txid: null,
  error: null,
  created_at: AT,
};

export const SALES = {
  from: '2026-11-21T00:00:00.000000+00:00',
  to: AT,
  currencies: [
    { currency: 'USD', orders: 1204, amount: '1234567.50', refunded: '20.00' },
    { currency: 'BTC', orders: 1, amount: '0.002', refunded: '0' },
  ],
};
