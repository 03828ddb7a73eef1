import type { Checkout, CheckoutRefundable } from '@crypto-checkout/protocol/checkout';
import { type CSSResult, type PropertyDeclarations, type TemplateResult, html, nothing } from 'lit';
import type { Drawn } from '../../core/panel.ts';
import { msg } from '../../i18n/locale.ts';
import {
  type RefundEntry,
  type RefundProblem,
  requestRefund,
} from '../../server/refund-request.ts';
import { coinSum } from '../../status/received.ts';
import { sheet } from '../../styles/sheet.ts';
import { CheckoutElement, define } from '../base/checkout-element.ts';
import { drawCheck } from './check.ts';
import { drawFacts } from './facts.ts';
import { drawAddress, drawProblem, drawTag } from './fields.ts';
import { formSheet } from './form-sheet.ts';
import { drawPaymentChoice } from './payment-choice.ts';
import {
  drawRefund,
  markTaken,
  nextRefund,
  readyMoney,
  refundText,
  replacedBy,
  replaceableOf,
  takenText,
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

/**
 * The form in which the buyer asks for money back: first it checks the address, then it shows the
 * entries with what will arrive, and asks once. Loaded lazily; without a script it is a form of two
 * steps.
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
 * @csspart refund-check - The heading of the second step, with the entries to check.
 * @csspart refund-edit - Leads back to the entries.
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
    const received = isFor(form, money) ? form.received : null;
    const coins = (sum: string): string =>
      coinSum(sum, money.symbol, this.checkout!.payment, this.language);
    const busy = this.#busy;
    return html`<form method="post" action=${this.action ?? ''} @input=${this.#edit}>
      ${
        received === null
          ? html`${this.#drawPayments(money)} ${drawFacts(money, null, coins)}
              ${drawAddress(form, money, coins)}${money.tagged ? drawTag(form, money) : nothing}
              ${drawProblem(form.problem, money)}
              <button class="primary" part="submit" aria-disabled=${busy}>
                ${msg('Continue', { id: 'continue' })}
              </button>`
          : drawCheck(form, money, { received, checked: checkedText(form), busy }, coins)
      }
    </form>`;
  }

  /** Draws the choice between several payments; a single one needs none. */
  #drawPayments(money: CheckoutRefundable): TemplateResult {
    const { language } = this;
    const checkout = this.checkout!;
    const payments = readyMoney(checkout);
    if (payments.length > 1) return drawPaymentChoice(payments, money, checkout, language);
    const replaced = replacedBy(money, checkout);
    return html`<input type="hidden" name="transaction" .value=${money.transaction} />${
        replaced ? drawRefund(replaced, checkout, language) : nothing
      }`;
  }

  /** Another entry is not checked yet. */
  readonly #edit = (event: Event): void => {
    const { name, value } = event.target as HTMLInputElement;
    this.form = { ...(this.form ?? EMPTY), ...UNCHECKED, [name]: value };
  };

  protected override onSubmit(event: SubmitEvent): void {
    event.preventDefault();
    if (event.submitter?.part.contains('refund-edit')) return void this.#change();
    void this.#send(new FormData(event.target as HTMLFormElement));
  }

  /** Back to the entries, for the buyer to change them. */
  async #change(): Promise<void> {
    if (this.#busy) return;
    this.form = { ...(this.form ?? EMPTY), ...UNCHECKED };
    await this.updateComplete;
    this.#focus('[name=address]');
  }

  #focus(selector: string): void {
    this.renderRoot.querySelector<HTMLElement>(selector)?.focus();
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
    const isTaken = answer.type === 'taken';
    if (isTaken || answer.type === 'requested') {
      markTaken(entry.transaction, address, isTaken);
      const isReplaceable = replaceableOf(checkout).some(
        (one) => one.transaction === entry.transaction,
      );
      this.say(() => (isTaken ? takenText(isReplaceable) : refundText('requested')));
      this.done?.();
    }
    await this.updateComplete;
    if (isRefused) this.#focus(answer.problem === 'tag' ? '[name=tag]' : '[name=address]');
    else if (isEstimate) {
      // A screen reader says the heading: another step has begun. A phone shows all of it.
      this.#focus('h3');
      this.renderRoot.querySelector('h3')?.scrollIntoView();
    }
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

define('crypto-refund', CryptoRefund);

declare global {
  interface HTMLElementTagNameMap {
    'crypto-refund': CryptoRefund;
  }
}
