import type { Live } from '../checkout/book.ts';
import type { CheckoutInvoice, CheckoutRecord } from '../checkout/record.ts';

const DAY_MS = 24 * 3600 * 1000;
/** Ninety days after the last change only id, status and amount remain public (decisions). */
const PUBLIC_MS = 90 * DAY_MS;

export function isStillPublic(invoice: CheckoutInvoice, serverTime: number): boolean {
  return serverTime - Date.parse(invoice.changed_at) < PUBLIC_MS;
}

/** The public status of an invoice: nothing but these fields, whatever the record holds. */
function publicInvoice(invoice: CheckoutInvoice, record: CheckoutRecord, serverTime: number): Record<string, unknown> {
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

interface Kept {
  revision: number;
  until: number;
  bytes: Uint8Array<ArrayBuffer>;
}

/** Shop plugins poll this: the bytes of an answer are made once per change. */
export class StatusBytes {
  readonly #kept = new WeakMap<Live, Map<string, Kept>>();
  readonly #encoder = new TextEncoder();

  of(live: Live, invoiceId: string, serverTime: number): Uint8Array<ArrayBuffer> | null {
    const known = this.#kept.get(live)?.get(invoiceId);
    if (known && known.revision === live.revision && serverTime < known.until) return known.bytes;
    const invoice = live.record.invoices.find(({ id }) => id === invoiceId);
    if (!invoice) return null;
    const bytes = this.#encoder.encode(JSON.stringify({ result: 'success', invoice: publicInvoice(invoice, live.record, serverTime) }));
    const end = Date.parse(invoice.changed_at) + PUBLIC_MS;
    const all = this.#kept.get(live) ?? new Map<string, Kept>();
    this.#kept.set(live, all);
    all.set(invoiceId, { revision: live.revision, until: serverTime < end ? end : Infinity, bytes });
    return bytes;
  }
}
