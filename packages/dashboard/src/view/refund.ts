import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { type TemplateResult, html, nothing } from 'lit';
import type { ListedCallback, Refund } from '@crypto-checkout/protocol/dashboard';
import { callbackTable } from '../part/callback-table.ts';
import { confirmed } from '../part/confirmed.ts';
import {
  badge,
  code,
  facts,
  link,
  money,
  orderLink,
  untrusted,
  time,
  words,
} from '../part/text.ts';
import { View } from '../part/view.ts';
import { say } from '../navigate.ts';
import { read, write } from '../server.ts';
import { arrives } from './refunds.ts';

interface Answer {
  result: Refund;
  callbacks: ListedCallback[];
}

export class RefundView extends View<Answer> {
  protected override heading(): string {
    return `Refund ${this.route.id?.slice(0, 8)}`;
  }

  protected override load(signal: AbortSignal): Promise<Answer> {
    return read(`refunds/${this.route.id}/`, signal);
  }

  async #decide(refund: Refund, how: keyof typeof DECISIONS): Promise<void> {
    const { approve, title, what, action, done, after } = DECISIONS[how];
    const { amount, address, destination_tag: tag } = refund;
    const text = html`<p>
        ${money(amount.amount, amount.currency)} ${what}
        ${code(address)}${tag === null ? nothing : html`, tag ${code(tag)}`}.
      </p>
      ${approve ? html`<p>${costs(refund)}</p>` : nothing}
      <p>${after}</p>`;
    if (!(await confirmed({ title, text, action, danger: !approve }))) return;
    await this.change(async () => {
      await write(`refunds/${refund.id}/decide/`, { approve });
      say(done);
      return undefined;
    });
  }

  #decision(refund: Refund): TemplateResult | typeof nothing {
    if (refund.status !== 'requested' && refund.status !== 'draft') return nothing;
    return html`<section class="card notice">
      <h2>Waits for your decision</h2>
      <p>
        ${
          refund.is_proven
            ? 'The buyer of the order asked for it.'
            : 'It is not proven that the buyer of the order asked: anyone with the link can. Ask the buyer first.'
        }
        Check whether the order was paid in another coin.
      </p>
      <div class="actions">
        <button type="button" class="primary" @click=${() => this.#decide(refund, 'approve')}>
          Approve …
        </button>
        <button type="button" class="danger" @click=${() => this.#decide(refund, 'reject')}>
          Reject …
        </button>
      </div>
    </section>`;
  }

  protected override content({ result: refund, callbacks }: Answer): TemplateResult {
    const { payout_id } = refund;
    return html`
      ${this.#decision(refund)}
      <section class="card">
        <h2 class="hidden">Details</h2>
        ${facts([
          ['Status', badge(refund.status)],
          refund.error === null ? null : ['Error', untrusted(refund.error)],
          ['Cause', words(refund.cause)],
          ['Amount', money(refund.amount.amount, refund.amount.currency)],
          ['Network fee', feeOf(refund) ?? 'paid by you'],
          ['Arrives', arrives(refund)],
          ['Address', code(refund.address)],
          refund.destination_tag === null ? null : ['Tag', code(refund.destination_tag)],
          ['Proven', refund.is_proven ? 'yes' : 'no'],
          ['Reason', untrusted(refund.reason)],
          ['Reference', untrusted(refund.reference_id)],
          ['Order', orderLink(refund.order_id, refund.invoice_id)],
          ['Invoice', link('invoices', refund.invoice_id)],
          ['Transaction', link('transactions', refund.transaction_id)],
          payout_id === null ? null : ['Payout', link('payouts', payout_id)],
          refund.txid === null ? null : ['Transaction ID', code(refund.txid)],
          ['Created', time(refund.created_at, true)],
          ['Id', code(refund.id)],
        ])}
      </section>
      <section class="card">
        <h2>Callbacks</h2>
        ${callbackTable(callbacks)}
      </section>
    `;
  }
}

/** The network fee as the buyer pays it; null when the shop does. */
function feeOf({ amount, received, network_fee_pays }: Refund): TemplateResult | null {
  if (network_fee_pays === 'merchant') return null;
  const fee = parseAmount(amount.amount) - parseAmount(received.amount);
  return money(formatAmount(fee), amount.currency);
}

function costs(refund: Refund): TemplateResult {
  const fee = feeOf(refund);
  return fee === null
    ? html`${arrives(refund)} will arrive; you pay the network fee.`
    : html`${arrives(refund)} will arrive, after a network fee of ${fee}.`;
}

const DECISIONS = {
  approve: {
    approve: true,
    title: 'Approve this refund?',
    what: 'go back to',
    action: 'Approve',
    done: 'The refund was approved.',
    after: 'It can’t be taken back.',
  },
  reject: {
    approve: false,
    title: 'Reject this refund?',
    what: 'will not go back to',
    action: 'Reject',
    done: 'The refund was rejected.',
    after: 'The payment counts again. The buyer sees that the refund was rejected.',
  },
} as const;
