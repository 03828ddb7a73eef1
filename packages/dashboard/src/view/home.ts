import { type TemplateResult, html, nothing } from 'lit';
import type {
  Alarm,
  Attention,
  Group,
  Sales,
  Unassigned,
} from '@crypto-checkout/protocol/dashboard';
import { say } from '../navigate.ts';
import { confirmed } from '../part/confirmed.ts';
import { copyButton } from '../part/copy.ts';
import {
  badge,
  code,
  count,
  link,
  money,
  untrusted,
  shortened,
  time,
  withoutAdvice,
  words,
} from '../part/text.ts';
import { type Column, table } from '../part/table.ts';
import { View } from '../part/view.ts';
import { type ViewName, VIEWS, pathTo } from '../route.ts';
import { read, write } from '../server.ts';

interface Answer {
  attention: Attention;
  /** Null when they could not be read: what needs attention is shown all the same. */
  sales: Sales | null;
}

/** Items that need operator action, and today's sales. */
export class HomeView extends View<Answer> {
  protected override heading(): string {
    return 'Needs attention';
  }

  protected override async load(signal: AbortSignal): Promise<Answer> {
    const [attention, sales] = await Promise.all([
      read<{ result: Attention }>('attention/', signal),
      read<{ result: Sales }>('sales/', signal).catch(() => null),
    ]);
    return { attention: attention.result, sales: sales?.result ?? null };
  }

  protected override summary({ attention }: Answer): string {
    const all = Object.values<Group<unknown>>({ ...attention }).reduce(
      (sum, { count }) => sum + count,
      0,
    );
    return all === 0 ? 'All clear.' : `${count(all, 'thing')} to look at.`;
  }

