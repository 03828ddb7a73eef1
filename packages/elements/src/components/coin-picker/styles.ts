import { type CSSResult, css } from 'lit';
import { sheet } from '../../styles/sheet.ts';

export const pickerSheet: CSSResult = css`
  ${sheet}
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
    inline-size: 3.5em;
    block-size: 3.5em;
    color: var(--_accent);
    background: color-mix(in srgb, var(--_accent) 12%, var(--_back));
    border: 1px solid transparent;
    border-radius: 50%;
    font-size: 0.7em;
  }
  fieldset {
    border: var(--_line);
    border-radius: var(--_radius);
  }
  /* The first assets are never scrolled. The rest is, or the button would be far below. */
  .rest {
    max-block-size: max(24em, 50vh);
    overflow: auto;
  }
  .networks {
    align-items: stretch;
    margin-block-start: 0.35em;
  }
  label[part='coin'] {
    flex: 1;
    padding: 0.5em 0.4em;
    gap: 0.4em;
  }
  [part='asset'] {
    padding: 0.6em 0.9em;
    border-width: 0 0 1px;
    border-radius: 0;
    outline-offset: -3px;
  }
  [part='asset']:last-child,
  [part='all'] {
    border: 0;
  }
  [part='all'] > summary {
    padding-inline: 0.9em;
  }
  [part='asset'] div {
    flex: 1;
  }
  details > label {
    margin-block: 0.5em;
  }
  summary.row::after {
    content: '▾';
    /* Screen readers announce "collapsed" instead. */
    content: '▾' / '';
  }
  [part='gas'] {
    display: none;
  }
  :checked ~ div [part='gas'] {
    display: inline;
  }
  [type='radio'] {
    order: 1;
  }
`;
