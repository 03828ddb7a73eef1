import { base58 } from '@scure/base';
import { createHash } from 'node:crypto';

export interface ServiceInvoice {
  id: string;
  kind: string;
  created_at: string;
  expires_at: string | null;
  profile_id: string;
  address: string | null;
  lightning: null | {
    payment_request: string | null;
    payment_hash: string | null;
    lnurl: string | null;
    lnurl_invoice_id: null;
  };
  network: string;
  status: string;
  amount: {
    requested: { amount: string; currency: string };
    invoiced: { amount: string; currency: string; rate_usd: string };
    paid: null | { amount: string; currency: string };
  };
  custom_fee: null;
  min_confirmations: number;
  zero_conf_enabled: boolean;
  notes: string | null;
  passthrough: string | null;
  order_id: string | null;
  proof: { kid: string; signature: string } | null;
  lightning_proof?: { kid: string; signature: string };
}

export interface ServiceTransaction {
  id: string;
  kind: string;
  txid: string;
  status: string;
  confirmations: number;
  created_at: string;
  invoiceId: string;
  amount: bigint;
  /** The network has dropped it; the interface still reports it as pending. */
  dropped?: boolean;
  /** The part for which a refund was requested. */
  refunded?: bigint;
  /** The shop accepted it although it was late. */
  accepted?: boolean;
}

export const UNIT = 10n ** 8n;

export function json(status: number, body: unknown, time = Date.now()): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', date: new Date(time).toUTCString() },
  });
}

export const stamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, -1)}000+00:00`;

export function units(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(whole) * UNIT + BigInt(fraction.padEnd(8, '0').slice(0, 8));
}

export function decimal(amount: bigint): string {
  const text = amount.toString().padStart(9, '0');
  return `${text.slice(0, -8)}.${text.slice(-8)}`.replace(/\.?0+$/, '');
}

/** Addresses in the format of their chains, which is all that the BFF checks. */
export function addressOf(kind: string, count: number): string {
  const hex = createHash('sha256').update(`${kind} ${count}`).digest('hex');
  if (kind.startsWith('ETH')) return `0x${hex.slice(0, 40)}`;
  if (kind === 'XRP') return `rTest${hex.slice(0, 20)}:${1000 + count}`;
  if (kind === 'DOGE') return `n${hex.slice(0, 33)}`;
  if (kind.endsWith('SOL')) return base58.encode(Buffer.from(hex, 'hex'));
  return `${kind === 'LTC' ? 'tltc' : 'tb'}1q${hex.replaceAll(/[1bio]/g, 'q').slice(0, 38)}`;
}
