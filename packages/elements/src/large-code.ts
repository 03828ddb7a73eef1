import type { CheckoutPayment } from '@crypto-checkout/protocol/checkout';
import { type CSSResult, type TemplateResult, css, html } from 'lit';
import { later } from './later.ts';
import { msg } from './locale.ts';
import { formatCoins } from './number.ts';
import { amountOf } from './panel.ts';
import './qr.ts';

/** White in every theme: a camera looks at it. Adopted where the code is shown, so that no server-drawn page needs another hash. */
export const largeCodeSheet: CSSResult = css`
  dialog {
    --crypto-checkout-qr-size: min(94vw, 80vh);
    color-scheme: light;
    inline-size: 100vw;
    block-size: 100vh;
    max-inline-size: none;
    max-block-size: none;
    padding: 3vmin;
    border: 0;
    color: #15202b;
    background: #fff;
    forced-color-adjust: none;
    font: var(--crypto-checkout-font, max(1rem, 16px) / 1.5 system-ui, sans-serif);
    text-align: center;
  }
  dialog[open] {
    display: grid;
    place-content: center;
    gap: 1em;
  }
  dialog crypto-qr {
    margin: 0;
    padding: 0;
    border: 0;
  }
  dialog button {
    justify-self: center;
    color: #15202b;
    border: 1px solid;
  }
  dialog :focus-visible {
    outline-color: #15202b;
  }
`;

/** The code, as large as the screen allows. */
export function drawLargeCode(payment: CheckoutPayment, language: string, onClose: () => void): TemplateResult {
  const { strings, qr, symbol, network } = payment;
  const amount = amountOf(payment);
  const sum = amount ? `${formatCoins(amount, language)} ${symbol}` : symbol;
  const label = later()?.nameOfCode(payment, language) ?? sum;
  return html`<dialog part="large-code" aria-label=${label} @close=${onClose}>
    <crypto-qr part="qr" .path=${qr.path} .size=${qr.size} .value=${strings.qr} .label=${label}></crypto-qr>
    <p translate="no"><bdi>${sum}</bdi> · ${network}</p>
    <button part="close-button" type="button" @click=${closeAround}>${msg('Close', { id: 'close' })}</button>
  </dialog>`;
}

const closeAround = ({ currentTarget }: Event): void => (currentTarget as Element).closest('dialog')?.close();

/** Keeps the screen lit, where the device allows it, until the end that is returned. A page that was hidden asks again. */
export function keepScreenOn(): () => void {
  let ended = false;
  let lock: WakeLockSentinel | undefined;
  const ask = async (): Promise<void> => {
    if (document.visibilityState !== 'visible') return;
    try {
      lock = await navigator.wakeLock.request('screen');
      if (ended) await lock.release();
    } catch {
      // No such lock, a low battery, a frame without permission: the code is shown all the same.
    }
  };
  const again = (): void => void ask();
  document.addEventListener('visibilitychange', again);
  again();
  return () => {
    ended = true;
    document.removeEventListener('visibilitychange', again);
    void lock?.release().catch(() => {});
  };
}
