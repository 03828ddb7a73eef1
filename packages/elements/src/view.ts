import type { Checkout } from '@crypto-checkout/protocol/checkout';

/** What a value must be: a text, a number, a boolean, null for a text that may be missing, rows, members, or members that may be missing. */
type Shape = string | number | boolean | null | [Shape] | { [name: string]: Shape } | (() => Shape);

/** More rows than this in any list, or longer texts, are no checkout of ours. */
const ROWS = 200;
const TEXT = 20_000;

const CHECKOUT: Shape = {
  id: '',
  stage: '',
  notes: [''],
  version: 0,
  network: '',
  server_time: '',
  expires_at: null,
  merchant: { name: '' },
  order: { order_id: null, description: null, amount: () => ({ amount: '', currency: '' }) },
  coins: [{ kind: '', name: '', network: '', symbol: '', approx: null }],
  payment: () => ({
    invoice_id: '',
    kind: '',
    name: '',
    network: '',
    symbol: '',
    address: null,
    tag: null,
    x_address: null,
    public_address: null,
    lightning: () => ({ payment_request: null, lnurl: null }),
    due: null,
    paid: '',
    remaining: null,
    rate: null,
    strings: { qr: '', link: '', address: '', amount: null, tag: null },
    qr: { size: 0, path: '' },
    confirmations: { have: 0, need: 0, final: 0 },
    transactions: [{ txid: '', status: '', amount: '', confirmations: 0, created_at: '', explorer_url: null }],
    expires_at: null,
    renewable: false,
    proof: null,
  }),
  shop_url: null,
  success_url: null,
};

function fit(shape: Shape, value: unknown): unknown {
  const members = typeof value === 'object' && value ? (value as Record<string, unknown>) : null;
  if (typeof shape === 'function') return members && fit(shape(), value);
  if (Array.isArray(shape)) return Array.isArray(value) ? value.slice(0, ROWS).map((row) => fit(shape[0], row)) : [];
  if (shape && typeof shape === 'object')
    return Object.fromEntries(Object.entries(shape).map(([name, inner]) => [name, fit(inner, members?.[name])]));
  if (typeof value !== typeof (shape ?? '') || (typeof value === 'number' && !Number.isFinite(value))) return shape;
  return typeof value === 'string' ? value.slice(0, TEXT) || shape : value;
}

/**
 * Reads a server's answer. What is missing or of another type becomes empty, so that nothing after this can throw.
 * @returns null for what is no checkout at all.
 */
export function readCheckout(value: unknown): Checkout | null {
  const view = fit(CHECKOUT, value) as Checkout;
  return view.id && view.stage ? view : null;
}
