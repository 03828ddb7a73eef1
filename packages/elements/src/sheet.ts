import { type CSSResult, css } from 'lit';

/** Colours, buttons and rows: one sheet for all parts, so that each of them looks right alone. */
export const sheet: CSSResult = css`
  :host {
    display: block;
    --_accent: var(--crypto-checkout-accent, light-dark(#2746c7, #aabdff));
    --_on-accent: var(--crypto-checkout-on-accent, light-dark(#fff, #10183a));
    --_text: var(--crypto-checkout-text, light-dark(#15202b, #edf1f5));
    --_muted: var(--crypto-checkout-muted, light-dark(#55626f, #a7b3bf));
    --_back: var(--crypto-checkout-background, light-dark(#fff, #12181f));
    --_line: var(--crypto-checkout-border, light-dark(#d8dfe7, #35414e));
    --_good: var(--crypto-checkout-success, light-dark(#0f6b43, #6fd9a5));
    --_warn: var(--crypto-checkout-warning, light-dark(#7d5000, #f3c66b));
    --_bad: var(--crypto-checkout-danger, light-dark(#ad1f1f, #ffb0a8));
    --_radius: var(--crypto-checkout-radius, 12px);
  }
  :host([theme='light']) {
    color-scheme: light;
  }
  :host([theme='dark']) {
    color-scheme: dark;
  }
  * {
    box-sizing: border-box;
    margin: 0;
  }
  [hidden] {
    display: none !important;
  }
  [role='status'] {
    position: absolute;
    clip-path: inset(50%);
  }
  small {
    font-size: 0.875em;
    color: var(--_muted);
  }
  svg {
    flex: none;
    inline-size: 1.25em;
    block-size: 1.25em;
  }
  .row {
    display: flex;
    align-items: center;
    justify-content: space-between;
    gap: 0.5em 1em;
  }
  .row > div {
    display: grid;
    min-inline-size: 0;
  }
  button,
  .button {
    display: inline-flex;
    align-items: center;
    justify-content: center;
    gap: 0.5em;
    flex: none;
    min-block-size: 44px;
    padding: 0.5em 1em;
    font: inherit;
    font-weight: 600;
    text-decoration: none;
    color: inherit;
    background: none;
    border: 1px solid var(--_line);
    border-radius: calc(var(--_radius) * 0.75);
    cursor: pointer;
  }
  .primary {
    inline-size: 100%;
    min-block-size: 50px;
    color: var(--_on-accent);
    background: var(--_accent);
  }
  button:hover,
  .button:hover {
    border-color: currentColor;
  }
  [aria-disabled='true'] {
    opacity: 0.6;
  }
  a {
    color: var(--_accent);
  }
  :focus-visible {
    outline: 3px solid var(--_accent);
    outline-offset: 2px;
  }
  @media (scripting: none) {
    .script {
      display: none;
    }
  }
`;
