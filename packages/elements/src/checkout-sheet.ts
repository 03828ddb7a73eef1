import { type CSSResult, css } from 'lit';

/** How the whole checkout is laid out: one column on phones, code beside figures where there is room. */
export const checkoutSheet: CSSResult = css`
  :host {
    container-type: inline-size;
    color-scheme: light dark;
  }
  [part='base'],
  [part='stage'],
  .pay {
    display: grid;
    gap: 1.25em;
  }
  [part='base'] {
    padding: clamp(1.1em, 5cqi, 2em);
    font: var(--crypto-checkout-font, max(1rem, 16px) / 1.5 system-ui, sans-serif);
    color: var(--_text);
    background: var(--_back);
    border: 1px solid var(--_line);
    border-radius: calc(var(--_radius) * 1.5);
    overflow-wrap: break-word;
  }
  .pay > * {
    min-inline-size: 0;
  }
  header {
    flex-wrap: wrap;
    padding-block-end: 1em;
    border-block-end: 1px solid var(--_line);
  }
  [part='total'] {
    font-size: 1.35em;
    font-weight: 700;
  }
  .title {
    align-items: start;
  }
  crypto-status:only-child {
    margin: auto;
  }
  .note {
    --_tone: var(--_warn);
    justify-content: start;
    align-items: start;
    padding: 0.7em 0.9em;
    border: 1px solid color-mix(in srgb, var(--_tone) 30%, transparent);
    border-radius: var(--_radius);
    background: color-mix(in srgb, var(--_tone) 9%, transparent);
  }
  .note svg {
    color: var(--_tone);
  }
  .bad {
    --_tone: var(--_bad);
  }
  crypto-qr {
    padding: 0.5em;
    margin-block-end: 1em;
    background: #fff;
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    forced-color-adjust: none;
  }
  [part='only'] {
    margin-block-start: 1em;
    padding-inline-start: 0.75em;
    border-inline-start: 3px solid var(--_warn);
  }
  details {
    border-block-start: 1px solid var(--_line);
    padding-block-start: 0.5em;
  }
  summary,
  footer a,
  li {
    min-block-size: 44px;
    align-content: center;
  }
  summary {
    font-weight: 600;
    cursor: pointer;
  }
  dl,
  ul {
    padding: 0;
  }
  dd {
    margin-block-end: 0.75em;
  }
  dt {
    color: var(--_muted);
  }
  @container (min-inline-size: 40em) {
    .pay {
      grid-template-columns: 17em 1fr;
      gap: 2em;
    }
  }
`;
