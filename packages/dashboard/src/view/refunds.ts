import { REFUND_STATUSES } from '@crypto-checkout/protocol/status';
import { type TemplateResult, html } from 'lit';
import type { Page, Refund } from '@crypto-checkout/protocol/dashboard';
import { list } from '../part/list.ts';
import type { Column } from '../part/table.ts';
import { badge, code, count, link, money, orderLink, time, words } from '../part/text.ts';
import { View } from '../part/view.ts';
import { read } from '../server.ts';

export class RefundsView extends View<Page<Refund>> {
  protected override heading(): string {
    return 'Refunds';
  }

  protected override load(signal: AbortSignal): Promise<Page<Refund>> {
    return read(`refunds/?${this.route.query}`, signal);
  }

  protected override summary({ pagination }: Page<Refund>): string {
    return `${count(pagination.count, 'refund')}.`;
  }

  protected override content(page: Page<Refund>): TemplateResult {
    return list(page, {
      route: this.route,
      noun: 'refund',
      filters: [
        { name: 'status', label: 'Status', options: STATUSES },
        { name: 'reference_id', label: 'Reference' },
        { name: 'invoice_id', label: 'Invoice' },
        { name: 'transaction_id', label: 'Transaction' },
      ],
      columns: [
        ...refundColumns,
        {
          head: 'Order',
          cell: ({ order_id, invoice_id }) => orderLink(order_id, invoice_id),
        },
        { head: 'To', cell: ({ address }) => code(address) },
        { head: 'Proven', cell: ({ is_proven }) => (is_proven ? 'yes' : 'no') },
      ],
      empty:
        'There are no refunds yet. Buyers ask for them at their payment link; they wait here for you to approve them.',
    });
  }
}

/** Columns of every list of refunds. */
export const refundColumns: readonly Column<Refund>[] = [
  { head: 'Refund', cell: ({ id }) => link('refunds', id) },
  { head: 'Status', cell: ({ status }) => badge(status) },
  { head: 'Cause', cell: ({ cause }) => words(cause) },
  { head: 'Amount', number: true, cell: ({ amount }) => money(amount.amount, amount.currency) },
  { head: 'Arrives', number: true, cell: arrives },
  { head: 'Created', cell: ({ created_at }) => time(created_at) },
];

/** The amount for the buyer; nothing is sent of a refund that was refused. */
export function arrives({ status, received }: Refund): TemplateResult | string {
  if (status === 'rejected' || status === 'failed') return '–';
  const sum = money(received.amount, received.currency);
  return status === 'requested' ? html`about ${sum}` : sum;
}

const STATUSES = [
  ['waiting', 'waiting for a decision'] as const,
  ...REFUND_STATUSES.map((status) => [status, words(status)] as const),
];
