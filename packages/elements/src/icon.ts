import { type TemplateResult, html } from 'lit';

/** Line drawings on a square of 24, in the colour of the text. */
const ICONS = {
  alert: 'M12 8v5m0 3v.5M12 3 2 20h20z',
  check: 'm5 13 4 4L19 7',
  clock: 'M12 7v5l3 3m-3-12a9 9 0 1 0 .01 0z',
  info: 'M12 11v5.5m0-9V8m0-5a9 9 0 1 0 .01 0z',
  copy: 'M9 9h11v11H9zm6 0V4H4v11h5',
} as const;
export type Icon = keyof typeof ICONS;

export const icon = (name: Icon): TemplateResult =>
  html`<svg
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width="2"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    <path d=${ICONS[name]} />
  </svg>`;
