import type { TemplateResult } from 'lit';
import { RISK_LEVELS } from '@crypto-checkout/protocol/status';
import type { Page, Transaction } from '@crypto-checkout/protocol/dashboard';
import { list } from '../part/list.ts';
import { badge, count, link, money, orderLink, time, words } from '../part/text.ts';
import { View } from '../part/view.ts';
import { read } from '../server.ts';

export class TransactionsView extends View<Page<Transaction>> {
  protected override heading(): string {
    return 'Transactions';
  }

  protected override load(signal: AbortSignal): Promise<Page<Transaction>> {
    return read(`transactions/?${this.route.query}`, signal);
  }

  protected override summary({ pagination }: Page<Transaction>): string {
    return `${count(pagination.count, 'transaction')}.`;
  }

  protected override content(page: Page<Transaction>): TemplateResult {
    return list(page, {
      route: this.route,
      noun: 'transaction',
      filters: [
        { name: 'txid', label: 'Transaction ID' },
        { name: 'address', label: 'Address' },
        {
          name: 'risk_level',
          label: 'Risk',
          options: [
            ...RISK_LEVELS.map((level) => [level, words(level)] as const),
            ['null', 'not analysed'],
          ],
        },
        { name: 'date_from', label: 'From day (UTC)', day: true },
        { name: 'date_to', label: 'To day (UTC)', day: true },
      ],
      columns: [
        { head: 'Transaction', cell: ({ id }) => link('transactions', id) },
        { head: 'Status', cell: ({ status }) => badge(status) },
        {
          head: 'Amount',
          number: true,
          cell: ({ amount }) => money(amount.paid.amount, amount.paid.currency),
        },
        { head: 'Coin', cell: ({ kind }) => kind },
        { head: 'Confirmations', number: true, cell: ({ confirmations }) => confirmations },
        { head: 'Order', cell: ({ order_id, invoice }) => orderLink(order_id, invoice.id) },
        { head: 'Invoice', cell: ({ invoice }) => link('invoices', invoice.id) },
        { head: 'Seen', cell: ({ created_at }) => time(created_at) },
      ],
      empty:
        'No money has come in yet. What is paid to an invoice or a reusable address appears here.',
    });
  }
}
