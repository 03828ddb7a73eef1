import { LitElement, type PropertyDeclarations, type TemplateResult, html } from 'lit';

export interface Question {
  title: string;
  /** What will happen. */
  text: TemplateResult | string;
  /** The button that makes it happen. */
  action: string;
  /** It can't be taken back. */
  danger?: boolean;
}

/** Asks before something happens that can't be taken back. The browser keeps the focus inside, and gives it back; Escape is no. */
export class ConfirmDialog extends LitElement {
  static override properties: PropertyDeclarations = { question: { state: true } };

  declare private question: Question | undefined;
  #answer: ((yes: boolean) => void) | undefined;

  protected override createRenderRoot(): this {
    return this;
  }

  /** @returns whether the answer was yes */
  async ask(question: Question): Promise<boolean> {
    this.question = question;
    await this.updateComplete;
    const dialog = this.querySelector('dialog')!;
    dialog.returnValue = '';
    dialog.showModal();
    return new Promise((resolve) => (this.#answer = resolve));
  }

  #close(answer: 'yes' | ''): void {
    this.querySelector('dialog')!.close(answer);
  }

  #closed(event: Event): void {
    this.#answer?.((event.target as HTMLDialogElement).returnValue === 'yes');
  }

  protected override render(): TemplateResult {
    const { title = '', text = '', action = '', danger = false } = this.question ?? {};
    return html`<dialog aria-labelledby="question-title" aria-describedby="question-text" @close=${this.#closed}>
      <h2 id="question-title">${title}</h2>
      <div id="question-text">${text}</div>
      <div class="actions">
        <button type="button" autofocus @click=${() => this.#close('')}>Cancel</button>
        <button type="button" class=${danger ? 'danger' : 'primary'} @click=${() => this.#close('yes')}>${action}</button>
      </div>
    </dialog>`;
  }
}
