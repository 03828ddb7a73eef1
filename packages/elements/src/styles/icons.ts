import { type TemplateResult, html } from 'lit';

// Line drawings on a 24-unit grid, in the colour of the text.
export const ALERT = 'M12 8v5m0 3v.5M12 3 2 20h20z';
export const CHECK = 'm5 13 4 4L19 7';
export const CLOCK = 'M12 7v5l3 3m-3-12a9 9 0 1 0 .01 0z';
export const COPY = 'M9 9h11v11H9zm6 0V4H4v11h5';
export const INFO = 'M12 11v5.5m0-9V8m0-5a9 9 0 1 0 .01 0z';

export const icon = (drawing: string): TemplateResult =>
  html`<svg
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width="2"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    <path d=${drawing} />
  </svg>`;
