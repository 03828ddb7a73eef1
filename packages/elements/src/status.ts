import { type PropertyDeclarations, type TemplateResult, html, nothing } from 'lit';
import { icon } from './icon.ts';
import { msg, str } from './locale.ts';
import { Part, define } from './part.ts';
import { lookOf, sentenceOf, titleOf } from './stage.ts';

/**
 * Where the payment stands: a picture, a heading, a sentence, and the confirmations so far.
 *
 * @summary The stage of a checkout in words.
 * @status stable
 * @since 0.1.0
 *
 * @csspart badge - The round picture.
 * @csspart heading - The stage.
 * @csspart text - What it means.
 * @csspart confirmations - The confirmations so far.
 */
export class CryptoStatus extends Part {
  static override properties: PropertyDeclarations = {
    stage: {},
    heading: {},
    text: {},
    have: { type: Number },
    need: { type: Number },
  };

  /** The stage; one that is not known is drawn as "please wait". */
  stage = '';

  /** A heading of your own. */
  heading = '';

  /** A sentence of your own. */
  text = '';

  /** Confirmations so far. */
  have = 0;

  /** Confirmations that are needed; 0 shows none. */
  need = 0;

  /** Puts the focus on the heading: where to read on after the stage changed under the reader. */
  override focus(options?: FocusOptions): void {
    this.renderRoot.querySelector('h2')?.focus(options);
  }

  protected override render(): TemplateResult {
    const { stage, have, need } = this;
    const [tone, picture] = lookOf(stage);
    return html`<div class="stack tight ${tone} ${picture ? 'picture' : ''}">
      ${picture ? html`<div part="badge">${icon(picture)}</div>` : nothing}
      <h2 part="heading" tabindex="-1">${this.heading || titleOf(stage)}</h2>
      <p part="text">${this.text || sentenceOf(stage)}</p>
      ${
        need > 0
          ? html`<div class="stack tight" part="confirmations">
              <progress max=${need} value=${have} aria-hidden="true"></progress
              ><small>${msg(str`Confirmations: ${Math.min(have, need)} of ${need}`, { id: 'status.confirmations' })}</small>
            </div>`
          : nothing
      }
    </div>`;
  }
}

define('crypto-status', CryptoStatus);

declare global {
  interface HTMLElementTagNameMap {
    'crypto-status': CryptoStatus;
  }
}
