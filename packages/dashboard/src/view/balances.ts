import { type TemplateResult, html, nothing } from 'lit';
import type { Balances, NodeChannels, WalletBalance } from '@crypto-checkout/protocol/dashboard';
import { balanceChart } from '../part/balance-chart.ts';
import { table } from '../part/table.ts';
import { count, facts, grouped, lasting, money } from '../part/text.ts';
import { View } from '../part/view.ts';
import { pathTo } from '../route.ts';
import { read } from '../server.ts';

const SPANS = [
  [1, '1 day'],
  [7, '7 days'],
  [30, '30 days'],
  [365, '1 year'],
] as const;

export class BalancesView extends View<Balances> {
  protected override heading(): string {
    return 'Balances';
  }

  protected override async load(signal: AbortSignal): Promise<Balances> {
    return (await read<{ result: Balances }>(`balances/?${this.route.query}`, signal)).result;
  }

  /** An account younger than the chosen span has a shorter chart. */
  protected override summary({ wallets, times }: Balances): string {
    const length = Date.parse(times.at(-1) ?? '') - Date.parse(times[0] ?? '');
    return `${count(wallets.length, 'balance')} over ${lasting(length)}.`;
  }

  protected override content(balances: Balances): TemplateResult {
    return html`${channelsTable(balances.channels)} ${this.#wallets(balances)}`;
  }

  #wallets({ days, times, wallets }: Balances): TemplateResult {
    if (wallets.length === 0)
      return html`<div class="empty">
        <p>Nothing was received yet. Each coin that comes in gets a picture here.</p>
      </div>`;
    return html`
      <nav class="spans" aria-label="How far back">
        ${SPANS.map(
          ([span, text]) =>
            html`<a
              href=${pathTo('balances', null, { days: String(span) })}
              aria-current=${span === days ? 'true' : 'false'}
              >${text}</a
            >`,
        )}
      </nav>
      <div class="pictures">${wallets.map((wallet) => this.#wallet(wallet, times))}</div>
    `;
  }

  #wallet(wallet: WalletBalance, times: readonly string[]): TemplateResult {
    const { name, currency, kind, available, pending, reserved, frozen, total } = wallet;
    return html`<section class="card">
      <h2>
        ${currency} <span class="muted">${name}${kind === currency ? '' : ` (${kind})`}</span>
      </h2>
      <p class="total">${money(total, currency)}</p>
      ${balanceChart(wallet, times)}
      ${facts([
        ['Available', grouped(available)],
        ['Pending', grouped(pending)],
        ['Reserved for payouts', grouped(reserved)],
        frozen === '0' ? null : ['Frozen', grouped(frozen)],
      ])}
    </section>`;
  }
}

const NO_ANSWER = 'The node does not answer';

/** Channels limit each single moment, whatever the balances are. */
function channelsTable(channels: readonly NodeChannels[]): TemplateResult | typeof nothing {
  if (channels.length === 0) return nothing;
  return html`<section class="card">
    <h2>Channels</h2>
    ${table(
      'Channels of lightning nodes',
      [
        { head: 'Node', cell: ({ name }) => name },
        {
          head: 'Can receive now',
          number: true,
          cell: ({ open, currency }) => (open ? money(open.receivable, currency) : NO_ANSWER),
        },
        {
          head: 'Can send now',
          number: true,
          cell: ({ open, currency }) => (open ? money(open.sendable, currency) : NO_ANSWER),
        },
        {
          head: 'Usable channels',
          number: true,
          cell: ({ open }) => (open ? String(open.channels) : '–'),
        },
      ],
      channels,
    )}
  </section>`;
}
