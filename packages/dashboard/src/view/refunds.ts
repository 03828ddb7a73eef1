import { REFUND_STATUSES } from '@crypto-checkout/protocol/status';
import type { TemplateResult } from 'lit';
import type { Page, Refund } from '@crypto-checkout/protocol/dashboard';
import { list } from '../part/list.ts';
import { badge, code, count, link, money, time, words } from '../part/text.ts';
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
        { head: 'Refund', cell: ({ id }) => link('refunds', id) },
        { head: 'Status', cell: ({ status }) => badge(status) },
        { head: 'Cause', cell: ({ cause }) => words(cause) },
        {
          head: 'Amount',
          number: true,
          cell: ({ amount }) => money(amount.amount, amount.currency),
        },
        { head: 'To', cell: ({ address }) => code(address) },
        { head: 'Proven', cell: ({ is_proven }) => (is_proven ? 'yes' : 'no') },
        { head: 'Created', cell: ({ created_at }) => time(created_at) },
      ],
      empty:
        'There are no refunds yet. Buyers ask for them at their payment link; they wait here for you to approve them.',
    });
  }
}

const STATUSES = [
  ['waiting', 'waiting for a decision'] as const,
  ...REFUND_STATUSES.map((status) => [status, words(status)] as const),
];
