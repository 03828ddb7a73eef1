import { type CSSResult, css } from 'lit';

/**
 * The style sheet of the card: its header, the payment and its code. It stands apart from
 * `sheet.ts`, because a server-drawn page writes that one into every element.
 */
export const checkoutSheet: CSSResult = css`
  :host(crypto-checkout) {
    container-type: inline-size;
    color-scheme: light dark;
    filter: none !important;
  }
  [part='total'] {
    font-size: 1.125em;
    font-weight: 600;
    overflow-wrap: normal;
    text-align: end;
  }
  [part='base'] {
    padding: clamp(18px, 5cqi, 2em);
    font: var(--crypto-checkout-font, max(1rem, 16px) / 1.5 system-ui, sans-serif);
    color: var(--_text);
    background: var(--_back);
    border: var(--_line);
    border-radius: min(var(--_radius), 24px);
    overflow-wrap: break-word;
  }
  [part='header'] {
    padding-block-end: 0.75em;
  }
  [part='header'] > div {
    flex: 1 1 8em;
  }
  [part='footer'] {
    min-block-size: 44px;
    align-content: center;
  }
  /* Reserved height for lazily loaded content */
  .twin,
  .from {
    min-block-size: 76px;
  }
  .twin.from {
    min-block-size: 164px;
  }
  .room {
    min-block-size: 44px;
  }
  .stack:not(.room):empty {
    display: none;
  }
  crypto-qr {
    border: var(--_line);
    border-radius: var(--_radius);
  }
  .pay,
  .pay > div {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    align-content: start;
    gap: 0.75em;
  }
  .pay > :first-child {
    gap: 0.35em;
    order: -1;
  }
  .code {
    order: -1;
  }
  .chip {
    overflow-wrap: anywhere;
    justify-self: start;
    gap: 0.5em;
    padding: 0.3em 0.8em;
    background: var(--_soft);
    border-radius: var(--_radius);
  }
  .ways {
    min-block-size: 44px;
    flex-wrap: wrap;
    align-content: start;
    gap: 8px;
  }
  .linked {
    min-block-size: 96px;
  }
  @media (scripting: none) {
    .ways {
      min-block-size: 0;
    }
  }
  .wallet {
    flex: 1 0 100%;
    font-weight: 600;
  }
  .fold {
    display: none;
  }
  @container (min-inline-size: 40em) {
    .pay {
      grid-template: auto auto 1fr / 17em minmax(0, 1fr);
      gap: 0.75em 2em;
    }
    .pay > div {
      grid-column: 2;
    }
    .pay > .code {
      grid-area: 1 / 1 / span 3;
    }
    .twin.from {
      min-block-size: 76px;
    }
  }

  /* A phone cannot scan its own screen. */
  @media (max-device-width: 40em) {
    .apps {
      min-block-size: 96px;
      order: -1;
    }
    .wallet {
      color: var(--_on, var(--_back));
      background: var(--_fill, var(--_accent));
    }
    .fold {
      display: flex;
    }
    .code {
      order: 0;
    }
    .fold:not(:has(:checked)) ~ * {
      display: none;
    }
    .fold input {
      position: absolute;
      appearance: none;
    }
    .fold :checked + span,
    .fold :not(:checked) + span + span {
      display: none;
    }
  }
`;
