import { type TemplateResult, html, nothing } from 'lit';
import { icon } from './icon.ts';
import { handOff, loadAfter, loadHandOff } from './later.ts';
import { loadLocale, msg } from './locale.ts';
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

const FEEDBACK_MS = 4000;

/** An element with texts to copy: it shows and says that it did. */
export class CopyPart extends Part {
  /** What the button says that it has copied. */
  #copied = '';
  /** What was copied last, and whether something else lies on the clipboard since. */
  #last = '';
  #changed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#timer);
    this.#copied = '';
  }

  /** A label, a value and a button that copies it. */
  protected field({ label, value, shown = value, hint }: CopyField): TemplateResult {
    const copied = this.#copied === value;
    const text = copied ? msg('Copied', { id: 'copied' }) : msg('Copy', { id: 'copy' });
    return html`<div class="row line wrap" part="field">
      <div>
        <small part="label">${label}</small><bdi part="value" dir="ltr" translate="no">${shown}</bdi>${
          hint ? html`<small part="hint"><bdi>${hint}</bdi></small>` : nothing
        }${this.#last === value ? handOff()?.drawCopied(value, this.#changed) : nothing}
      </div>
      <button class="script" part="copy-button" type="button" aria-label="${text}: ${label}" @click=${() => this.#copy(label, value)}>
        ${icon(copied ? 'check' : 'copy')}${text}
      </button>
    </div>`;
  }

  async #copy(label: string, value: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(value);
    } catch {
      const refused = (await loadAfter())?.copyByHand(value, this.renderRoot as ShadowRoot);
      if (refused) return this.say(() => refused);
    }
    this.say((after) => after.copied(label, value));
    this.#show(value);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#show(''), FEEDBACK_MS);
    this.#last = value;
    this.#changed = false;
    const [more] = await Promise.all([loadHandOff(), loadLocale(this.language)]);
    this.#show(this.#copied);
    if (!more || (await more.readBack(value)) || this.#last !== value) return;
    this.#changed = true;
    this.#show('');
    this.say(more.changedText);
  }

  #show(copied: string): void {
    this.#copied = copied;
    this.requestUpdate();
  }
}
