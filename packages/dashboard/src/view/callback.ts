import { type TemplateResult, html, nothing } from 'lit';
import type { Callback, Delivery } from '@crypto-checkout/protocol/dashboard';
import { say } from '../navigate.ts';
import { indent } from '../part/indent.ts';
import { badge, code, duration, facts, link, nextTry, time, words } from '../part/text.ts';
import { View } from '../part/view.ts';
import { read, write } from '../server.ts';

const VIEW_OF = {
  invoice: 'invoices',
  transaction: 'transactions',
  payout: 'payouts',
  refund: 'refunds',
} as const;

export class CallbackView extends View<Callback> {
  protected override heading(): string {
    return this.data
      ? `Callback ${words(this.data.event)}`
      : `Callback ${this.route.id?.slice(0, 8)}`;
  }

  protected override async load(signal: AbortSignal): Promise<Callback> {
    return (await read<{ result: Callback }>(`callbacks/${this.route.id}/`, signal)).result;
  }

  #resend({ id }: Callback): Promise<void> {
    return this.change(async () => {
      const { result } = await write<{ result: { status: string; message: string } }>(
        `callbacks/${id}/resend/`,
      );
      say(result.message);
      if (result.status !== 'success') return result.message;
      return undefined;
    });
  }

  protected override content(callback: Callback): TemplateResult {
    const { resource, resource_id, deliveries, state } = callback;
    return html`
      <section class="card">
        <h2 class="hidden">Details</h2>
        ${facts([
          ['State', badge(state)],
          ['About', html`${resource} ${link(VIEW_OF[resource], resource_id)}`],
          ['Address', code(callback.url)],
          ['Created', time(callback.created_at_real, true)],
          state === 'pending' ? ['Next try', nextTry(callback.next_at_real, Date.now())] : null,
          ['Id', code(callback.id)],
        ])}
        <div class="actions">
          <button
            type="button"
            class="primary"
            ?disabled=${this.changing}
            @click=${() => this.#resend(callback)}
          >
            Send again
          </button>
          <p>The same id and the same bytes, to the profile’s address of now.</p>
        </div>
      </section>
      <section class="card">
        <h2>What is sent</h2>
        ${body('Request body', callback.body)}
      </section>
      <section class="card">
        <h2>Deliveries</h2>
        ${deliveries.length > 0 ? deliveries.toReversed().map(delivery) : html`<p>It was not sent yet.</p>`}
      </section>
    `;
  }
}

/** Complete, and focusable so that it can be scrolled by keyboard. */
export const body = (label: string, text: string): TemplateResult =>
  html`<pre tabindex="0" role="region" aria-label=${label}>${indent(text)}</pre>`;

const headers = (entries: Record<string, string> | null): TemplateResult =>
  entries === null || Object.keys(entries).length === 0
    ? html`<p>None were recorded.</p>`
    : html`<pre tabindex="0" role="region" aria-label="Headers">
${Object.entries(entries).map(([name, value]) => `${name}: ${value}\n`)}</pre>`;

const delivery = (sent: Delivery): TemplateResult =>
  html`<article class="delivery">
    <h3>
      ${time(sent.at_real, true)}
      <span class="badge" data-tone=${tone(sent.status_code)}
        >${sent.status_code ?? 'no answer'}</span
      >
    </h3>
    ${facts([
      ['How', sent.resend ? 'by hand' : `try ${sent.attempt} by schedule`],
      ['Took', duration(sent.duration_ms)],
      sent.url === null ? null : ['To', code(sent.url)],
      sent.error === null ? null : ['Error', sent.error],
    ])}
    ${
      sent.answer
        ? html`<h4>Answer</h4>
            ${body('Answer', sent.answer)}`
        : sent.status_code === null
          ? nothing
          : html`<p>The answer had no body.</p>`
    }
    <details>
      <summary>Headers<span class="hidden"> of the delivery at ${sent.at_real}</span></summary>
      <h4>Sent</h4>
      ${headers(sent.request_headers)}
      <h4>Answered</h4>
      ${headers(sent.answer_headers)}
    </details>
  </article>`;

const tone = (status: number | null): string =>
  status !== null && status >= 200 && status < 300 ? 'good' : 'bad';
