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
      { ...alarm, resource: null, resource_id: null, chain: 'bitcoin', about: null },
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
