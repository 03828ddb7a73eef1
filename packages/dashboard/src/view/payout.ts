import { type TemplateResult, html, nothing } from 'lit';
import type { ListedCallback, Payout } from '@crypto-checkout/protocol/dashboard';
import { callbackTable } from '../part/callback-table.ts';
import { confirmed } from '../part/confirmed.ts';
import { badge, code, facts, money, untrusted, time } from '../part/text.ts';
import { table } from '../part/table.ts';
import { View } from '../part/view.ts';
import { say } from '../navigate.ts';
import { read, write } from '../server.ts';
import { coinOf } from './payouts.ts';

interface Answer {
  result: Payout;
  callbacks: ListedCallback[];
}

export class PayoutView extends View<Answer> {
  protected override heading(): string {
    return `Payout ${this.route.id?.slice(0, 8)}`;
  }

  protected override load(signal: AbortSignal): Promise<Answer> {
    return read(`payouts/${this.route.id}/`, signal);
  }

  async #decide(payout: Payout, how: keyof typeof DECISIONS): Promise<void> {
    const { recipients, amount } = payout;
    const { approve, title, what, action, done, after } = DECISIONS[how];
    const sentence = html`<p>${money(amount.total, coinOf(payout))} ${what}</p>
      <ul tabindex="0" aria-label="Recipients">
        ${recipients.map(({ address, amount: { received } }) => html`<li>${code(address)}: ${money(received.amount, received.currency)}</li>`)}
      </ul>
      <p>
        ${approve ? html`The network takes about ${money(amount.network_fee, amount.network_fee_currency)}. It can’t be taken back.` : after}
      </p>`;
    if (!(await confirmed({ title, text: sentence, action, danger: !approve }))) return;
    await this.change(async () => {
      await write(`payouts/${payout.id}/decide/`, { approve });
      say(done);
      return undefined;
    });
  }

  async #replace(payout: Payout, intent: keyof typeof REPLACEMENTS): Promise<void> {
    const { title, text, action, done } = REPLACEMENTS[intent];
    const danger = intent === 'cancel';
    if (!(await confirmed({ title, text, action, danger, dismiss: 'Go back' }))) return;
    await this.change(async () => {
      await write(`payouts/${payout.id}/${intent}/`, {});
      say(done);
      return undefined;
    });
  }

  #replacement(payout: Payout): TemplateResult {
    if (payout.is_cancelling === true)
      return html`<section class="card notice">
        <h2>Is being cancelled</h2>
        <p>
          A transaction that pays nobody takes its place. The payout fails once that one is final;
          if the first one is mined before it, the payout is paid.
        </p>
        <div class="actions">
          <button type="button" class="primary" @click=${() => this.#replace(payout, 'bump')}>
            Raise the fee …
          </button>
        </div>
      </section>`;
    return html`<section class="card notice">
      <h2>Waits for its block</h2>
      <p>
        It was sent. If it waits because its network fee is too low, send it again for a higher fee,
        or cancel it.
      </p>
      <div class="actions">
        <button type="button" class="primary" @click=${() => this.#replace(payout, 'bump')}>
          Raise the fee …
        </button>
        <button type="button" class="danger" @click=${() => this.#replace(payout, 'cancel')}>
          Cancel this payout …
        </button>
      </div>
    </section>`;
  }

  /** The actions that are possible now. */
  #decision(payout: Payout): TemplateResult | typeof nothing {
    if (payout.status === 'draft')
      return html`<section class="card notice">
        <h2>Waits for your decision</h2>
        <p>
          It is above the limit of the key that asked for it. Look at the recipients below first.
        </p>
        <div class="actions">
          <button type="button" class="primary" @click=${() => this.#decide(payout, 'approve')}>
            Approve …
          </button>
          <button type="button" class="danger" @click=${() => this.#decide(payout, 'reject')}>
            Reject …
          </button>
        </div>
      </section>`;
    if (payout.is_replaceable === true) return this.#replacement(payout);
    const why = WAITS[payout.status];
    if (why === undefined || payout.is_waiting !== true) return nothing;
    return html`<section class="card notice">
      <h2>Not sent yet</h2>
      <p>${why} Then it is sent by itself, unless it is stopped.</p>
      <div class="actions">
        ${
          payout.status === 'awaiting_policies'
            ? html`<button
                type="button"
                class="primary"
                @click=${() => this.#decide(payout, 'approve')}
              >
                Approve …
              </button>`
            : nothing
        }
        <button type="button" class="danger" @click=${() => this.#decide(payout, 'stop')}>
          Stop this payout …
        </button>
      </div>
    </section>`;
  }

  protected override content({ result: payout, callbacks }: Answer): TemplateResult {
    const { amount, approved_by } = payout;
    return html`
      ${this.#decision(payout)}
      <section class="card">
        <h2 class="hidden">Details</h2>
        ${facts([
          ['Status', badge(payout.status)],
          payout.error === null ? null : ['Error', untrusted(payout.error)],
          ['Amount', money(amount.total, coinOf(payout))],
          ['Network fee', money(amount.network_fee, amount.network_fee_currency)],
          ['Fee paid by', payout.network_fee_pays],
          ['Coin', payout.kind],
          ['Created', time(payout.created_at, true)],
          payout.scheduled_at ? ['To be sent', time(payout.scheduled_at, true)] : null,
          payout.approved_at === null
            ? null
            : ['Approved', html`${time(payout.approved_at, true)}${by(approved_by)}`],
          ['Sent', time(payout.executed_at, true)],
          ['Confirmations', payout.confirmations],
          ['Transaction ID', code(payout.txid)],
          ['Reference', untrusted(payout.reference_id)],
          ['Passthrough', untrusted(payout.passthrough)],
          ['Id', code(payout.id)],
        ])}
      </section>
      <section class="card">
        <h2>Recipients</h2>
        ${table(
          'Recipients of this payout',
          [
            { head: 'Address', cell: ({ address }) => code(address) },
            {
              head: 'Requested',
              number: true,
              cell: ({ amount }) => money(amount.requested.amount, amount.requested.currency),
            },
            {
              head: 'Receives',
              number: true,
              cell: ({ amount }) => money(amount.received.amount, amount.received.currency),
            },
            { head: 'Tag', cell: ({ destination_tag }) => destination_tag ?? '–' },
            { head: 'Notes', cell: ({ notes }) => untrusted(notes) },
          ],
          payout.recipients,
        )}
      </section>
      <section class="card">
        <h2>Callbacks</h2>
        ${callbackTable(callbacks)}
      </section>
    `;
  }
}

