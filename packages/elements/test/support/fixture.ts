import type {
  Checkout,
  CheckoutCoin,
  CheckoutPayment,
  CheckoutReceived,
  CheckoutRefundable,
} from '@crypto-checkout/protocol/checkout';
import { OPEN_STAGES } from '@crypto-checkout/protocol/open-stages';
import { encodeQr } from '@crypto-checkout/protocol/qr';

/** Checkouts as the server returns them; addresses are of the published test mnemonic. */

const coin = (
  kind: string,
  name: string,
  symbol: string,
  network: string,
  approx: string | null,
  seconds: number | null = 600,
  gas: string | null = null,
): CheckoutCoin => ({
  kind,
  name,
  symbol,
  network,
  approx,
  fee_usd: null,
  seconds,
  gas,
});

export const COINS: readonly CheckoutCoin[] = [
  coin('BTC_BECH32', 'Bitcoin', 'BTC', 'Bitcoin', '0.000812', 1200),
  coin('BTC_LIGHTNING', 'Bitcoin', 'BTC', 'Lightning', '0.000812', 0),
  coin('ETH', 'Ether', 'ETH', 'Ethereum (ERC20)', '0.0185', 24),
  coin('ETH-BASE', 'Ether', 'ETH', 'Base', '0.0185', 4),
  coin('ETH_USDT', 'Tether', 'USDT', 'Ethereum (ERC20)', '49.93', 24, 'ETH'),
  coin('USDT-TRX', 'Tether', 'USDT', 'TRON (TRC20)', '49.93', 3, 'TRX'),
  coin('USDC-POLYGON', 'USD Coin', 'USDC', 'Polygon', '49.9', 6, 'POL'),
  coin('XRP', 'XRP', 'XRP', 'XRP Ledger', null, 4),
  coin('DOGE', 'Dogecoin', 'DOGE', 'Dogecoin', '311.25', null),
];

const ADDRESS = 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu';

export const payment = (overrides: Partial<CheckoutPayment> = {}): CheckoutPayment => {
  const address = overrides.address === undefined ? ADDRESS : overrides.address;
  const qr = overrides.strings?.qr ?? `bitcoin:${String(address).toUpperCase()}?amount=0.00081234`;
  return {
    invoice_id: '3f6f1a52-3a3d-4f0e-9d54-0a2f6d0c9b11',
    kind: 'BTC_BECH32',
    name: 'Bitcoin',
    network: 'Bitcoin',
    symbol: 'BTC',
    from: 'wallet',
    address,
    tag: null,
    x_address: null,
    public_address: null,
    lightning: null,
    due: '0.00081234',
    paid: '0',
    remaining: '0.00081234',
    overpaid: null,
    late: null,
    minimum_withdrawal: null,
    rate: '61427.48',
    strings: {
      qr,
      link: `bitcoin:${address}?amount=0.00081234`,
      address: address ?? '',
      amount: '0.00081234',
      tag: null,
    },
    qr: encodeQr(qr),
    confirmations: { have: 0, need: 2, final: 6 },
    usual_seconds: 1200,
    transactions: [],
    expires_at: '2026-11-21T12:14:32.000000+00:00',
    renewable: false,
    extendable: false,
    proof: null,
    lightning_proof: null,
    signed_terms: null,
    ...overrides,
  };
};

const TRANSACTION = {
  txid: '387a2e9e74f6b160f8f01cf0a04a208cc0867060f1f813c0f3126f4af2f5953d',
  status: 'pending',
  amount: '0.00081234',
  confirmations: 0,
  created_at: '2026-11-21T12:01:00.000000+00:00',
  explorer_url: 'https://explorer.example/tx/387a2e9e',
};

/** A late payment that the buyer can ask back. */
export const REFUNDABLE: CheckoutRefundable = {
  transaction: '387a2e9e',
  cause: 'late',
  kind: 'BTC_BECH32',
  name: 'Bitcoin',
  network: 'Bitcoin',
  symbol: 'BTC',
  amount: '0.00081234',
  fee: '0.00002',
  received: '0.00079234',
  ready: true,
  tagged: false,
};

/** Received payments of an order; late, held and failed ones do not count. */
export function received(stage: string, payment: CheckoutPayment | null): CheckoutReceived[] {
  if (!payment) return [];
  const { invoice_id, address, tag, kind, name, network, symbol, rate, transactions } = payment;
  const late = stage === 'late';
  const counts = !late && !['failed', 'held'].includes(stage);
  return transactions.map((transaction) => ({
    ...transaction,
    invoice_id,
    address,
    tag,
    kind,
    name,
    network,
    symbol,
    late,
    overpaid: null,
    rate: counts ? rate : null,
    value: counts ? (Number(transaction.amount) * Number(rate)).toFixed(2) : null,
  }));
}

/** A part in bitcoin and the remainder in Tether, which is the current coin. */
export const inTwoCoins = (stage: string): Checkout => {
  const part = received('underpaid', payment(OF_STAGE['underpaid']));
  const rest = payment({
    kind: 'USDT-TRX',
    name: 'Tether',
    symbol: 'USDT',
    network: 'TRON (TRC20)',
    due: '25.34',
    rate: '0.9996',
  });
  const own = {
    ...rest,
    invoice_id: 'a2a1c1f4-6c67-4a0c-8c53-0d3a3c4b5e6f',
    remaining: stage === 'underpaid' ? '25.34' : '0',
  };
  const view = checkout(stage, { payment: own });
  if (stage === 'underpaid') return { ...view, received: part };
  const came = {
    ...TRANSACTION,
    txid: '9b1c'.repeat(16),
    amount: '25.34',
    created_at: '2026-11-21T12:06:00.000000+00:00',
  };
  return { ...view, received: [...part, ...received(stage, { ...own, transactions: [came] })] };
};

