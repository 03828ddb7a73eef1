import { type CSSResult, css } from 'lit';

export const dialogSheet: CSSResult = css`
  :host {
    display: inline-block;
  }
  dialog {
    color-scheme: light dark;
    inline-size: min(46rem, 100vw - 2rem);
    max-inline-size: none;
    max-block-size: calc(100dvh - 2rem);
    margin: auto;
    padding: 0;
    overflow: auto;
    overscroll-behavior: contain;
    /* The focused element must not be covered by the sticky close button. */
    scroll-padding-block-start: 52px;
    text-align: start;
    color: var(--_text);
    background: var(--_back);
    border: var(--_line);
    border-radius: var(--_radius);
    outline: 0;
  }
  :host([theme='light']) dialog {
    color-scheme: light;
  }
  :host([theme='dark']) dialog {
    color-scheme: dark;
  }
  dialog::backdrop {
    background: rgb(9 13 18 / 60%);
  }
  [part='close'] {
    position: sticky;
    inset-block-start: 0;
    z-index: 1;
    margin-inline-start: auto;
    min-inline-size: 44px;
    padding: 0.5em;
    background: var(--_back);
    border-color: transparent;
  }
  /* Content that scrolls below the button is hidden as a whole line. */
  [part='close']::before {
    content: '';
    position: absolute;
    z-index: -1;
    inset-block: 0;
    inset-inline-end: 0;
    inline-size: 100vw;
    background: inherit;
    pointer-events: none;
  }
  crypto-checkout::part(base) {
    padding-block-start: 0;
    border: 0;
    border-radius: 0;
  }
  @media (max-width: 40em), (max-height: 24em) {
    dialog {
      inline-size: 100vw;
      block-size: 100dvh;
      max-block-size: none;
      border: 0;
      border-radius: 0;
    }
  }
  @media (prefers-reduced-motion: no-preference) {
    dialog[open] {
      animation: appear 0.15s ease-out;
    }
    @keyframes appear {
      from {
        opacity: 0;
        translate: 0 0.5rem;
      }
    }
  }
`;
