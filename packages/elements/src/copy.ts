import { type TemplateResult, html, nothing } from 'lit';
import { icon } from './icon.ts';
import { msg, str } from './locale.ts';
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
  /** What is said once it is copied, default: that it is. */
  said?: string | undefined;
}

const FEEDBACK_MS = 4000;

/** An element with texts to copy: it shows and says that it did. */
export class CopyPart extends Part {
  #copied = '';
  #timer: ReturnType<typeof setTimeout> | undefined;

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#timer);
    this.#copied = '';
  }

  /** A label, a value and a button that copies it. */
  protected field({ label, value, shown = value, hint, said }: CopyField): TemplateResult {
    const copied = this.#copied === value;
    const text = copied ? msg('Copied', { id: 'copy.done' }) : msg('Copy', { id: 'copy.button' });
    return html`<div class="row line" part="field">
      <div>
        <small part="label">${label}</small><bdi part="value" dir="ltr">${shown}</bdi>${
          hint ? html`<small part="hint">${hint}</small>` : nothing
        }
      </div>
      <button
        class="script"
        part="copy-button"
        type="button"
        aria-label="${text}: ${label}"
        @click=${() => this.#copy(value, said ?? msg(str`Copied: ${label}`, { id: 'copy.said' }))}
      >
        ${icon(copied ? 'check' : 'copy')}${text}
      </button>
    </div>`;
  }

  async #copy(value: string, said: string): Promise<void> {
    if (!(await write(value, this.renderRoot as ShadowRoot)))
      return this.say(() => msg('Copying is not allowed here. Select the text and copy it.', { id: 'copy.refused' }));
    this.say(() => said);
    this.#show(value);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#show(''), FEEDBACK_MS);
  }

  #show(copied: string): void {
    this.#copied = copied;
    this.requestUpdate();
  }
}

/** The clipboard where it is allowed, else the way before it: a selection in a field that nobody sees. */
async function write(text: string, root: ShadowRoot): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const focused = root.activeElement as HTMLElement | null;
    const area = root.appendChild(document.createElement('textarea'));
    area.value = text;
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    focused?.focus();
    return done;
  }
}