/** A checkout in a stage, with its payment. */
export function checkout(stage: string, overrides: Partial<Checkout> = {}): Checkout {
  const shown =
    overrides.payment === undefined
      ? stage === 'choose'
        ? null
        : payment(OF_STAGE[stage])
      : overrides.payment;
  return { ...bare(stage), payment: shown, received: received(stage, shown), ...overrides };
}

const bare = (stage: string): Checkout => ({
  id: 'c8e1f0a9b2d34c5e6f708192a3b4c5d6',
  stage,
  notes: [],
  version: 1,
  network: 'mainnet',
  server_time: '2026-11-21T12:00:00.000000+00:00',
  expires_at: '2026-11-21T12:14:32.000000+00:00',
  merchant: { name: 'Quay & Co.', contact: null, logo: null, legal: null },
  order: {
    order_id: '1042',
    description: 'Enamel mug, sea green',
    amount: { amount: '49.90', currency: 'USD' },
  },
  // Like the server: only while a coin can be chosen.
  coins: [...OPEN_STAGES, 'choose', 'expired', 'late'].includes(stage) ? COINS : [],
  payment: null,
  received: [],
  shop_url: 'https://shop.example/orders/1042',
  success_url: null,
  onramp: null,
});

const OF_STAGE: Record<string, Partial<CheckoutPayment>> = {
  underpaid: {
    paid: '0.0004',
    remaining: '0.00041234',
    strings: {
      qr: `bitcoin:${ADDRESS.toUpperCase()}?amount=0.00041234`,
      link: `bitcoin:${ADDRESS}?amount=0.00041234`,
      address: ADDRESS,
      amount: '0.00041234',
      tag: null,
    },
    transactions: [{ ...TRANSACTION, amount: '0.0004' }],
  },
  seen: {
    paid: '0.00081234',
    remaining: '0',
    confirmations: { have: 1, need: 2, final: 6 },
    transactions: [TRANSACTION],
  },
  paid: {
    paid: '0.00081234',
    remaining: '0',
    confirmations: { have: 2, need: 2, final: 6 },
    transactions: [{ ...TRANSACTION, status: 'confirmed' }],
  },
  complete: {
    paid: '0.00081234',
    remaining: '0',
    confirmations: { have: 6, need: 2, final: 6 },
    transactions: [{ ...TRANSACTION, status: 'complete' }],
  },
  expired: { expires_at: '2026-11-21T11:59:00.000000+00:00', renewable: true },
  late: { expires_at: '2026-11-21T11:59:00.000000+00:00', paid: '0', transactions: [TRANSACTION] },
  held: { transactions: [{ ...TRANSACTION, status: 'quarantined' }] },
  failed: { transactions: [{ ...TRANSACTION, status: 'failed' }] },
};

export const xrp = (): Checkout =>
  checkout('pay', {
    payment: payment({
      kind: 'XRP',
      name: 'XRP',
      symbol: 'XRP',
      network: 'XRP Ledger',
      address: 'rHsMGQEkVNJmpGWs8XUBoTBiAAbwxZN5v3',
      tag: '12345',
      x_address: 'XVMFQQBMhdouRqhPMuawgBMN1AVFToDJjGL3vhmPNrNxcgS',
      due: '21.55',
      remaining: '21.55',
      rate: '2.3155',
      strings: {
        qr: 'XVMFQQBMhdouRqhPMuawgBMN1AVFToDJjGL3vhmPNrNxcgS',
        link: 'https://xaman.app/detect/request:rHsMGQEkVNJmpGWs8XUBoTBiAAbwxZN5v3?amount=21.55&dt=12345',
        address: 'rHsMGQEkVNJmpGWs8XUBoTBiAAbwxZN5v3',
        amount: '21.55',
        tag: '12345',
      },
    }),
  });

const BOLT11 = `lnbc812340n1p5z9q7cpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqdq5xysxxatsyp3k7enxv4jsxqzpuaztrnwngzn3kdzw5hydlzf03qdgm2hdq27cqv3agm2awhz5se903vruatfhq77w3ls4evs3ch9zw97j25emudupq63nyw24cg27h2rspfj9srp${'q'.repeat(40)}`;

export const lightning = (): Checkout =>
  checkout('pay', {
    payment: payment({
      kind: 'BTC_LIGHTNING',
      network: 'Lightning',
      address: null,
      lightning: { payment_request: BOLT11, lnurl: null },
      strings: {
        qr: `lightning:${BOLT11.toUpperCase()}`,
        link: `lightning:${BOLT11}`,
        address: BOLT11,
        amount: '0.00081234',
        tag: null,
      },
    }),
  });

/** One code for an address and a lightning request. */
export const bitcoinWithLightning = (overrides: Partial<Checkout> = {}): Checkout => {
  const qr = `bitcoin:${ADDRESS.toUpperCase()}?amount=0.00081234&lightning=${BOLT11.toUpperCase()}`;
  return checkout('pay', {
    payment: payment({
      lightning: { payment_request: BOLT11, lnurl: null },
      strings: {
        qr,
        link: `bitcoin:${ADDRESS}?amount=0.00081234&lightning=${BOLT11}`,
        address: ADDRESS,
        amount: '0.00081234',
        tag: null,
      },
      qr: encodeQr(qr),
    }),
    ...overrides,
  });
};
