import { type TemplateResult, html, nothing } from 'lit';
import { CHECK, COPY, icon } from './icon.ts';
import { loadHandOff } from './later.ts';
import { msg } from './locale.ts';
import { Part } from './part.ts';

/** What a copy field shows and gives. */
export interface CopyField {
  label: string;
  /** Exactly what lands on the clipboard. */
  value: string;
  /** What is shown, default: the value. */
  shown?: TemplateResult | string;
  /** A line below. */
  hint?: string | undefined;
}

/** What became of the last copy; written by the code that looks after it. */
export interface Copied {
  /** The field's value. */
  value: string;
  /** What the button says instead, as long as it does. */
  said: string;
  /** What is told below the fields. */
  draw?(): TemplateResult | typeof nothing;
}

/** An element with texts to copy: it shows and says that it did. */
export abstract class CopyPart extends Part {
  #copied: Copied | undefined;

  /** Its fields, one below the other. */
  protected abstract fields(): TemplateResult;

  // What is told of a copy stands below them all: no button moves away under the finger.
  protected override render(): TemplateResult {
    return html`${this.fields()}${this.#copied?.draw?.()}`;
  }

  /** A label, a value and a button that copies it. */
  protected field({ label, value, shown = value, hint }: CopyField): TemplateResult {
    const copied = this.#copied?.value === value ? this.#copied : undefined;
    const text = copied?.said || msg('Copy', { id: 'copy' });
    return html`<div class="row line wrap" part="field">
      <div>
        <small part="label">${label}</small><bdi part="value" dir="ltr" translate="no">${shown}</bdi>${
          hint ? html`<small part="hint"><bdi>${hint}</bdi></small>` : nothing
        }
      </div>
      <button class="script" part="copy-button" type="button" aria-label="${text}: ${label}" @click=${() => this.#copy(label, value)}>
        ${icon(copied?.said ? CHECK : COPY)}${text}
      </button>
    </div>`;
  }

  // Browsers let a page write at the moment of the click, and not later. All that follows is fetched while the buyer reads.
  async #copy(label: string, value: string): Promise<void> {
    const done = await writeText(value);
    const copied = (this.#copied = { value, said: '' });
    void (await loadHandOff())?.lookAfter(this, label, done, copied, () => this.#copied === copied);
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