  protected override content({ attention, sales }: Answer): TemplateResult {
    const { drafts, refunds, waiting, callbacks, receivers, quarantined, alarms, unassigned } =
      attention;
    const isEmpty = Object.values<Group<unknown>>({ ...attention }).every(
      ({ count }) => count === 0,
    );
    return html`${sales === null ? nothing : salesCard(sales)}
    ${
      isEmpty
        ? this.#calm()
        : html`${draftsTable(drafts)} ${refundsTable(refunds)} ${quarantinedTable(quarantined)}
          ${this.#alarmsTable(alarms)} ${callbacksTable(callbacks)} ${receiversTable(receivers)}
          ${waitingTable(waiting)} ${this.#unassignedTable(unassigned)}`
    }`;
  }

  #alarmsTable(alarms: Attention['alarms']): TemplateResult | typeof nothing {
    return group('Alarms', alarms, [
      { head: 'Problem', cell: problem },
      { head: 'About', cell: about },
      { head: 'Raised', cell: ({ raised_at }) => time(raised_at) },
      {
        head: 'Action',
        cell: (alarm) =>
          html`<button
            type="button"
            class="quiet"
            ?disabled=${this.changing}
            @click=${() => this.#dismiss(alarm)}
          >
            Dismiss …<span class="hidden"> ${alarm.reason}</span>
          </button>`,
      },
    ]);
  }

  #unassignedTable(unassigned: Attention['unassigned']): TemplateResult | typeof nothing {
    return group('Money without an owner', unassigned, [
      { head: 'Transaction ID', cell: ({ txid }) => code(txid) },
      { head: 'Amount', number: true, cell: ({ amount, currency }) => money(amount, currency) },
      { head: 'Why', cell: ({ reason }) => words(reason) },
      { head: 'Address', cell: ({ address }) => code(address) },
      { head: 'Seen', cell: ({ seen_at }) => time(seen_at) },
      {
        head: 'Action',
        cell: (money) =>
          html`<span class="choices">
            ${this.#settleButton(money, 'assign', 'Put to wallet …')}
            ${this.#settleButton(money, 'dismiss', 'Dismiss …')}
          </span>`,
      },
    ]);
  }

  async #dismiss({ id, reason }: Alarm): Promise<void> {
    const text = html`<p>${untrusted(reason)}</p>
      <p>It goes from this list. What goes on being wrong raises it again.</p>`;
    if (!(await confirmed({ title: 'Dismiss this alarm?', text, action: 'Dismiss' }))) return;
    await this.change(async () => {
      await write(`alarms/${id}/dismiss/`);
      say('The alarm was dismissed.');
      return undefined;
    });
  }

  #settleButton(unassigned: Unassigned, how: Settling, text: string): TemplateResult {
    const { amount, currency } = unassigned;
    return html`<button
      type="button"
      class="quiet"
      ?disabled=${this.changing}
      @click=${() => this.#settle(unassigned, how)}
    >
      ${text}<span class="hidden"> ${amount} ${currency}</span>
    </button>`;
  }

  async #settle({ id, amount, currency }: Unassigned, how: Settling): Promise<void> {
    const { title, what, action, done } = SETTLING[how];
    const text = html`<p>${money(amount, currency)} ${what}</p>
      <label
        ><span>Why</span><input name="reason" required maxlength="500" autocomplete="off"
      /></label>`;
    const answer = await confirmed({ title, text, action });
    if (answer === null) return;
    await this.change(async () => {
      await write(`unassigned/${id}/${how}/`, answer);
      say(done);
      return undefined;
    });
  }

  #calm(): TemplateResult {
    return html`<div class="empty">
      <p><strong>All clear.</strong></p>
      <p>
        Drafts to approve, failed callbacks, receivers that keep failing, alarms and quarantined
        transactions appear here.
      </p>
      ${this.session.can_test ? html`<p>New here? <a href=${pathTo('test')}>Send a test transaction</a>.</p>` : nothing}
    </div>`;
  }
}

type Settling = 'assign' | 'dismiss';

const SETTLING = {
  assign: {
    title: 'Put this money to your wallet?',
    what: 'can be paid out then. Look first whether they are final on their chain. It can’t be taken back.',
    action: 'Put to wallet',
    done: 'The money is in your wallet.',
  },
  dismiss: {
    title: 'Dismiss this money?',
    what: 'leave this list and credit no wallet: for money that was sent back by hand. This can’t be undone.',
    action: 'Dismiss',
    done: 'The money was dismissed.',
  },
} as const;

/** The alarm's sentence, and the address for the coins that end it. */
function problem({ reason, funding, network }: Alarm): TemplateResult {
  if (funding === null) return html`<span class="untrusted">${withPayoutLinks(reason)}</span>`;
  const { amount, currency, address } = funding;
  const coins = amount === null ? currency : html`about ${money(amount, currency)}`;
  return html`${untrusted(withoutAdvice(reason))}
    <div class="copied">
      <span>Send ${coins} on ${network} to</span>
      ${code(address)} ${copyButton(address, `${currency} address on ${network}`)}
      <span>Then put it to your wallet, when it is listed below.</span>
    </div>`;
}

/** A sentence whose payouts are links; their ids stay whole, as commands need them. */
const withPayoutLinks = (reason: string): unknown[] =>
  reason
    .split(/(?<=payouts? (?:give-up )?)([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})/)
    .map((part, at) => (at % 2 === 0 ? part : link('payouts', part, part)));

/** Coin and network of an alarm, with a link to its resource where it has a page. */
function about({ resource, resource_id: id, network, about: subject }: Alarm): unknown {
  if (resource === null) return network ?? 'this service';
  const sum = subject ? [subject.amount ?? '', subject.currency].filter(Boolean).join(' ') : '';
  const text = [resource, sum].filter(Boolean).join(' of ');
  const view: ViewName | undefined = VIEWS.find((name) => name === `${resource}s`);
  const name = resource.startsWith('automatic ')
    ? html`<a href=${pathTo('rules')}>${text}</a>`
    : view && id
      ? link(view, id, text)
      : text;
  return html`${name}${network === null ? nothing : ` on ${network}`}
  ${subject?.reference ? html`<div class="muted">${untrusted(subject.reference)}</div>` : nothing}`;
}

/** Sums of the orders that were paid today. */
function salesCard({ from, currencies }: Sales): TemplateResult {
  const day = from.slice(0, 10);
  return html`<section class="card sales">
    <h2>Sales today <span class="muted">since midnight UTC</span></h2>
    ${
      currencies.length === 0
        ? html`<p>No paid orders yet.</p>`
        : html`<ul>
            ${currencies.map(
              ({ currency, orders, amount, refunded }) =>
                html`<li>
                  <span class="total">${money(amount, currency)}</span>
                  <span class="muted"
                    >${count(orders, 'order')}${Number(refunded) === 0 ? nothing : html`, ${money(refunded, currency)} refunded`}</span
                  >
                </li>`,
            )}
          </ul>`
    }
    <p><a href=${pathTo('transactions', null, { date_from: day })}>Today’s transactions</a></p>
  </section>`;
}

function group<T>(
  title: string,
  { count: all, items }: Group<T>,
  columns: readonly Column<T>[],
): TemplateResult | typeof nothing {
  if (all === 0) return nothing;
  const more =
    all > items.length
      ? html`<p>${items.length} of ${all} are shown; the others follow when these are done.</p>`
      : nothing;
  return html`<section class="card">
    <h2>${title} <span class="count">${all}</span></h2>
    ${table(title, columns, items)} ${more}
  </section>`;
}

function refundsTable(refunds: Attention['refunds']): TemplateResult | typeof nothing {
  return group('Refunds to approve', refunds, [
    { head: 'Refund', cell: ({ id }) => link('refunds', id) },
    { head: 'Amount', number: true, cell: ({ amount, currency }) => money(amount, currency) },
    { head: 'Cause', cell: ({ cause }) => words(cause) },
    { head: 'To', cell: ({ address }) => code(address) },
    { head: 'Proven', cell: ({ is_proven }) => (is_proven ? 'yes' : 'no') },
    { head: 'Created', cell: ({ created_at }) => time(created_at) },
  ]);
}

const draftsTable = (drafts: Attention['drafts']): TemplateResult | typeof nothing =>
  group('Payouts to approve', drafts, [
    { head: 'Payout', cell: ({ id }) => link('payouts', id) },
    {
      head: 'Amount',
      number: true,
      cell: ({ amount, currency, is_covered }) =>
        html`${money(amount, currency)}${is_covered ? nothing : html`<div class="muted">more than available</div>`}`,
    },
    {
      head: 'Requested',
      number: true,
      cell: ({ requested }) => (requested ? money(requested.amount, requested.currency) : '–'),
    },
    {
      head: 'Worth',
      number: true,
      cell: ({ worth_usd }) => (worth_usd === null ? '–' : money(worth_usd, 'USD')),
    },
    {
      head: 'To',
      cell: ({ recipient, recipients }) =>
        html`<code title=${recipient}>${shortened(recipient)}</code
          >${recipients > 1 ? ` and ${recipients - 1} more` : ''}`,
    },
    { head: 'Coin', cell: ({ kind }) => kind },
    { head: 'Asked by', cell: ({ key_name }) => untrusted(key_name) },
    { head: 'Created', cell: ({ created_at }) => time(created_at) },
  ]);

const quarantinedTable = (quarantined: Attention['quarantined']): TemplateResult | typeof nothing =>
  group('Quarantined transactions', quarantined, [
    { head: 'Transaction', cell: ({ id }) => link('transactions', id) },
    { head: 'Amount', number: true, cell: ({ amount, currency }) => money(amount, currency) },
    { head: 'Risk', cell: ({ risk_level }) => (risk_level === null ? '–' : badge(risk_level)) },
    { head: 'Seen', cell: ({ created_at }) => time(created_at) },
  ]);

const callbacksTable = (callbacks: Attention['callbacks']): TemplateResult | typeof nothing =>
  group('Failed callbacks', callbacks, [
    { head: 'Callback', cell: ({ id, event }) => link('callbacks', id, words(event)) },
    { head: 'Address', cell: ({ url }) => code(url) },
    { head: 'Created', cell: ({ created_at }) => time(created_at) },
  ]);

const receiversTable = (receivers: Attention['receivers']): TemplateResult | typeof nothing =>
  group('Receivers that keep failing', receivers, [
    { head: 'Address', cell: ({ address }) => code(address) },
    {
      head: 'Last answer',
      cell: ({ status_code, error }) =>
        untrusted(status_code === null ? error : String(status_code)),
    },
    { head: 'Asked last', cell: ({ last_at }) => time(last_at) },
    {
      head: 'Waiting',
      cell: ({ waiting, more }) =>
        html`<a href=${pathTo('callbacks', null, { state: 'pending' })}
          >${more ? 'more than ' : ''}${count(waiting, 'callback')}</a
        >`,
    },
    { head: 'Since', cell: ({ since }) => time(since) },
  ]);

const waitingTable = (waiting: Attention['waiting']): TemplateResult | typeof nothing =>
  group('Payouts that wait for money or a policy', waiting, [
    { head: 'Payout', cell: ({ id }) => link('payouts', id) },
    { head: 'Amount', number: true, cell: ({ amount, currency }) => money(amount, currency) },
    { head: 'Status', cell: ({ status }) => badge(status) },
    { head: 'Created', cell: ({ created_at }) => time(created_at) },
  ]);
