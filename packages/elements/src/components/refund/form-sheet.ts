import { type CSSResult, css } from 'lit';

/** Styles of the form for a refund. */
export const formSheet: CSSResult = css`
  form {
    display: grid;
    gap: 1em;
  }
  label {
    display: grid;
    gap: 0.35em;
  }
  input,
  textarea {
    inline-size: 100%;
    min-block-size: 44px;
    padding: 0.5em 0.8em;
    font: inherit;
    color: inherit;
    background: none;
    border: 1px solid var(--_muted);
    border-radius: var(--_radius);
    unicode-bidi: plaintext;
  }
  /* All of an address is readable: where the field does not grow, it has rows for it. */
  textarea {
    font-family: var(--crypto-checkout-font-mono, ui-monospace, monospace);
    overflow-wrap: anywhere;
    resize: none;
    field-sizing: content;
  }
  [aria-invalid='true'] {
    border-color: var(--_tone);
  }
  fieldset {
    min-inline-size: 0;
    border: 0;
  }
  [part='refund-payment'] {
    display: flex;
    align-items: center;
    gap: 0.75em;
    min-block-size: 44px;
    padding-block: 0.35em;
    border-block-end: var(--_line);
  }
  [part='refund-payment'] small {
    display: block;
  }
  [type='radio'] {
    flex: none;
    inline-size: 1.25em;
    min-block-size: 1.25em;
    accent-color: var(--_accent);
  }
  dl > div {
    display: flex;
    flex-wrap: wrap;
    gap: 0 1em;
    padding-block: 0.5em;
    border-block-end: var(--_line);
  }
  dt {
    color: var(--_muted);
    flex: 0 0 9em;
  }
  dd {
    flex: 1 1 14em;
    min-inline-size: 0;
    overflow-wrap: anywhere;
  }
  h3 {
    scroll-margin: 0.5em;
  }
  [readonly] {
    padding: 0;
    border: 0;
    min-block-size: 0;
    font-family: var(--crypto-checkout-font-mono, ui-monospace, monospace);
  }
  label > span {
    color: var(--_muted);
  }
  .ends > .primary {
    flex: 1;
  }
  .sum {
    font-size: 1.5em;
    font-weight: 600;
    line-height: 1.2;
  }
  .bad,
  [aria-invalid='true'] {
    --_tone: var(--crypto-checkout-danger, light-dark(#ad1f1f, #ffb0a8));
  }
  [aria-disabled='true'] {
    opacity: 0.6;
  }
`;