/** By status: the reason for a wait that can be ended. */
const WAITS: Readonly<Record<string, string>> = {
  scheduled: 'It waits for its time.',
  new: 'It was approved, and waits for its time.',
  awaiting_funds: 'It waits until its wallet has enough for it.',
  awaiting_policies: 'It waits because nothing was ever paid to its recipient.',
};

const DECISIONS = {
  approve: {
    approve: true,
    title: 'Approve this payout?',
    what: 'are sent to',
    action: 'Approve',
    done: 'The payout was approved.',
    after: '',
  },
  reject: {
    approve: false,
    title: 'Reject this payout?',
    what: 'will never be sent to',
    action: 'Reject',
    done: 'The payout was rejected.',
    after: 'The shop gets a callback. It can’t be taken back.',
  },
  stop: {
    approve: false,
    title: 'Stop this payout?',
    what: 'will never be sent to',
    action: 'Stop this payout',
    done: 'The payout was stopped: it is rejected.',
    after:
      'What is held for it is available again, and the shop gets a callback. It can’t be taken back.',
  },
} as const;

const REPLACEMENTS = {
  bump: {
    title: 'Raise the network fee?',
    text: 'The transaction is sent again for a higher fee. One of the two is mined.',
    action: 'Raise the fee',
    done: 'The transaction is sent again for a higher fee.',
  },
  cancel: {
    title: 'Cancel this payout?',
    text: 'A transaction that pays nobody takes its place. If the first one is mined before it, the payout is paid all the same. The network fee is spent.',
    action: 'Cancel this payout',
    done: 'The payout is being cancelled. It fails once the cancelling transaction is final.',
  },
} as const;

const by = (approver: Payout['approved_by']): TemplateResult | string =>
  approver ? html` by ${untrusted(approver.username)}` : '';
