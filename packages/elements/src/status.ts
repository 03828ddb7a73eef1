import { type PropertyDeclarations, type PropertyValues, type TemplateResult, html, nothing } from 'lit';
import { icon } from './icon.ts';
import { later, loadAfter } from './later.ts';
import { Part, define } from './part.ts';
import { wordsOf } from './stage.ts';

/**
 * Where the payment stands: a picture, a heading, a sentence, and the confirmations so far.
 *
 * @tag crypto-status
 * @summary The stage of a checkout in words.
 * @status stable
 * @since 0.1.0
 *
 * @slot - What stands beside the heading, such as a countdown.
 *
 * @csspart badge - The round picture.
 * @csspart heading - The stage.
 * @csspart text - What it means.
 * @csspart confirmations - The confirmations so far.
 */
export class CryptoStatus extends Part {
  static override properties: PropertyDeclarations = {
    stage: {},
    text: {},
    have: { type: Number },
    need: { type: Number },
  };

  /** The stage; one that is not known is drawn as "please wait". */
  stage = '';

  /** A sentence of your own. */
  declare text: string | undefined;

  /** Confirmations so far. */
  declare have: number | undefined;

  /** Confirmations that are needed; 0 shows none. */
  declare need: number | undefined;

  // The words of the next stages are fetched while this one is read.
  protected override updated(changed: PropertyValues): void {
    later()?.dress(this);
    if (changed.has('stage') && this.stage && !later()) void loadAfter().then((after) => after && this.requestUpdate());
  }

  /** Puts the focus on the heading: where to read on after the stage changed under the reader. */
  override focus(options?: FocusOptions): void {
    this.renderRoot.querySelector('h2')?.focus(options);
  }

  protected override render(): TemplateResult {
    const { stage, have, need } = this;
    const { title, text, tone = 'wait', picture } = wordsOf(stage);
    const said = (this.text || text).trim();
    return html`<div class="stack tight ${tone} ${picture ? 'picture' : ''}">
      <div class="row">
        ${picture ? html`<div part="badge">${icon(picture)}</div>` : nothing}
        <h2 part="heading" tabindex="-1">${title}</h2>
        <slot></slot>
      </div>
      ${said ? html`<p part="text">${said}</p>` : nothing} ${need ? later()?.drawConfirmations(have ?? 0, need) : nothing}
    </div>`;
  }
}

define('crypto-status', CryptoStatus);

declare global {
  interface HTMLElementTagNameMap {
    'crypto-status': CryptoStatus;
  }
}
