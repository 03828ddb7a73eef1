import { type TemplateResult, html, nothing } from 'lit';
import { CHECK, COPY, icon } from '../../styles/icons.ts';
import { loadHandOff } from '../../core/lazy-registry.ts';
import { msg } from '../../i18n/locale.ts';
import type { Copied } from '../../core/contracts.ts';
import { CheckoutElement } from '../base/checkout-element.ts';

/** A value with its copy button. */
export interface CopyField {
  label: string;
  /** Exact text for the clipboard. */
  value: string;
  /** Displayed content. Default: the value. */
  shown?: TemplateResult | string;
  /** A line below. */
  hint?: string | undefined;
}

/** Base class of elements with values to copy. */
export abstract class CopyElement extends CheckoutElement {
  #copied: Copied | undefined;

  /** The fields, one below the other. */
  protected abstract fields(): TemplateResult;

  // The feedback is drawn below all fields, so that no button moves under the finger.
  protected override render(): TemplateResult {
    return html`${this.fields()}${this.#copied?.draw?.()}`;
  }

  /** Draws a label, a value and its copy button. */
  protected field({ label, value, shown = value, hint }: CopyField): TemplateResult {
    const copied = this.#copied?.value === value ? this.#copied : undefined;
    const text = copied?.text || msg('Copy', { id: 'copy' });
    return html`<div class="row line wrap" part="field">
      <div>
        <small part="label">${label}</small
        ><bdi part="value" dir="ltr" translate="no" @click=${() => this.#copy(label, value)}
          >${shown}</bdi
        >${hint ? html`<small part="hint"><bdi>${hint}</bdi></small>` : nothing}
      </div>
      <button
        class="script"
        part="copy-button"
        type="button"
        aria-label="${text}: ${label}"
        @click=${() => this.#copy(label, value)}
      >
        ${icon(copied?.text ? CHECK : COPY)}${text}
      </button>
    </div>`;
  }

  // Browsers allow writing to the clipboard only during the click. The feedback is loaded
  // afterwards.
  async #copy(label: string, value: string): Promise<void> {
    const done = await writeText(value);
    const copied = (this.#copied = { value, text: '' });
    void (await loadHandOff())?.showCopyFeedback(
      this,
      label,
      done,
      copied,
      () => this.#copied === copied,
    );
  }
}

async function writeText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
