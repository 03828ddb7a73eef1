import type { Checkout, CheckoutRefundable } from '@crypto-checkout/protocol/checkout';
import {
  type CSSResult,
  type PropertyDeclarations,
  type TemplateResult,
  css,
  html,
  nothing,
} from 'lit';
import { statusModule } from '../../core/lazy-registry.ts';
import type { Drawn } from '../../core/panel.ts';
import { msg, str } from '../../i18n/locale.ts';
import { formatCoins } from '../../i18n/number.ts';
import {
  type RefundEntry,
  type RefundProblem,
  requestRefund,
} from '../../server/refund-request.ts';
import { sheet } from '../../styles/sheet.ts';
import { CheckoutElement, define } from '../base/checkout-element.ts';
import { drawNote } from '../checkout/note.ts';
import { askText, nextRefund, refundName, refundText } from './refunds.ts';

/** The state of the form: on a page without a script it comes from the server. */
export interface RefundForm extends RefundEntry {
  problem: RefundProblem | null;
  /** The amount of the refund that was checked. */
  amount: string | null;
  /** The amount that arrives at this address; null before the address is checked. */
  received: string | null;
}

const UNCHECKED = { amount: null, problem: null, received: null } as const;
const EMPTY: RefundForm = { transaction: '', address: '', tag: '', ...UNCHECKED };

const formSheet: CSSResult = css`
  form {
    display: grid;
    gap: 1em;
  }
  label {
    display: grid;
    gap: 0.35em;
  }
  input {
    inline-size: 100%;
    min-block-size: 44px;
    padding: 0.5em 0.8em;
    font: inherit;
    color: inherit;
    background: none;
    border: 1px solid var(--_muted);
    border-radius: var(--_radius);
    unicode-bidi: plaintext;
  }
  [aria-invalid='true'] {
    border-color: var(--_warn);
  }
  dl > div {
    display: flex;
    flex-wrap: wrap;
    gap: 0 1em;
    padding-block: 0.5em;
    border-block-end: var(--_line);
  }
  dt {
    color: var(--_muted);
    flex: 0 0 9em;
  }
  dd {
    flex: 1 1 14em;
    min-inline-size: 0;
    overflow-wrap: anywhere;
  }
  .bad {
    --_tone: var(--crypto-checkout-danger, light-dark(#ad1f1f, #ffb0a8));
  }
  [aria-disabled='true'] {
    opacity: 0.6;
  }
`;

/**
 * The form in which the buyer asks for money back: first it checks the address and shows what will
 * arrive, then it asks once. Loaded lazily; without a script it is a form of two steps.
 *
 * @tag crypto-refund
 * @summary Asks for a refund of one payment.
 * @status internal
 * @since 0.1.0
 *
 * @csspart facts - The amounts of the refund.
 * @csspart fact - One amount.
 * @csspart refund-address - The field for the buyer's address.
 * @csspart refund-tag - The field for a destination tag.
 * @csspart note - A mistake, or the advice to check the address.
 * @csspart submit - Checks the address, then asks for the refund.
 */
export class CryptoRefund extends CheckoutElement {
  static override styles: CSSResult[] = [sheet, formSheet];
  static override properties: PropertyDeclarations = {
    checkout: { attribute: false },
    action: { attribute: false },
    form: { attribute: false },
    done: { attribute: false },
  };

  declare checkout: Checkout | undefined;

  /** Address of the form. */
  declare action: string | undefined;

  declare form: RefundForm | undefined;

  /** Called after the request. */
  declare done: (() => void) | undefined;

  #busy = false;

  protected override render(): Drawn {
    const money = this.checkout && nextRefund(this.checkout, this.form?.transaction);
    return money ? this.#draw(money, this.form ?? EMPTY) : nothing;
  }

