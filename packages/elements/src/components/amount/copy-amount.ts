import { formatSum } from '../../i18n/number.ts';
import type { CryptoAmount } from './amount.ts';

/**
 * Copies a manually selected amount with a decimal point and without grouping: wallets reject other
 * separators, or read one as the other.
 */
export function copyExactAmount(event: ClipboardEvent): void {
  const part = event
    .composedPath()
    .find(
      (one): one is CryptoAmount => one instanceof Element && one.localName === 'crypto-amount',
    );
  if (!part?.amount) return;
  const { amount, symbol } = part;
  const shown = formatSum(amount, symbol, part.language);
  // Some browsers do not report a selection inside a shadow root.
  const root = part.renderRoot as ShadowRoot & { getSelection?(): Selection | null };
  const selected = String(root.getSelection?.() ?? document.getSelection()).trim() || shown;
  // Other selections are copied unchanged.
  if (shown === amount || !plainSpaces(`${shown} ${symbol}`).includes(plainSpaces(selected)))
    return;
  const separator = amount.includes('.') && /\D(?=\d*$)/.exec(shown)?.[0];
  event.preventDefault();
  event.clipboardData?.setData(
    'text/plain',
    selected.replace(/[^\dA-Za-z](?=\d)/g, (mark) => (mark === separator ? '.' : '')),
  );
}

/** Browsers differ in the spaces of a selection. */
const plainSpaces = (text: string): string => text.replace(/\s/g, ' ');
