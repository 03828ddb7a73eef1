/* oxlint-disable lit/no-value-attribute -- what a form without script sends is the attribute */
import { type TemplateResult, html } from 'lit';

/** One of several, each of which a form sends at once. */
export interface Choice {
  /** What the group is about. */
  label: string;
  /** Whether the label is drawn beside it. */
  shown: boolean;
  part: string;
  action: string;
  /** What each sends: its name, and what goes along. */
  name: string;
  hidden?: Record<string, string>;
  options: readonly { value: string; text: string; on: boolean }[];
  busy: boolean | undefined;
}

/** Two or more ways side by side; the one in force is pressed. */
export const drawChoice = ({ label, shown, part, action, name, hidden = {}, options, busy }: Choice): TemplateResult =>
  html`<form class="choice" part=${part} method="post" action=${action}>
    ${shown ? html`<small aria-hidden="true">${label}</small>` : ''}
    ${Object.entries(hidden).map(([key, value]) => html`<input type="hidden" name=${key} value=${value} />`)}
    <div class="row" role="group" aria-label=${label}>
      ${options.map(
        ({ value, text, on }) =>
          html`<button part="option" name=${name} value=${value} aria-pressed=${on} aria-disabled=${Boolean(busy)}>${text}</button>`,
      )}
    </div>
  </form>`;
