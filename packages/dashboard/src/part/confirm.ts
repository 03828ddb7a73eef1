import { LitElement, type PropertyDeclarations, type TemplateResult, html } from 'lit';
import { valuesOf } from './form.ts';

export interface Question {
  title: string;
  /** What will happen; fields in it are part of the answer. */
  text: TemplateResult | string;
  /** The button that makes it happen. */
  action: string;
  /** It can't be taken back. */
  danger?: boolean;
}

/** What was written into the fields; null for no. */
export type Answer = Readonly<Record<string, string>> | null;

/** Asks before something happens that can't be taken back. The browser keeps the focus inside, and gives it back; Escape is no. */
export class ConfirmDialog extends LitElement {
  static override properties: PropertyDeclarations = { question: { state: true } };

  declare private question: Question | undefined;
  #answer: ((values: Answer) => void) | undefined;
  #values: Answer = null;

  protected override createRenderRoot(): this {
    return this;
  }

  async ask(question: Question): Promise<Answer> {
    this.question = question;
    this.#values = null;
    await this.updateComplete;
    const dialog = this.querySelector('dialog')!;
    dialog.querySelector('form')!.reset();
    dialog.showModal();
    return new Promise((resolve) => (this.#answer = resolve));
  }

  /** Fields that must be filled in are, or the browser says so instead. */
  #yes(event: SubmitEvent): void {
    event.preventDefault();
    this.#values = valuesOf(event);
    this.#close();
  }

  #close(): void {
    this.querySelector('dialog')!.close();
  }

  protected override render(): TemplateResult {
    const { title = '', text = '', action = '', danger = false } = this.question ?? {};
    return html`<dialog aria-labelledby="question-title" aria-describedby="question-text" @close=${() => this.#answer?.(this.#values)}>
      <form @submit=${this.#yes}>
        <h2 id="question-title">${title}</h2>
        <div id="question-text">${text}</div>
        <div class="actions">
          <button type="button" autofocus @click=${this.#close}>Cancel</button>
          <button type="submit" class=${danger ? 'danger' : 'primary'}>${action}</button>
        </div>
      </form>
    </dialog>`;
  }
}
