import { type TemplateResult, html, nothing } from 'lit';
import { say } from '../navigate.ts';

/** The button says the result for this time. */
const SHOWN_MS = 2_000;

/**
 * A button that copies a text. Absent where the browser has no clipboard, as on plain http.
 * @param noun of the text, for screen readers
 */
export function copyButton(text: string, noun: string): TemplateResult | typeof nothing {
  if (!('clipboard' in navigator)) return nothing;
  return html`<button
    type="button"
    class="quiet copy"
    @click=${(event: Event) => copy(event, text)}
  >
    <span>Copy</span><span class="hidden"> ${noun}</span>
  </button>`;
}

async function copy(event: Event, text: string): Promise<void> {
  const label = (event.currentTarget as HTMLElement).querySelector('span')!;
  const done = await navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  );
  const result = done ? 'Copied' : 'Not copied';
  say(`${result}.`);
  label.textContent = result;
  setTimeout(() => (label.textContent = 'Copy'), SHOWN_MS);
}
