/** Rules for the time before the script, and for pages without one. */
// The build minifies no styles in a file that also makes some from text.
import { css } from 'lit';

/**
 * Without scripting, hides everything that needs a script. A browser that renders the element
 * itself has scripting.
 */
export const NO_SCRIPT = css`
  @media (scripting: none) {
    .script,
    span:empty {
      display: none;
    }
    /* A request is copied by hand: whole, and without line breaks. */
    .long {
      display: block;
      white-space: normal;
    }
    label [type='radio'] {
      order: 0;
    }
  }
`;

/**
 * Shows amount and code first: the rest is left out of the first frame and appears in
 * the next, without moving anything. A phone folds the code below the rest, so that it comes with
 * the rest there. Where such animations are unsupported or switched off, and once the script runs,
 * everything shows at once.
 */
export const CODE_FIRST = css`
  @keyframes rest {
    from {
      display: none;
    }
  }
  :host(:not(:defined)) :is(.pay > :not(:first-child, .code), .pay ~ *, [part='footer']) {
    animation: rest 1ms step-end;
  }
  @media (max-device-width: 40em) {
    :host(:not(:defined)) .code {
      animation: rest 1ms step-end;
    }
  }
`;
