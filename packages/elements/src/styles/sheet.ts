import { type CSSResult, css } from 'lit';

/**
 * The style sheet that all elements share. A server-drawn page writes it into every element, so it
 * has nothing that only the card needs: see `checkout-sheet.ts`. `status/sheet.ts` has the styles
 * of later stages.
 *
 * `!important` protects what scanners need from outside rules: dark on white in every theme. The
 * tokens are resolved again on the base, where `theme.ts` corrects unreadable ones.
 */
export const sheet: CSSResult = css`
  :host {
    display: block;
  }
  :host,
  [part='base'] {
    --_accent: var(--crypto-checkout-accent, light-dark(#2746c7, #aabdff));
    --_back: var(--crypto-checkout-background, light-dark(#fff, #12181f));
    --_text: var(--crypto-checkout-text, light-dark(#15202b, #edf1f5));
    --_warn: var(--crypto-checkout-warning, light-dark(#7d5000, #f3c66b));
    --_radius: var(--crypto-checkout-radius, 12px);
    --_muted: var(--_quiet, color-mix(in srgb, var(--_text) 72%, var(--_back)));
    --_line: 1px solid color-mix(in srgb, var(--_text) 17%, var(--_back));
    --_soft: color-mix(in srgb, var(--_text) 6%, var(--_back));
    --_tone: var(--_accent);
  }
  :host([theme='light']) {
    color-scheme: light !important;
  }
  :host([theme='dark']) {
    color-scheme: dark !important;
  }
  * {
    box-sizing: border-box;
    margin: 0;
    padding: 0;
  }
  [hidden] {
    display: none !important;
  }

  /* Rows and stacks */
  .row {
    display: flex;
    align-items: center;
    justify-content: space-between;
    gap: 0.5em 1em;
  }
  .wrap {
    flex-wrap: wrap;
    justify-content: start;
  }
  .stack,
  .row > div:not(.row) {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    min-inline-size: 0;
  }
  .stack {
    gap: 1.25em;
  }
  .tight {
    gap: 0.35em;
  }
  .line {
    border-block-end: var(--_line);
  }

  /* Controls */
  button,
  .button {
    min-block-size: 44px;
    padding: 0.5em 1em;
    font: inherit;
    color: inherit;
    background: none;
    border: var(--_line);
    border-radius: var(--_radius);
    cursor: pointer;
    display: flex;
    flex: none;
    align-items: center;
    justify-content: center;
    gap: 0.5em;
    text-align: center;
    text-decoration: none;
  }
  .primary {
    inline-size: 100%;
    color: var(--_on, var(--_back));
    background: var(--_fill, var(--_accent));
  }
  button:hover,
  .button:hover {
    border-color: var(--_accent);
  }
  :focus-visible {
    outline: 3px solid var(--_accent);
    outline-offset: 2px;
  }

  /* Text and icons */
  small,
  [part='text'] {
    color: var(--_muted);
  }
  small {
    font-size: 0.8125em;
  }
  /* Browsers clip a drawing at whole pixels, and the badge of a mark reaches over its edge. */
  svg {
    flex: none;
    inline-size: 1.25em;
    overflow: visible;
  }
  [part='heading'] {
    font-size: 1.4em;
    line-height: 1.25;
    outline: 0;
  }
  b,
  h2,
  .primary {
    font-weight: 600;
  }
  [part='value'] b {
    font-variant-numeric: tabular-nums;
  }
  /* The heading of an amount is its label. */
  :host(.send) h2 {
    font-size: 0.875em;
    font-weight: inherit;
    color: var(--_muted);
  }
  :host(.bare) [part='label'] {
    display: none;
  }
  :host(.sum) [part='value'] b {
    font-size: clamp(1em, 7cqi, 2em);
    line-height: 1.2;
  }
  [part='value'] {
    justify-self: start;
    max-inline-size: 100%;
    overflow-wrap: anywhere;
    text-wrap: balance;
    -webkit-user-select: all;
  }
  /* A word in large text that is wider than the card */
  h2,
  .note {
    overflow-wrap: anywhere;
  }
  code {
    font-family: var(--crypto-checkout-font-mono, ui-monospace, monospace);
    word-break: break-all;
  }
  /* Buyers compare the ends of an address: bold, and never broken. */
  code span {
    color: var(--_muted);
  }
  /* One line that keeps both ends; the whole value is selected and copied. */
  .long {
    display: flex;
  }
  strong,
  .long {
    white-space: nowrap;
  }
  .long span {
    overflow: hidden;
    text-overflow: ellipsis;
  }

  :host(crypto-qr) {
    overflow: hidden;
    border-radius: min(var(--_radius), 12px) !important;
  }
  :host(crypto-qr),
  [part='image'] {
    background: #fff !important;
    filter: none !important;
    opacity: 1 !important;
    mask: none !important;
    forced-color-adjust: none;
  }
  [part='image'] {
    display: block;
    inline-size: var(--crypto-checkout-qr-size, 16rem);
    min-inline-size: min(100%, 10rem) !important;
    max-inline-size: 100%;
    margin: auto;
    border-radius: 0 !important;
  }
  [part='image'] path {
    fill: #000 !important;
  }
  /* Room for the clock, whose code comes after the first view. */
  :host(.open) .row {
    min-block-size: 1.9em;
  }
  [part='clock'] {
    gap: 0.4em;
    padding: 0.2em 0.75em;
    background: var(--_soft);
    border-radius: var(--_radius);
    font-variant-numeric: tabular-nums;
    white-space: nowrap;
  }
  .soon {
    color: var(--_warn);
  }
  .spot {
    inline-size: 1.5em;
    block-size: 1.5em;
    background: color-mix(in srgb, var(--_text) 9%, var(--_back));
    border-radius: 50%;
  }
  [part='copy-button'] {
    /* Room for "Copied", so that the value keeps its lines. */
    min-inline-size: 6.25em;
    padding-inline: 0.4em;
    color: var(--_accent);
    background: var(--_back);
    border-color: transparent;
  }
  summary {
    min-block-size: 44px;
    align-content: center;
    cursor: pointer;
    list-style: none;
  }
  summary::after {
    content: '\\a0▾';
    /* Screen readers announce "collapsed" instead. */
    content: '\\a0▾' / '';
  }
  [part='field'] {
    padding: 0.6em 0.6em 0.6em 0.8em;
    background: var(--_soft);
    border: 0;
    border-radius: var(--_radius);
    margin-block-end: 8px;
  }
  :host(.sum) [part='field'] {
    padding: 0;
    margin: 0;
    background: none;
  }
  :host(.sum) button {
    background: var(--_soft);
  }
  [part='field'] > div {
    flex: 1 1 7em;
  }
  /* The copy button moves to a line of its own before the number breaks. */
  :host(.sum) [part='field'] > div {
    flex-basis: auto;
  }
  :host(.sum) [part='hint'] {
    contain: inline-size;
  }
  /* Tones */
  .note svg {
    color: var(--_tone);
    margin-block-start: 0.125em;
  }
  .note {
    border: 1px solid transparent;
    background: color-mix(in srgb, var(--_tone) 12%, var(--_back));
    justify-content: start;
    align-items: start;
    gap: 0.6em;
    padding: 0.6em 0.8em;
    border-radius: var(--_radius);
  }
  .warn {
    --_tone: var(--_warn);
  }
`;
