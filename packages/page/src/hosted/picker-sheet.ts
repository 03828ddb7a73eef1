import { type CSSResult, unsafeCSS } from 'lit';

/**
 * The sheet of the coin picker: on a page with the list of coins the server has written it into
 * the list. Read at once: drawing anew removes it. The build replaces the picker's own sheet by
 * this one.
 */
const written = document
  .querySelector('crypto-checkout')
  ?.shadowRoot?.querySelector('crypto-coin-picker')
  ?.shadowRoot?.querySelectorAll('style')[1]?.textContent;

export const pickerSheet: CSSResult = unsafeCSS(written ?? '');

/** Fetches the sheet for a page without the list, before the list is drawn. */
export async function loadPickerSheet(): Promise<void> {
  if (written !== undefined) return;
  const { pickerSheet: whole } = await import('@crypto-checkout/elements/picker-sheet');
  Object.assign(pickerSheet, { cssText: whole.cssText });
}
