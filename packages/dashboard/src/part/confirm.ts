import { LitElement, type PropertyDeclarations, type TemplateResult, html } from 'lit';
import { valuesOf } from './form.ts';

export interface Question {
  title: string;
  /** Describes the action; its form fields are part of the answer. */
  text: TemplateResult | string;
  /** Label of the confirming button. */
  action: string;
  /** Whether the action cannot be undone. */
  danger?: boolean;
  /** Label of the button that does nothing. Default: "Cancel". */
  dismiss?: string;
}

/** Values of the fields; null when it was cancelled. */
export type Answer = Readonly<Record<string, string>> | null;

/**
 * Asks before an action that cannot be undone. A modal dialog traps and restores the focus; Escape
 * cancels.
 */
export class ConfirmDialog extends LitElement {
  static override properties: PropertyDeclarations = { question: { state: true } };

  declare private question: Question | undefined;
  #answer: ((values: Answer) => void) | undefined;

  protected override createRenderRoot(): this {
    return this;
  }

  /** A question that is still open is cancelled. */
  async ask(question: Question): Promise<Answer> {
    this.#finish(null);
    this.question = question;
    await this.updateComplete;
    const dialog = this.querySelector('dialog')!;
    dialog.querySelector('form')!.reset();
    dialog.showModal();
    return new Promise((resolve) => (this.#answer = resolve));
  }

  /** Required fields are validated by the browser. */
  #confirm(event: SubmitEvent): void {
    event.preventDefault();
    this.#finish(valuesOf(event));
  }

  #cancel(): void {
    this.#finish(null);
  }

  /** Escape was pressed. The event of an earlier question can arrive after the next one is open. */
  #closed({ target }: Event): void {
    if (!(target as HTMLDialogElement).open) this.#finish(null);
  }

  #finish(answer: Answer): void {
    const resolve = this.#answer;
    this.#answer = undefined;
    this.querySelector('dialog')?.close();
    resolve?.(answer);
  }

  protected override render(): TemplateResult {
    const {
      title = '',
      text = '',
      action = '',
      danger = false,
      dismiss = 'Cancel',
    } = this.question ?? {};
    return html`<dialog
      aria-labelledby="question-title"
      aria-describedby="question-text"
      @close=${this.#closed}
    >
      <form @submit=${this.#confirm}>
        <h2 id="question-title">${title}</h2>
        <div id="question-text">${text}</div>
        <div class="actions">
          <button type="button" autofocus @click=${this.#cancel}>${dismiss}</button>
          <button type="submit" class=${danger ? 'danger' : 'primary'}>${action}</button>
        </div>
      </form>
    </dialog>`;
  }
}
