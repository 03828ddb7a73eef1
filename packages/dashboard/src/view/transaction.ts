import { type TemplateResult, html, nothing } from 'lit';
import type { ListedCallback, Transaction } from '@crypto-checkout/protocol/dashboard';
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

interface Answer {
  /** Held by the risk check or a person, and where it is. */
  result: Transaction & { held_by: { analysis: boolean; name: string | null } | null };
  callbacks: ListedCallback[];
}

export class TransactionView extends View<Answer> {
  protected override heading(): string {
    return `Transaction ${this.route.id?.slice(0, 8)}`;
  }

  protected override load(signal: AbortSignal): Promise<Answer> {
    return read(`transactions/${this.route.id}/`, signal);
  }

  async #release({ id, amount }: Transaction): Promise<void> {
    const text = html`<p>
      ${money(amount.paid.amount, amount.paid.currency)} then count as paid and can be spent,
      whatever the analysis said.
    </p>`;
    if (!(await confirmed({ title: 'Release this transaction?', text, action: 'Release' }))) return;
    await this.change(async () => {
      await write(`transactions/${id}/release/`);
      say('The transaction was released.');
      return undefined;
    });
  }

  protected override content({ result, callbacks }: Answer): TemplateResult {
    const { amount, invoice } = result;
    const quotes = Object.entries(amount.paid.quotes);
    return html`
      ${
        result.status === 'quarantined'
          ? html`<section class="card notice">
              <h2>Held back</h2>
              <p>${heldBy(result)} This money counts for nothing until you release it.</p>
              <div class="actions">
                <button type="button" class="primary" @click=${() => this.#release(result)}>
                  Release …
                </button>
              </div>
            </section>`
          : nothing
      }
      <section class="card">
        <h2 class="hidden">Details</h2>
        ${facts([
          ['Status', badge(result.status)],
          ['Amount', money(amount.paid.amount, amount.paid.currency)],
          quotes.length > 0
            ? [
                'Worth',
                quotes.map(([currency, value]) => html`<div>${money(value, currency)}</div>`),
              ]
            : null,
          ['Coin', result.kind],
          ['Confirmations', result.confirmations],
          ['Seen', time(result.created_at, true)],
          ['Confirmed', time(result.confirmed_at, true)],
          ['Order', orderLink(result.order_id, invoice.id)],
          ['Invoice', link('invoices', invoice.id)],
          ['Address', code(invoice.address)],
          ['Transaction ID', code(result.txid)],
          result.zero_conf_status === null
            ? null
            : ['Without confirmation', words(result.zero_conf_status)],
          ['Risk', result.risk_level === null ? 'not analysed' : badge(result.risk_level)],
          ...Object.entries(result.risk_data ?? {}).map(
            ([name, found]) => [`Risk: ${words(name)}`, untrusted(plain(found))] as const,
          ),
          ['Notes of the invoice', untrusted(invoice.notes)],
          ['Id', code(result.id)],
        ])}
      </section>
      <section class="card">
        <h2>Callbacks</h2>
        ${callbackTable(callbacks)}
      </section>
    `;
  }
}

function heldBy({ held_by: by, risk_level: level }: Answer['result']): TemplateResult {
  if (!by) return html`It is held back.`;
  if (by.analysis)
    return html`The risk analysis held
    it${level === null ? '' : html`, because it found the risk ${words(level)}`}.`;
  return html`${untrusted(by.name)} held it by hand.`;
}

/** The analysis result, which may have any shape. */
const plain = (found: unknown): string =>
  typeof found === 'string' ? found : JSON.stringify(found);
