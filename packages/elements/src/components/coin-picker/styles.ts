import { type CSSResult, css } from 'lit';

export const pickerSheet: CSSResult = css`
  label,
  [type='search'] {
    min-block-size: 44px;
    padding: 0.5em 1em;
    font: inherit;
    color: inherit;
    background: none;
    border: var(--_line);
    border-radius: var(--_radius);
    cursor: pointer;
  }
  /* The edge identifies the field and needs more contrast than lines between rows. */
  [type='search'],
  ::placeholder {
    border-color: var(--_muted);
    color: var(--_muted);
    opacity: 1;
  }
  [aria-disabled='true'] {
    opacity: 0.6;
  }
  label:has(:checked) {
    border-color: var(--_accent);
  }
  label:has(:focus-visible) {
    outline: 3px solid var(--_accent);
    outline-offset: 2px;
  }
  [type='radio'] {
    inline-size: 1.15em;
    block-size: 1.15em;
    accent-color: var(--_accent);
    outline: 0;
  }
  [part='mark'] {
    display: grid;
    place-items: center;
    flex: none;
    inline-size: 3.3em;
    block-size: 3.3em;
    color: var(--_text);
    background: color-mix(in srgb, var(--_text) 9%, var(--_back));
    border: 1px solid transparent;
    border-radius: 50%;
    font-size: 0.7em;
  }
  /* Marks come with a script. */
  span:empty {
    visibility: hidden;
  }
  [part='mark'] svg,
  .spot svg {
    display: block;
    inline-size: 100%;
  }
  .rim {
    fill: var(--_back);
  }
  .stack {
    gap: 0.6em;
  }
  fieldset {
    container-type: inline-size;
    min-inline-size: 0;
    border: 0;
  }
  /* In large text the amount moves below the name. */
  fieldset .row {
    flex-wrap: wrap;
  }
  fieldset .tight {
    gap: 0.35em;
  }
  .networks {
    align-items: stretch;
    justify-content: start;
    margin-block-start: 0.3em;
  }
  /* The usual fee and duration are below mark and name. */
  label[part='coin'] {
    display: grid;
    grid-template-columns: auto auto auto;
    justify-content: start;
    align-content: center;
    flex: 1 1 clamp(5em, 24cqi, 11em);
    min-inline-size: min-content;
    padding: 0.3em 0.4em;
    gap: 0 0.3em;
    font-size: 0.875em;
    line-height: 1.3;
  }
  [part='coin'] .name {
    display: contents;
  }
  [part='coin'] small {
    grid-column: 1 / -1;
    min-inline-size: min-content;
    order: 2;
    font-size: 0.857em;
  }
  [part='coin'] .spot {
    inline-size: 1.2em;
    block-size: 1.2em;
  }
  details[open] {
    flex: 1 0 100%;
  }
  /* Leaves room beside the last network: alone on a line the button would be lost. */
  .networks:has(details:not([open])) {
    padding-inline-end: 3.1em;
  }
  .networks > details:not([open]) {
    margin-inline-end: -3.1em;
  }
  .networks .button {
    gap: 0;
    min-inline-size: 44px;
    padding: 0 0.4em;
  }
  .networks :not([open]) > .button {
    block-size: 100%;
  }
  [open] > summary::after {
    content: '\\a0▴';
  }
  [dir='auto'] {
    text-align: -webkit-match-parent;
    text-align: match-parent;
  }
  @container (min-inline-size: 14em) {
    [part='usual'] {
      white-space: nowrap;
    }
  }
  /* No word of a name is broken. Labels and summaries hold no blocks of HTML. */
  .name {
    display: grid;
    flex: 1;
    min-inline-size: min-content;
  }
  [part='approx'] {
    margin-inline-start: auto;
    color: var(--_text);
    font-variant-numeric: tabular-nums;
    text-align: end;
  }
  section > :first-child {
    cursor: pointer;
  }
  label:hover {
    background: var(--_soft);
  }
  [part='asset'] {
    padding: 0.3em 0.25em;
    border-width: 0 0 1px;
    border-radius: 0;
    outline-offset: -3px;
  }
  [part='asset']:last-child {
    border: 0;
  }
  [type='radio'] {
    order: 1;
  }
  /* In sight of a long list; it covers no control that a keyboard focuses. */
  form:not(:has(:focus-visible)) [part='submit'] {
    position: sticky;
    inset-block-end: 8px;
  }
  /* A tap goes on. Keys need the radio buttons and a button to press. */
  @media (scripting) {
    label:has(:checked) {
      border-color: color-mix(in srgb, var(--_text) 17%, var(--_back));
    }
    @media (forced-colors: none) {
      [type='radio'] {
        position: absolute;
        opacity: 0;
      }
    }
    /* A tap that led nowhere, without a connection or before the script: the button shows. */
    form:not(:has(:checked:focus-visible, [part='submit']:focus, :checked:not(:default)))
      [part='submit'],
    form:not(:has(:focus-visible)) [part='submit'][aria-disabled='true'] {
      position: absolute;
      /* A full width would start beside the page's edge and widen the page. */
      inline-size: auto;
      clip-path: inset(50%);
    }
    /* The coin that another one is chosen instead of */
    :host(.given) label:has([checked]) {
      box-shadow: inset 3px 0 var(--_accent);
    }
    /* Also a preselected coin, while its payment is requested */
    label:has(:checked:focus-visible, :checked:not(:default)),
    .busy label:has(:checked) {
      background: var(--_soft);
      border-color: var(--_accent);
    }
  }
`;
