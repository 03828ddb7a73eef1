import type { Checkout, CheckoutRefundable } from '@crypto-checkout/protocol/checkout';
import { type CSSResult, type PropertyDeclarations, type TemplateResult, html, nothing } from 'lit';
import { statusModule } from '../../core/lazy-registry.ts';
import type { Drawn } from '../../core/panel.ts';
import { msg, str } from '../../i18n/locale.ts';
import {
  type RefundEntry,
  type RefundProblem,
  requestRefund,
} from '../../server/refund-request.ts';
import { coinSum } from '../../status/received.ts';
import { sheet } from '../../styles/sheet.ts';
import { CheckoutElement, define } from '../base/checkout-element.ts';
import { drawNote } from '../checkout/note.ts';
import { formSheet } from './form-sheet.ts';
import { drawPaymentChoice } from './payment-choice.ts';
import {
  askText,
  feeOf,
  feeText,
  nextRefund,
  receiveText,
  refundName,
  refundText,
} from './refunds.ts';

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

/** Characters of an address that fit into a row on a narrow phone. */
const ROW = 24;
const MOST_ROWS = 12;

/**
 * The form in which the buyer asks for money back: first it checks the address and shows what will
 * arrive, then it asks once. Loaded lazily; without a script it is a form of two steps.
 *
 * @tag crypto-refund
 * @summary Asks for a refund of one payment.
 * @status internal
 * @since 0.1.0
 *
 * @csspart refund-payments - The payments that can come back; absent for a single one.
 * @csspart refund-payment - One of these payments.
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

  // The browser keeps the state of a choice that the buyer has used.
  protected override updated(): void {
    for (const radio of this.renderRoot.querySelectorAll<HTMLInputElement>('[type=radio]'))
      radio.checked = radio.hasAttribute('checked');
  }

  #draw(money: CheckoutRefundable, form: RefundForm): TemplateResult {
    const { language } = this;
    const { problem, address, tag } = form;
    const received = isFor(form, money) ? form.received : null;
    const coins = (sum: string): string =>
      coinSum(sum, money.symbol, this.checkout!.payment, language);
    const isChecked = received !== null;
    const isAddress = problem === 'address' || problem === 'shop';
    return html`<form method="post" action=${this.action ?? ''} @input=${this.#edit}>
      ${this.#drawPayments(money)}
      <div class="stack tight">
        <label
          ><b>${addressLabel(money, coins)}</b
          ><textarea
            part="refund-address"
            name="address"
            rows=${rowsOf(address)}
            .value=${address}
            required
            maxlength="4096"
            autocomplete="off"
            autocapitalize="off"
            spellcheck="false"
            aria-describedby="wrong own"
            aria-invalid=${isAddress}
            @keydown=${submitOnEnter}
          ></textarea>
        </label>
        <div id="wrong" role="alert">
          ${drawNote(isAddress ? problemText(problem, money) : null, 'bad')}
        </div>
        <small id="own">${ownText()}</small>
      </div>
      ${money.tagged ? drawTag(tag, problem) : nothing}
      ${isChecked ? html`<input type="hidden" name="checked" .value=${checkedText(form)} />` : nothing}
      <div id="problem" role="alert">
        ${drawNote(problem && !isAddress ? problemText(problem, money) : null, 'bad')}${drawNote(isChecked ? checkText() : null)}
      </div>
      ${drawAmounts(money, form, coins)}
      <button class="primary" part="submit" aria-disabled=${this.#busy}>
        ${isChecked ? askText() : msg('Continue', { id: 'continue' })}
      </button>
    </form>`;
  }

  /** Draws the choice between several payments; a single one needs none. */
  #drawPayments(money: CheckoutRefundable): TemplateResult {
    const { language } = this;
    const checkout = this.checkout!;
    const payments = (checkout.refundable ?? []).filter(({ ready }) => ready);
    return payments.length > 1
      ? drawPaymentChoice(payments, money, checkout, language)
      : html`<input type="hidden" name="transaction" .value=${money.transaction} />`;
  }

  /** Another entry is not checked yet. */
  readonly #edit = (event: Event): void => {
    const { name, value } = event.target as HTMLInputElement;
    this.form = { ...(this.form ?? EMPTY), ...UNCHECKED, [name]: value };
  };

  protected override onSubmit(event: SubmitEvent): void {
    event.preventDefault();
    void this.#send(new FormData(event.target as HTMLFormElement));
  }

  async #send(fields: FormData): Promise<void> {
    const { checkout, action } = this;
    if (this.#busy || !checkout || !action) return;
    const text = (name: string): string => ((fields.get(name) ?? '') as string).trim();
    // A copied address may hold the line breaks of a letter.
    const address = text('address').replace(/\s+/g, '');
    const entry = { transaction: text('transaction'), address, tag: text('tag') };
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

/** Rows for all of an address, where a field does not grow with its content. */
const rowsOf = (address: string): number =>
  Math.min(MOST_ROWS, Math.max(2, Math.ceil(address.length / ROW)));

/** An address has no lines: the key sends the form, as in a field of one line. */
function submitOnEnter(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || event.isComposing) return;
  event.preventDefault();
  (event.target as HTMLTextAreaElement).form?.requestSubmit();
}

/**
 * The amount that arrives, which is an estimate until the check, above the refund and the network
 * fee.
 */
function drawAmounts(
  { amount, network, fee, received }: CheckoutRefundable,
  { received: exact }: RefundForm,
  coins: (sum: string) => string,
): TemplateResult {
  const arrives = exact ?? received;
  const about = exact === null && fee !== '0' ? '~' : '';
  const cost = exact === null ? fee : feeOf(amount, exact);
  const rows = [
    [receiveText(), arrives && about + coins(arrives), 'sum'],
    [
      refundName(),
      [
        network ? msg(str`${coins(amount)} on ${network}`, { id: 'coin.on' }) : coins(amount),
        cost && cost !== '0' && feeText(about + coins(cost)),
      ]
        .filter(Boolean)
        .join(' · '),
    ],
  ];
  return html`<dl part="facts">
    ${rows.map(([label, value, look]) =>
      value
        ? html`<div part="fact">
            <dt>${label}</dt>
            <dd class=${look ?? ''}><bdi>${value}</bdi></dd>
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
  coins: (sum: string) => string,
): string =>
  kind.startsWith('BTC_LIGHTNING')
    ? msg(str`Your lightning address, or an invoice for ${coins(amount)}`, {
        id: 'refund.lightning',
      })
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
  if (problem === 'shop')
    return msg('This address belongs to the shop. Enter one of your own.', { id: 'refund.shop' });
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
