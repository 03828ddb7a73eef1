import { EVENTS } from '@crypto-checkout/protocol/event';
import type { TemplateResult } from 'lit';
import type { ListedCallback, Page } from '@crypto-checkout/protocol/dashboard';
import { CALLBACK_COLUMNS } from '../part/callback-table.ts';
import { list } from '../part/list.ts';
import { count, words } from '../part/text.ts';
import { View } from '../part/view.ts';
import { read } from '../server.ts';

export class CallbacksView extends View<Page<ListedCallback>> {
  protected override heading(): string {
    return 'Callbacks';
  }

  protected override load(signal: AbortSignal): Promise<Page<ListedCallback>> {
    return read(`callbacks/?${this.route.query}`, signal);
  }

  protected override summary({ pagination }: Page<ListedCallback>): string {
    return `${count(pagination.count, 'callback')}.`;
  }

  protected override content(page: Page<ListedCallback>): TemplateResult {
    return list(page, {
      route: this.route,
      noun: 'callback',
      filters: [
        {
          name: 'state',
          label: 'State',
          options: [
            ['pending', 'pending'],
            ['delivered', 'delivered'],
            ['failed', 'failed'],
          ],
        },
        {
          name: 'event',
          label: 'Event',
          options: EVENTS.map((event) => [event, words(event)] as const),
        },
        { name: 'resource_id', label: 'Id of the invoice, transaction or payout' },
      ],
      columns: CALLBACK_COLUMNS,
      empty:
        'No callback was made yet. A profile with a callback address gets one for every payment and payout.',
    });
  }
}
