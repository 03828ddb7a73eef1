/* oxlint-disable lit/no-value-attribute -- what a form without script sends is the attribute */
import { type TemplateResult, html } from 'lit';

/** A form with one button per option, each of which submits it. */
export interface ChoiceForm {
  /** Name of the group. */
  label: string;
  part: string;
  action: string;
  /** Name of the submitted field, and further fields. */
  name: string;
  hidden?: Record<string, string>;
  options: readonly ChoiceOption[];
  busy: boolean | undefined;
}

export interface ChoiceOption {
  /** Name of the submitted field where it is not that of the form. */
  name?: string;
  value: string;
  text: string;
  on: boolean;
}

/** Draws two or more options side by side; the current one is pressed. */
export const drawChoice = ({
  label,
  part,
  action,
  name,
  hidden = {},
  options,
  busy,
}: ChoiceForm): TemplateResult =>
  html`<form class="choice" part=${part} method="post" action=${action}>
    <small aria-hidden="true">${label}</small>
    ${Object.entries(hidden).map(([key, value]) => html`<input type="hidden" name=${key} value=${value} />`)}
    <div class="row" role="group" aria-label=${label}>
      ${options.map(
        ({ value, text, on, name: own = name }) =>
          html`<button
            part="option"
            name=${own}
            value=${value}
            aria-pressed=${on}
            aria-disabled=${Boolean(busy)}
          >
            ${text}
          </button>`,
      )}
    </div>
  </form>`;
