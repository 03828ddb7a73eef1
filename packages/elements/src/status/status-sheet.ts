import { type CSSResult, css } from 'lit';

/** Styles of everything that the status module draws; loaded with it. */
export const statusSheet: CSSResult = css`
  [aria-disabled='true'] {
    opacity: 0.6;
  }
  a {
    color: var(--_accent);
  }
  [part='footer'] a {
    min-block-size: 44px;
    align-content: center;
  }
  /* An order's id moves to a line of its own before it breaks. */
  [part='footer'],
  .choice > div,
  .more,
  .fill,
  li {
    flex-wrap: wrap;
  }
  [part='footer'] small {
    overflow-wrap: anywhere;
  }
  details {
    border-block-start: var(--_line);
  }
  /* Segmented choice; the chosen option is raised */
  .choices {
    display: flex;
    flex-wrap: wrap;
    align-items: end;
    gap: 0.75em 1em;
  }
  .choice {
    display: grid;
    flex: 1 1 15em;
    gap: 0.25em;
  }
  .choice > div {
    gap: 0;
    padding: 2px;
    background: var(--_soft);
    border: 1px solid transparent;
    border-radius: var(--_radius);
  }
  .primary {
    border-color: transparent;
  }
  .choice button {
    flex: 1 1 0;
    padding-inline: 0.25em;
    white-space: nowrap;
    border-color: transparent;
  }
  .choice [aria-pressed='true'] {
    font-weight: 600;
    background: var(--_back);
    border-color: var(--_muted);
  }
  .more {
    flex: 2 1 20em;
  }
  .more span {
    flex: 99 1 10em;
  }
  .more button {
    flex: 1 1 auto;
    color: var(--_on, var(--_back));
    background: var(--_fill, var(--_accent));
  }
  /* Without a script it is shown from the start, as quiet as a link. */
  .noscript,
  .noscript button {
    background: none;
  }
  .noscript button {
    color: var(--_accent);
  }

  /* Progress and next steps */
  .fill {
    justify-content: center;
  }
  .fill > * {
    flex: 1 1 auto;
    min-inline-size: 8em;
  }
  /* Its place is in the payment, once that is open. */
  details:has(summary.button) {
    border: 0;
  }
  [open] > .primary {
    color: inherit;
    background: none;
  }
  [part='status'] {
    scroll-margin: 1em;
  }
  /* Alone it is as quiet as a link. */
  [part='other-coin']:only-child {
    color: var(--_accent);
    border-color: transparent;
  }
  /* The main action does not share its line on a phone. */
  .fill > .primary {
    flex-basis: 13em;
  }
  /* It lies over what is below: nothing moves, and presses pass. */
  .toast {
    position: relative;
    z-index: 1;
    block-size: 0;
    pointer-events: none;
  }
  .toast small {
    display: block;
    padding: 0.5em 1em;
    color: var(--_back);
    background: var(--_text);
    border-radius: var(--_radius);
  }
  .center {
    text-align: center;
  }
  ul {
    padding-inline: 0.9em;
    border: var(--_line);
    border-radius: var(--_radius);
    list-style: none;
  }
  li {
    min-block-size: 44px;
    padding-block: 0.5em;
    border-block-end: var(--_line);
  }
  li:last-child {
    border: 0;
  }
  /* A shortened transaction id or address */
  li > * + *,
  .short {
    white-space: nowrap;
  }
  .center,
  [part='keep'] {
    color: var(--_muted);
  }
  [part='badge'] {
    display: grid;
    place-items: center;
    inline-size: 3.5em;
    block-size: 3.5em;
    color: var(--_tone);
    background: color-mix(in srgb, var(--_tone) 12%, var(--_back));
    border: 1px solid transparent;
    border-radius: 50%;
  }
  .good {
    --_tone: var(--crypto-checkout-success, light-dark(#0f6b43, #6fd9a5));
  }
  .bad {
    --_tone: var(--crypto-checkout-danger, light-dark(#ad1f1f, #ffb0a8));
  }
  h2 {
    flex: 1;
  }
  .picture {
    text-wrap: balance;
  }
  :host(.open) .row {
    flex-wrap: wrap;
  }
  /* The content beside a heading wraps before the heading takes three lines. */
  :host(.open) h2 {
    flex-basis: 10em;
  }
  :host(.open) [part='badge'] {
    inline-size: 2.5em;
    block-size: 2.5em;
  }
  :host(:not(.open)) .picture {
    text-align: center;
    justify-items: center;
  }
  :host(:not(.open)) .picture .row {
    flex-direction: column;
  }

  @media (scripting) {
    .noscript {
      display: none !important;
    }
  }
`;
