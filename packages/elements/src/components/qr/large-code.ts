import type { CheckoutPayment } from '@crypto-checkout/protocol/checkout';
import { type CSSResult, type TemplateResult, css, html } from 'lit';
import { statusModule } from '../../core/lazy-registry.ts';
import { msg } from '../../i18n/locale.ts';
import { formatSum } from '../../i18n/number.ts';
import { amountOf, inWalletUnit, networksOf } from '../../core/payment.ts';
import './qr.ts';

/**
 * White in every theme for cameras. Adopted when the code opens, so that server-drawn pages need no
 * further style hash.
 */
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

/** Draws the code as large as the screen allows. */
export function drawLargeCode(
  payment: CheckoutPayment,
  language: string,
  onClose: () => void,
): TemplateResult {
  const { strings, qr, symbol } = payment;
  const amount = amountOf(payment);
  const due = amount ? inWalletUnit(amount, payment) : null;
  const sum = due ? `${formatSum(due.amount, due.symbol, language)} ${due.symbol}` : symbol;
  const label = statusModule()?.qrLabel(payment, language) ?? sum;
  return html`<dialog part="large-code" aria-label=${label} @close=${onClose}>
    <crypto-qr
      part="qr"
      .path=${qr.path}
      .size=${qr.size}
      .value=${strings.qr}
      .label=${label}
    ></crypto-qr>
    <p translate="no"><bdi>${sum}</bdi> · ${networksOf(payment, language)}</p>
    <button part="close-button" type="button" @click=${closeAround}>
      ${msg('Close', { id: 'close' })}
    </button>
  </dialog>`;
}

const closeAround = ({ currentTarget }: Event): void =>
  (currentTarget as Element).closest('dialog')?.close();

/**
 * Keeps the screen on; asks again when the page becomes visible.
 * @returns a function that releases it
 */
export function keepScreenOn(): () => void {
  let ended = false;
  let lock: WakeLockSentinel | undefined;
  const ask = async (): Promise<void> => {
    if (document.visibilityState !== 'visible') return;
    try {
      lock = await navigator.wakeLock.request('screen');
      if (ended) await lock.release();
    } catch {
      // Not supported, low battery or no permission: the code is shown anyway.
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
