import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { type TemplateResult, html, nothing } from 'lit';
import { INVOICE_STATUSES } from '@crypto-checkout/protocol/status';
import type { ListedInvoice, Money, Page } from '@crypto-checkout/protocol/dashboard';
import { list } from '../part/list.ts';
import { badge, count, link, money, untrusted, time, words } from '../part/text.ts';
import { View } from '../part/view.ts';
import { read } from '../server.ts';

export class InvoicesView extends View<Page<ListedInvoice>> {
  protected override heading(): string {
    return 'Invoices';
  }

  protected override load(signal: AbortSignal): Promise<Page<ListedInvoice>> {
    return read(`invoices/?${this.route.query}`, signal);
  }

  protected override summary({ pagination }: Page<ListedInvoice>): string {
    return `${count(pagination.count, 'invoice')}.`;
  }

  protected override content(page: Page<ListedInvoice>): TemplateResult {
    return list(page, {
      route: this.route,
      noun: 'invoice',
      filters: [
        {
          name: 'status',
          label: 'Status',
          options: INVOICE_STATUSES.map((status) => [status, words(status)] as const),
        },
        { name: 'order_id', label: 'Order' },
        { name: 'txid', label: 'Transaction ID' },
        { name: 'address', label: 'Address' },
      ],
      columns: [
        { head: 'Invoice', cell: ({ id }) => link('invoices', id) },
        { head: 'Order', cell: ({ order_id }) => untrusted(order_id) },
        { head: 'Status', cell: ({ status }) => badge(status) },
        { head: 'Requested', number: true, cell: ({ amount }) => requested(amount.requested) },
        {
          head: 'Paid',
          number: true,
          cell: paid,
        },
        { head: 'Coin', cell: ({ kind }) => kind },
        { head: 'Notes', cell: ({ notes }) => untrusted(notes) },
        { head: 'Created', cell: ({ created_at }) => time(created_at) },
      ],
      empty:
        'There are no invoices yet. Your shop makes them through the API, and a test transaction makes one here.',
    });
  }
}

/**
 * The amount that counts, with its share while it is less than the invoice's, and money that does
 * not count.
 */
export function paid({ amount, custom_fee, uncounted }: ListedInvoice): TemplateResult | string {
  const late = sumOf(uncounted.filter(({ reason }) => reason === 'late'));
  const counted = sumOf(amount.paid === null ? [] : [amount.paid]) - late;
  const due = parseAmount(amount.invoiced.amount);
  const isPart = custom_fee === null && counted < due;
  if (counted <= 0n && uncounted.length === 0) return '–';
  return html`${
    counted <= 0n
      ? nothing
      : html`<div>
          ${money(formatAmount(counted), amount.paid!.currency)}
          ${isPart ? html`<span class="muted">${(counted * 100n) / due} % paid</span>` : nothing}
        </div>`
  }${uncounted.map(
    ({ reason, ...came }) => html`<div>${money(came.amount, came.currency)} ${badge(reason)}</div>`,
  )}`;
}

const sumOf = (amounts: readonly Money[]): bigint =>
  amounts.reduce((sum, { amount }) => sum + parseAmount(amount), 0n);

/** A reusable address has no amount. */
export const requested = ({
  amount,
  currency,
}: {
  amount: string;
  currency: string;
}): TemplateResult | string => (amount === '0' ? 'any amount' : money(amount, currency));
