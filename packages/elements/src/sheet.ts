import { type CSSResult, css } from 'lit';

/**
 * How everything looks. One sheet for all elements: a page holds it once however many of them it shows, a server-drawn page needs a
 * single hash in its policy, and each part looks right alone. Every rule is about a part, or about what only one element has.
 */
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
  :host([theme='auto']) {
    color-scheme: light dark;
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
    padding: 0;
  }
  [hidden] {
    display: none !important;
  }
  [role='status'],
  textarea {
    position: absolute;
    opacity: 0;
    pointer-events: none;
  }
  small,
  dt,
  [part='text'] {
    color: var(--_muted);
  }
  small {
    font-size: 0.875em;
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
  .stack,
  .row > div {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    min-inline-size: 0;
  }
  .stack {
    gap: 1.25em;
  }
  .tight {
    gap: 0.5em;
  }
  .line,
  label,
  li {
    border-block-end: 1px solid var(--_line);
  }
  button,
  .button,
  [type='search'] {
    min-block-size: 44px;
    padding: 0.5em 1em;
    font: inherit;
    color: inherit;
    background: none;
    border: 1px solid var(--_line);
    border-radius: calc(var(--_radius) * 0.75);
  }
  button,
  .button {
    display: inline-flex;
    flex: none;
    align-items: center;
    justify-content: center;
    gap: 0.5em;
    font-weight: 600;
    text-decoration: none;
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
  :focus-visible,
  label:has(:focus-visible) {
    outline: 3px solid var(--_accent);
    outline-offset: 2px;
  }

  /* crypto-checkout */
  :host(crypto-checkout) {
    container-type: inline-size;
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
  header {
    flex-wrap: wrap;
    padding-block-end: 1em;
  }
  [part='total'],
  [part='heading'] {
    font-size: 1.35em;
    line-height: 1.25;
    font-weight: 700;
    outline: 0;
  }
  .title {
    align-items: start;
  }
  .tall {
    flex-direction: column;
    align-items: center;
  }
  crypto-status {
    flex: 1;
  }
  .note {
    --_tone: var(--_warn);
    justify-content: start;
    padding: 0.7em 0.9em;
    border: 1px solid color-mix(in srgb, var(--_tone) 30%, transparent);
    border-radius: var(--_radius);
    background: color-mix(in srgb, var(--_tone) 9%, transparent);
  }
  .note svg,
  [part='badge'] {
    color: var(--_tone);
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
  dd {
    margin-block-end: 0.75em;
  }
  @container (min-inline-size: 40em) {
    .pay {
      grid-template-columns: 17em minmax(0, 1fr);
      gap: 2em;
    }
  }

  /* crypto-status */
  .wait {
    --_tone: var(--_accent);
  }
  .good {
    --_tone: var(--_good);
  }
  .warn {
    --_tone: var(--_warn);
  }
  .bad {
    --_tone: var(--_bad);
  }
  .picture {
    justify-items: center;
    text-align: center;
    text-wrap: balance;
  }
  [part='badge'] {
    padding: 0.9em;
    border-radius: 50%;
    background: color-mix(in srgb, var(--_tone) 13%, transparent);
    font-size: 1.25em;
    line-height: 0;
  }
  [part='text'] {
    max-inline-size: 28em;
  }
  progress {
    inline-size: 12em;
    accent-color: var(--_tone);
  }
  @media (prefers-reduced-motion: no-preference) {
    .wait svg {
      animation: 2.4s infinite breathe;
    }
  }
  @keyframes breathe {
    50% {
      opacity: 0.4;
    }
  }

  /* crypto-amount, crypto-address */
  [part='field'] {
    padding-block: 0.75em;
  }
  [part='value'] {
    overflow-wrap: anywhere;
    -webkit-user-select: all;
    user-select: all;
  }
  [part='value'] b {
    font-size: 1.375em;
  }
  code {
    font-family: var(--crypto-checkout-font-mono, ui-monospace, Menlo, Consolas, monospace);
  }
  /* One line that keeps both ends; all of it is selected and copied. */
  .long {
    display: flex;
    white-space: nowrap;
  }
  .long span {
    overflow: hidden;
    text-overflow: ellipsis;
  }

  /* crypto-countdown */
  :host(crypto-countdown) {
    white-space: nowrap;
  }
  [part='clock'] {
    padding: 0.25em 0.75em;
    border: 1px solid var(--_line);
    border-radius: 99px;
    font-weight: 600;
    font-variant-numeric: tabular-nums;
  }
  .soon {
    color: var(--_warn);
  }

  /* crypto-qr */
  [part='image'] {
    display: block;
    inline-size: min(100%, var(--crypto-checkout-qr-size, 15rem));
    block-size: auto;
    margin: auto;
    background: #fff;
    border-radius: var(--_radius);
    forced-color-adjust: none;
  }

  /* crypto-coin-picker */
  fieldset {
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
  }
  [part='asset'] {
    flex-wrap: wrap;
    padding: 0.75em 0.9em;
  }
  [part='asset']:last-of-type {
    border: 0;
  }
  .mark {
    inline-size: 2.25em;
    block-size: 2.25em;
  }
  [part='asset'] > .row {
    display: flex;
    flex-wrap: wrap;
    justify-content: start;
  }
  label {
    min-block-size: 44px;
    padding-inline: 0.75em;
    border: 1px solid var(--_line);
    border-radius: calc(var(--_radius) * 0.75);
    cursor: pointer;
  }
  label:has(:checked) {
    border-color: var(--_accent);
    background: color-mix(in srgb, var(--_accent) 10%, transparent);
  }
  [type='radio'] {
    inline-size: 1.15em;
    block-size: 1.15em;
    accent-color: var(--_accent);
    outline: 0;
  }

  @media (scripting: none) {
    .script {
      display: none;
    }
  }
`;