  #draw(money: CheckoutRefundable, form: RefundForm): TemplateResult {
    const { language } = this;
    const { problem, address, tag } = form;
    const received = isFor(form, money) ? form.received : null;
    const isChecked = received !== null;
    return html`<form method="post" action=${this.action ?? ''} @input=${this.#edit}>
      ${drawAmounts(money, form, language)}
      <input type="hidden" name="transaction" .value=${money.transaction} />
      <label
        ><b>${addressLabel(money, language)}</b
        ><input
          part="refund-address"
          name="address"
          .value=${address}
          required
          maxlength="4096"
          autocomplete="off"
          autocapitalize="off"
          spellcheck="false"
          aria-describedby="own problem"
          aria-invalid=${problem === 'address'}
        /><small id="own">${ownText()}</small></label
      >
      ${money.tagged ? drawTag(tag, problem) : nothing}
      ${isChecked ? html`<input type="hidden" name="checked" .value=${checkedText(form)} />` : nothing}
      <div id="problem" role="alert">
        ${drawNote(problem && problemText(problem, money), 'bad')}${drawNote(isChecked ? checkText() : null)}
      </div>
      <button class="primary" part="submit" aria-disabled=${this.#busy}>
        ${isChecked ? askText() : msg('Continue', { id: 'continue' })}
      </button>
    </form>`;
  }

  /** Another address is not checked yet. */
  readonly #edit = (event: Event): void => {
    const { name, value } = event.target as HTMLInputElement;
    const form = { ...(this.form ?? EMPTY), ...UNCHECKED };
    this.form = name === 'tag' ? { ...form, tag: value } : { ...form, address: value };
  };

  protected override onSubmit(event: SubmitEvent): void {
    event.preventDefault();
    void this.#send(new FormData(event.target as HTMLFormElement));
  }

  async #send(fields: FormData): Promise<void> {
    const { checkout, action } = this;
    if (this.#busy || !checkout || !action) return;
    const text = (name: string): string => ((fields.get(name) ?? '') as string).trim();
    const entry = { transaction: text('transaction'), address: text('address'), tag: text('tag') };
    const isEstimate = !fields.has('checked');
    const { amount = null } = nextRefund(checkout, entry.transaction) ?? {};
    const before = this.form;
    this.#busy = true;
    this.requestUpdate();
    const answer = await requestRefund(action, checkout.id, entry, { isEstimate, amount });
    this.#busy = false;
    // The buyer has typed on: the check was of another address.
    if (isEstimate && this.form !== before) return this.requestUpdate();
    const isRefused = answer.type === 'refused';
    this.form = {
      ...entry,
      amount,
      received: answer.type === 'estimate' ? answer.received : null,
      problem: isRefused ? answer.problem : null,
    };
    if (answer.type === 'requested') {
      this.say(() => refundText('requested'));
      this.done?.();
    }
    await this.updateComplete;
    const wrong = isRefused && answer.problem === 'tag' ? 'tag' : 'address';
    if (isRefused) this.renderRoot.querySelector<HTMLElement>(`[name=${wrong}]`)?.focus();
  }
}

/** Whether the form is for this payment and amount: another one is checked again. */
const isFor = (form: RefundForm, { transaction, amount }: CheckoutRefundable): boolean =>
  form.transaction === transaction && form.amount === amount;

/** Everything that was checked: without a script, a changed entry is checked again. */
export const checkedText = ({
  transaction,
  amount,
  address,
  tag,
}: Pick<RefundForm, 'transaction' | 'amount' | 'address' | 'tag'>): string =>
  [transaction, amount, address, tag].join(' ').trim();

/** The refund, and the amount that arrives after the network fee: an estimate until the check. */
function drawAmounts(
  { amount, symbol, network, fee, received }: CheckoutRefundable,
  { received: exact }: RefundForm,
  language: string,
): TemplateResult {
  const coins = (sum: string): string => `${formatCoins(sum, language)} ${symbol}`;
  const arrives = exact ?? received;
  const about = exact === null && fee !== '0' ? '~' : '';
  const cost =
    exact === null && fee && fee !== '0'
      ? msg(str`${`~${coins(fee)}`} fee`, { id: 'coin.fee' })
      : '';
  const rows = [
    [
      refundName(),
      network ? msg(str`${coins(amount)} on ${network}`, { id: 'coin.on' }) : coins(amount),
    ],
    [
      msg('You receive', { id: 'refund.receive' }),
      arrives && [about + coins(arrives), cost].filter(Boolean).join(' · '),
    ],
  ];
  return html`<dl part="facts">
    ${rows.map(([label, value]) =>
      value
        ? html`<div part="fact">
            <dt>${label}</dt>
            <dd><bdi>${value}</bdi></dd>
          </div>`
        : nothing,
    )}
  </dl>`;
}

const drawTag = (tag: string, problem: RefundProblem | null): TemplateResult =>
  html`<label
    ><b>${msg('Destination tag', { id: 'tag' })}</b
    ><input
      part="refund-tag"
      name="tag"
      .value=${tag}
      maxlength="120"
      autocomplete="off"
      aria-describedby="if problem"
      aria-invalid=${problem === 'tag'}
    /><small id="if">${tagText()}</small></label
  >`;

const tagText = (): string =>
  msg('Only if your wallet or exchange shows one.', { id: 'refund.tag' });

const addressLabel = (
  { kind, symbol, network, amount }: CheckoutRefundable,
  language: string,
): string =>
  kind.startsWith('BTC_LIGHTNING')
    ? msg(
        str`Your lightning address, or an invoice for ${`${formatCoins(amount, language)} ${symbol}`}`,
        {
          id: 'refund.lightning',
        },
      )
    : msg(str`Your ${symbol} address on ${network}`, { id: 'refund.address' });

const ownText = (): string =>
  msg('Use your own wallet. An exchange may reject a refund to its deposit address.', {
    id: 'refund.own',
  });

const checkText = (): string =>
  msg('Check the address carefully. A refund can’t be reversed.', { id: 'refund.check' });

function problemText(problem: RefundProblem, { symbol, network }: CheckoutRefundable): string {
  if (problem === 'address')
    return msg(str`That is not a valid ${symbol} address on ${network}.`, { id: 'refund.invalid' });
  if (problem === 'tag') return `${msg('Destination tag', { id: 'tag' })}: ${tagText()}`;
  if (problem === 'fee')
    return msg('The network fee is higher than this refund.', { id: 'refund.small' });
  return statusModule()?.errorText(problem) ?? '';
}

define('crypto-refund', CryptoRefund);

declare global {
  interface HTMLElementTagNameMap {
    'crypto-refund': CryptoRefund;
  }
}
