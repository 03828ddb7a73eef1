import { type PropertyDeclarations, type TemplateResult, html, nothing } from 'lit';
import type {
  Balances,
  Funding,
  NodeChannels,
  WalletBalance,
} from '@crypto-checkout/protocol/dashboard';
import { copyButton } from '../part/copy.ts';
import { balanceChart } from '../part/balance-chart.ts';
import { table } from '../part/table.ts';
import { code, count, facts, grouped, money } from '../part/text.ts';
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
  static override properties: PropertyDeclarations = { funding: { state: true } };

  /** Asks the nodes of the chains, so it may come later than the balances. */
  declare private funding: readonly Funding[] | undefined;

  protected override heading(): string {
    return 'Balances';
  }

  protected override async load(signal: AbortSignal): Promise<Balances> {
    void this.#loadFunding(signal);
    return (await read<{ result: Balances }>(`balances/?${this.route.query}`, signal)).result;
  }

  /** The balances are shown without it. */
  async #loadFunding(signal: AbortSignal): Promise<void> {
    const answer = await read<{ result: Funding[] }>('funding/', signal).catch(() => null);
    if (answer !== null) this.funding = answer.result;
  }

  protected override summary({ wallets, currency, worth }: Balances): string {
    const sum = worth === null ? '' : `, together ${grouped(worth)} ${currency}`;
    return `${count(wallets.length, 'balance')}${sum}.`;
  }

  protected override content(balances: Balances): TemplateResult {
    return html`${this.#wallets(balances)} ${fundingTable(this.funding ?? [])}
    ${channelsTable(balances.channels)}`;
  }

  #wallets({ days, to, currency, worth, wallets }: Balances): TemplateResult {
    if (wallets.length === 0)
      return html`<div class="empty">
        <p>Nothing was received yet. Each coin that comes in gets a chart here.</p>
      </div>`;
    return html`
      ${sumOf(wallets, currency, worth)}
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
      <div class="pictures">${wallets.map((wallet) => this.#wallet(wallet, currency, to))}</div>
    `;
  }

  #wallet(wallet: WalletBalance, inCurrency: string, to: string): TemplateResult {
    const { name, currency, kind, available, pending, reserved, frozen, total, worth } = wallet;
    return html`<section class="card">
      <h2>
        ${currency} <span class="muted">${name}${kind === currency ? '' : ` (${kind})`}</span>
      </h2>
      <p>
        <span class="total">${money(total, currency)}</span>
        ${worth === null ? nothing : html`<span class="muted">≈ ${money(worth, inCurrency)}</span>`}
      </p>
      ${balanceChart(wallet, to)}
      ${facts([
        ['Available', grouped(available)],
        pending === '0' ? null : ['Pending', grouped(pending)],
        reserved === '0' ? null : ['Reserved for payouts', grouped(reserved)],
        frozen === '0' ? null : ['Frozen', grouped(frozen)],
      ])}
    </section>`;
  }
}

/** The worth of all wallets, and the coins that it leaves out. */
function sumOf(
  wallets: readonly WalletBalance[],
  currency: string,
  worth: string | null,
): TemplateResult {
  const left = wallets.filter((wallet) => wallet.worth === null).map((wallet) => wallet.currency);
  return html`<section class="card sum">
    <h2>Worth of all balances</h2>
    ${
      worth === null
        ? html`<p>There are no exchange rates at the moment.</p>`
        : html`<p class="total">${money(worth, currency)}</p>`
    }
    ${worth === null || left.length === 0 ? nothing : html`<p class="muted">Without ${[...new Set(left)].join(', ')}: there is no rate.</p>`}
  </section>`;
}

/** Where an operator sends coins for payouts and network fees. */
function fundingTable(all: readonly Funding[]): TemplateResult | typeof nothing {
  if (all.length === 0) return nothing;
  return html`<section class="card">
    <h2>Addresses for funding</h2>
    <p>
      Send coins here when payouts or network fees lack them. They are then listed under
      <a href=${pathTo('home')}>Attention</a>, where you put them to your wallet.
    </p>
    ${table(
      'Addresses for funding',
      [
        { head: 'Coin', cell: ({ currency, network }) => `${currency} on ${network}` },
        {
          head: 'Missing now',
          number: true,
          cell: ({ missing, currency }) =>
            missing === null
              ? NO_ANSWER
              : missing === '0'
                ? 'nothing'
                : html`<strong>${money(missing, currency)}</strong>`,
        },
        {
          head: 'Available',
          number: true,
          cell: ({ available, currency }) => money(available, currency),
        },
        {
          head: 'For',
          cell: ({ pays_fees }) => (pays_fees ? 'payouts, and fees of tokens' : 'payouts'),
        },
        {
          head: 'Address',
          cell: ({ address, currency, network }) =>
            html`<span class="copied"
              >${code(address)} ${copyButton(address, `${currency} address on ${network}`)}</span
            >`,
        },
      ],
      all,
    )}
  </section>`;
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
