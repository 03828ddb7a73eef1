import type { LoadedCheckout } from '../checkouts/repository/checkout-repository.ts';
import type { CheckoutInvoice, CheckoutRecord } from '../checkouts/repository/record.ts';

const DAY_MS = 24 * 3600 * 1000;
/** 90 days after the last change, only id, status and amount remain public. */
const PUBLIC_MS = 90 * DAY_MS;

export function isStillPublic(invoice: CheckoutInvoice, serverTime: number): boolean {
  return serverTime - Date.parse(invoice.changed_at) < PUBLIC_MS;
}

/**
 * The public status of an invoice. It lists every member, so that no other part of a record can
 * leak.
 */
function publicInvoice(
  invoice: CheckoutInvoice,
  record: CheckoutRecord,
  serverTime: number,
): Record<string, unknown> {
  const { id, status, amount } = invoice;
  if (!isStillPublic(invoice, serverTime)) return { id, status, amount };
  return {
    id,
    kind: invoice.kind,
    status,
    created_at: invoice.created_at,
    expires_at: invoice.expires_at,
    address: invoice.address,
    lightning: invoice.lightning,
    network: invoice.network,
    amount,
    transactions: record.transactions
      .filter((one) => one.invoice?.id === id)
      .map(({ txid, confirmations, amount: { paid, paid_total }, created_at }) => ({
        txid,
        confirmations,
        amount: (paid_total ?? paid).amount,
        created_at,
      })),
    min_confirmations: invoice.min_confirmations,
    notes: invoice.notes,
    x_address: invoice.x_address,
    public_address: invoice.public_address,
  };
}

interface CachedStatus {
  revision: number;
  until: number;
  bytes: Uint8Array<ArrayBuffer>;
}

/** Caches encoded statuses, once per change: shop plugins poll them. */
export class StatusCache {
  readonly #cached = new WeakMap<LoadedCheckout, Map<string, CachedStatus>>();
  readonly #encoder = new TextEncoder();

  get(
    checkout: LoadedCheckout,
    invoiceId: string,
    serverTime: number,
  ): Uint8Array<ArrayBuffer> | null {
    const cached = this.#cached.get(checkout)?.get(invoiceId);
    if (cached && cached.revision === checkout.revision && serverTime < cached.until)
      return cached.bytes;
    const invoice = checkout.record.invoices.find(({ id }) => id === invoiceId);
    if (!invoice) return null;
    const bytes = this.#encoder.encode(
      JSON.stringify({
        result: 'success',
        invoice: publicInvoice(invoice, checkout.record, serverTime),
      }),
    );
    const end = Date.parse(invoice.changed_at) + PUBLIC_MS;
    const all = this.#cached.get(checkout) ?? new Map<string, CachedStatus>();
    this.#cached.set(checkout, all);
    all.set(invoiceId, {
      revision: checkout.revision,
      until: serverTime < end ? end : Infinity,
      bytes,
    });
    return bytes;
  }
}
