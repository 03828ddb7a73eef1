import {
  type PropertyDeclarations,
  type PropertyValues,
  type TemplateResult,
  html,
  nothing,
} from 'lit';
import { icon } from '../../styles/icons.ts';
import { statusModule, loadStatus } from '../../core/lazy-registry.ts';
import { CheckoutElement, define } from '../base/checkout-element.ts';
import { stageTexts } from './lazy-stage-texts.ts';

/**
 * The state of a payment: icon, heading, sentence and confirmations.
 *
 * @tag crypto-status
 * @summary The stage of a checkout in words.
 * @status stable
 * @since 0.1.0
 *
 * @slot - Content beside the heading, such as a countdown.
 *
 * @csspart badge - The icon.
 * @csspart heading - The heading.
 * @csspart text - The sentence.
 * @csspart confirmations - The confirmations so far.
 */
export class CryptoStatus extends CheckoutElement {
  static override properties: PropertyDeclarations = {
    stage: {},
    heading: {},
    text: {},
    have: { type: Number },
    need: { type: Number },
  };

  /** The stage; an unknown one is drawn as "please wait". */
  stage = '';

  /** A heading in place of the stage's own. */
  declare heading: string | undefined;

  /** A sentence in place of the stage's own. */
  declare text: string | undefined;

  /** Confirmations so far. */
  declare have: number | undefined;

  /** Confirmations that are needed; 0 shows none. */
  declare need: number | undefined;

  // Loads the texts of later stages in advance, and those of unusual ones.
  protected override updated(changed: PropertyValues): void {
    const status = statusModule();
    status?.addStatusStyles(this);
    if (!changed.has('stage') || !this.stage) return;
    const loading = status ? status.loadStage(this.stage) : loadStatus();
    void loading?.then((loaded) => loaded && this.requestUpdate('stage'));
  }

  /** Focuses the heading, for readers whose place disappeared with the previous stage. */
  override focus(options?: FocusOptions): void {
    this.renderRoot.querySelector('h2')?.focus(options);
  }

  protected override render(): TemplateResult {
    const { stage, have, need } = this;
    const { title, text, tone = 'wait', picture } = stageTexts(stage);
    const sentence = (this.text || text).trim();
    return html`<div class="stack tight ${tone} ${picture ? 'picture' : ''}">
      <div class="row">
        ${picture ? html`<div part="badge">${icon(picture)}</div>` : nothing}
        <h2 part="heading" tabindex="-1">${this.heading || title}</h2>
        <slot></slot>
      </div>
      ${sentence ? html`<p part="text">${sentence}</p>` : nothing}
      ${need ? statusModule()?.drawConfirmations(have ?? 0, need) : nothing}
    </div>`;
  }
}

define('crypto-status', CryptoStatus);

declare global {
  interface HTMLElementTagNameMap {
    'crypto-status': CryptoStatus;
  }
}
