import { type CSSResult, css, isServer } from 'lit';
import { CryptoCheckout } from '../components/checkout/checkout.ts';
import { CryptoStatus } from '../components/status/status.ts';
import { loadTheme } from '../core/lazy-registry.ts';
import { statusSheet } from './status-sheet.ts';

/**
 * Styles of progress, payment details, forced colours and print. Server-drawn pages without details
 * leave them out: with the script they come with this module.
 */
export const proofSheet: CSSResult = css`
  progress,
  .steps {
    inline-size: 12em;
    max-inline-size: 100%;
    accent-color: var(--_tone);
  }
  .steps {
    display: flex;
    gap: 4px;
    margin-block-start: 0.75em;
  }
  .steps i {
    flex: 1;
    block-size: 8px;
    border: 1px solid var(--_tone);
    border-radius: 4px;
    forced-color-adjust: none;
  }
  .steps .done {
    background: var(--_tone);
  }
  @media (prefers-reduced-motion: no-preference) {
    .good [part='badge'] {
      animation: arrive 0.35s ease-out;
    }
    .steps .next {
      animation: pulse 2s ease-in-out infinite;
    }
    .steps .done {
      animation: fill 0.4s ease-out;
    }
  }
  @keyframes pulse {
    50% {
      background: color-mix(in srgb, var(--_tone) 40%, transparent);
    }
  }
  @keyframes fill {
    from {
      opacity: 0.3;
    }
  }
  @keyframes arrive {
    from {
      scale: 0.5;
    }
    70% {
      scale: 1.1;
    }
  }
  @media (forced-colors: active) {
    /* Browsers keep the colour of SVG icons, which may be unreadable on the reader's background. */
    .note svg {
      color: inherit;
    }
    .choice [aria-pressed='true'] {
      border: 3px solid Highlight;
    }
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

  /* Comes and goes while the buyer reads: at the bottom of the screen it moves nothing. */
  .afloat {
    order: 1;
    position: sticky;
    inset-block-end: 0;
  }
  /* The picker's button would cover it. */
  .afloat ~ * ::part(submit) {
    inset-block-end: auto;
  }
  /* Nor does it cover a control that a keyboard focuses. */
  @media (pointer: fine) {
    :focus-within > .afloat {
      position: static;
    }
  }

  @media not print {
    .paper {
      display: none;
    }
  }
  @media print {
    :host,
    [part='base'] {
      color-scheme: light !important;
      --_back: #fff !important;
      --_text: #000 !important;
      --_accent: #000 !important;
      --_muted: #000 !important;
    }
    [part='base'] {
      border: 0;
    }
    button,
    .button,
    .choices,
    [part='footer'],
    crypto-countdown,
    crypto-hand-off,
    ::part(copy-button) {
      display: none !important;
    }
    * {
      min-block-size: 0 !important;
    }
  }
`;

// Server-drawn pages include it in the elements' own styles.
if (isServer)
  for (const { elementStyles } of [CryptoCheckout, CryptoStatus])
    elementStyles.push(statusSheet, proofSheet);

const styled = new WeakSet<ShadowRoot>();

/** Adds this style sheet to an element, in a browser. */
export function addStatusStyles({ shadowRoot }: Element): void {
  const own = [statusSheet, proofSheet].flatMap(({ styleSheet }) => styleSheet ?? []);
  if (!shadowRoot || !own.length || styled.has(shadowRoot)) return;
  styled.add(shadowRoot);
  shadowRoot.adoptedStyleSheets = [...shadowRoot.adoptedStyleSheets, ...own];
}

/** Adds it to the checkout, and corrects the shop's theme. */
export function applyStatusStyles(host: Element): void {
  if (isServer) return;
  addStatusStyles(host);
  void loadTheme().then((theme) => theme?.keepReadable(host as HTMLElement));
}
