import { formatCoins } from '../../i18n/number.ts';
import type { CryptoAmount } from './amount.ts';

/**
 * Copies a manually selected amount with a decimal point: wallets reject a comma, or read it as a
 * thousands separator.
 */
export function copyExactAmount(event: ClipboardEvent): void {
  const part = event
    .composedPath()
    .find(
      (one): one is CryptoAmount => one instanceof Element && one.localName === 'crypto-amount',
    );
  if (!part?.amount) return;
  const shown = formatCoins(part.amount, part.language);
  // Some browsers do not report a selection inside a shadow root.
  const root = part.renderRoot as ShadowRoot & { getSelection?(): Selection | null };
  const selected = String(root.getSelection?.() ?? document.getSelection()).trim() || shown;
  // Other selections are copied unchanged.
  const separator = shown[part.amount.indexOf('.')] ?? '.';
  if (separator === '.' || !`${shown} ${part.symbol}`.includes(selected)) return;
  event.preventDefault();
  event.clipboardData?.setData('text/plain', selected.replace(separator, '.'));
}
