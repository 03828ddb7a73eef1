import { PAYOUT_STATUSES } from '@crypto-checkout/protocol/status';
import type { TemplateResult } from 'lit';
import type { Page, Payout } from '@crypto-checkout/protocol/dashboard';
import { list } from '../part/list.ts';
import { badge, count, link, money, untrusted, time, words } from '../part/text.ts';
import { View } from '../part/view.ts';
import { read } from '../server.ts';

export class PayoutsView extends View<Page<Payout>> {
  protected override heading(): string {
    return 'Payouts';
  }

  protected override load(signal: AbortSignal): Promise<Page<Payout>> {
    return read(`payouts/?${this.route.query}`, signal);
  }

  protected override summary({ pagination }: Page<Payout>): string {
    return `${count(pagination.count, 'payout')}.`;
  }

  protected override content(page: Page<Payout>): TemplateResult {
    return list(page, {
      route: this.route,
      noun: 'payout',
      filters: [
        { name: 'status', label: 'Status', options: STATUSES },
        { name: 'reference_id', label: 'Reference' },
        { name: 'txid', label: 'Transaction ID' },
        { name: 'address', label: 'Address of a recipient' },
        { name: 'date_from', label: 'From day (UTC)', day: true },
        { name: 'date_to', label: 'To day (UTC)', day: true },
      ],
      columns: [
        { head: 'Payout', cell: ({ id }) => link('payouts', id) },
        { head: 'Status', cell: ({ status }) => badge(status) },
        {
          head: 'Amount',
          number: true,
          cell: (payout) => money(payout.amount.total, coinOf(payout)),
        },
        { head: 'Recipients', number: true, cell: ({ recipients }) => recipients.length },
        { head: 'Coin', cell: ({ kind }) => kind },
        { head: 'Reference', cell: ({ reference_id }) => untrusted(reference_id) },
        { head: 'Created', cell: ({ created_at }) => time(created_at) },
      ],
      empty:
        'There are no payouts yet. They are made through the API; those above a key’s limit wait here for you to approve them.',
    });
  }
}

const STATUSES = [
  ['waiting', 'waiting (can be rejected)'] as const,
  ...PAYOUT_STATUSES.map((status) => [status, words(status)] as const),
];

/** The coin that its recipients get. */
export const coinOf = ({ recipients, kind }: Payout): string =>
  recipients[0]?.amount.received.currency ?? kind;
