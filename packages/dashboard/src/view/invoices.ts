import type { TemplateResult } from 'lit';
import { INVOICE_STATUSES } from '@crypto-checkout/protocol/status';
import type { ListedInvoice, Page } from '@crypto-checkout/protocol/dashboard';
import { list } from '../part/list.ts';
import { badge, count, link, money, said, time, words } from '../part/text.ts';
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
        { name: 'txid', label: 'Transaction on the chain' },
        { name: 'address', label: 'Address' },
      ],
      columns: [
        { head: 'Invoice', cell: ({ id }) => link('invoices', id) },
        { head: 'Status', cell: ({ status }) => badge(status) },
        { head: 'Requested', number: true, cell: ({ amount }) => requested(amount.requested) },
        {
          head: 'Paid',
          number: true,
          cell: ({ amount }) =>
            amount.paid === null ? '–' : money(amount.paid.amount, amount.paid.currency),
        },
        { head: 'Kind', cell: ({ kind }) => kind },
        { head: 'Notes', cell: ({ notes }) => said(notes) },
        { head: 'Created', cell: ({ created_at }) => time(created_at) },
      ],
      empty:
        'There are no invoices yet. Your shop makes them through the API, and a test transaction makes one here.',
    });
  }
}

/** A reusable address has no amount. */
export const requested = ({
  amount,
  currency,
}: {
  amount: string;
  currency: string;
}): TemplateResult | string => (amount === '0' ? 'any amount' : money(amount, currency));
