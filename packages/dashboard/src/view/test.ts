import { type PropertyDeclarations, type TemplateResult, html, nothing } from 'lit';
import type {
  Callback,
  Invoice,
  ListedCallback,
  Profile,
} from '@crypto-checkout/protocol/dashboard';
import { say } from '../navigate.ts';
import { valuesOf } from '../part/form.ts';
import { badge, code, count, facts, link, money, words } from '../part/text.ts';
import { View } from '../part/view.ts';
import { read, write } from '../server.ts';
import { body } from './callback.ts';

/** A test invoice with all its callbacks in full. */
interface Sent {
  invoice: Invoice;
  callbacks: Callback[];
  /** Whether another poll is due. */
  open: boolean;
}

const LOOK_MS = 1_000;
/** Limit of the wait for a receiver that does not answer. */
const LOOKS = 20;

/** A test transaction on a profile with a callback URL shows the full callbacks. */
export class TestView extends View<Profile[]> {
  static override properties: PropertyDeclarations = {
    profileId: { state: true },
    sent: { state: true },
  };

  declare private profileId: string;
  declare private sent: Sent | undefined;

  protected override heading(): string {
    return 'Send a test transaction';
  }

  protected override readonly refreshable = false;

  protected override async load(signal: AbortSignal): Promise<Profile[]> {
    return (await read<{ result: Profile[] }>('profiles/', signal)).result;
  }

  #submit(event: SubmitEvent): void {
    event.preventDefault();
    const { complete, ...order } = valuesOf(event);
    void this.change(async () => {
      const asked = { ...order, complete: complete !== undefined };
      const { result } = await write<{ result: { invoice_id: string } }>(
        'test-transactions/',
        asked,
      );
      say('The test transaction was sent.');
      await this.#follow(result.invoice_id);
      return undefined;
    });
  }

  /** Polls until every callback was attempted. */
  async #follow(invoiceId: string): Promise<void> {
    for (let look = 1; look <= LOOKS && this.isConnected; look += 1) {
      const { result: invoice, callbacks } = await read<{
        result: Invoice;
        callbacks: ListedCallback[];
      }>(`invoices/${invoiceId}/`);
      const open =
        look < LOOKS &&
        callbacks.some(
          ({ state, attempts, last_at_real }) =>
            state === 'pending' && (attempts === 0 || last_at_real === null),
        );
      const full = await Promise.all(
        callbacks.map(({ id }) => read<{ result: Callback }>(`callbacks/${id}/`)),
      );
      this.sent = { invoice, callbacks: full.map(({ result }) => result), open };
      if (!open) break;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    if (this.sent) say(`${count(this.sent.callbacks.length, 'callback')} about it.`);
  }

  protected override content(profiles: Profile[]): TemplateResult {
    if (!this.session.can_test)
      return html`<div class="empty">
        <p>
          This account is on a main network, where every payment is real money. Test on a test
          network.
        </p>
      </div>`;
    const profile = profiles.find(({ id }) => id === this.profileId) ?? profiles[0];
    if (!profile)
      return html`<div class="empty">
        <p>This account has no profile. Make one through the API first.</p>
      </div>`;
    return html`${this.#form(profiles, profile)} ${this.sent ? this.#result(this.sent) : nothing}`;
  }

  #form(profiles: readonly Profile[], profile: Profile): TemplateResult {
    const choose = (event: Event): void =>
      void (this.profileId = (event.target as HTMLSelectElement).value);
    // An LNURL itself is not paid.
    const kinds = profile.currencies
      .map(({ kind }) => kind)
      .filter((kind) => !kind.includes('LNURL'));
    return html`<form class="card" @submit=${this.#submit}>
      <p>
        An invoice is made on the profile and, on a simulated chain, paid at once. The profile’s
        callback address hears of it as of any other payment.
      </p>
      <div class="fields">
        <label>
          <span>Profile</span>
          <select name="profile_id" @change=${choose}>
            ${profiles.map(({ id, name }) => html`<option value=${id} ?selected=${id === profile.id}>${name}</option>`)}
          </select>
        </label>
        <label>
          <span>Kind</span>
          <select name="kind">
            ${kinds.map((kind) => html`<option>${kind}</option>`)}
          </select>
        </label>
        <label
          ><span>Amount in USD</span
          ><input name="amount" inputmode="decimal" value="10" autocomplete="off" required
        /></label>
        <label class="check"
          ><input type="checkbox" name="complete" checked /><span
            >Mine blocks until it is final</span
          ></label
        >
      </div>
      <p>
        ${
          profile.callback_url === null
            ? 'This profile has no callback address: the payment is made, but no callback is sent.'
            : html`Callbacks go to ${code(profile.callback_url)}`
        }
      </p>
      <div class="actions">
        <button type="submit" class="primary" ?disabled=${this.changing}>
          ${this.changing ? 'Sending …' : 'Send'}
        </button>
      </div>
    </form>`;
  }

  #result({ invoice, callbacks, open }: Sent): TemplateResult {
    const { status, amount, transactions, address } = invoice;
    return html`
      <section class="card">
        <h2>What became of it</h2>
        ${facts([
          ['Invoice', html`${link('invoices', invoice.id)} ${badge(status)}`],
          [
            'Paid',
            amount.paid === null ? 'nothing yet' : money(amount.paid.amount, amount.paid.currency),
          ],
          ...transactions.map(
            ({ id, status }) =>
              ['Transaction', html`${link('transactions', id)} ${badge(status)}`] as const,
          ),
          transactions.length === 0
            ? ['Pay to', html`${code(address)} from a test wallet: this chain is not simulated.`]
            : null,
        ])}
      </section>
      <section class="card">
        <h2>Callbacks ${open ? html`<span class="muted">being sent …</span>` : nothing}</h2>
        ${callbacks.length === 0 ? html`<p>None: the profile has no callback address.</p>` : callbacks.map(callback)}
      </section>
    `;
  }
}

const callback = ({
  id,
  event,
  state,
  body: text,
  last_status_code,
  last_error,
}: Callback): TemplateResult =>
  html`<article class="delivery">
    <h3>${link('callbacks', id, words(event))} ${badge(state)}</h3>
    <p>
      ${last_status_code === null ? (last_error ?? 'It was not sent yet.') : `The receiver answered ${last_status_code}.`}
    </p>
    ${body(`Request body of ${words(event)}`, text)}
  </article>`;
