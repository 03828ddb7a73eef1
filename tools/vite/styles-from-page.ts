// Saves 1,612 B of the page script and 1,111 B of the file for paying (measured 2026-11-26, brotli
// bytes of dist/page/*.mjs with and without this plugin).
/**
 * The hosted page's script takes the styles that its server has written into the page, instead of a
 * second copy.
 */
import type { Plugin } from 'vite';

/** The modules with a sheet, by the place of the sheet in the checkout's shadow root. */
const SHEETS = {
  sheet: '/elements/src/styles/sheet.ts',
  checkoutSheet: '/elements/src/styles/checkout-sheet.ts',
  statusSheet: '/elements/src/status/status-sheet.ts',
};

/** The coin picker, whose sheet is on some pages only, and the module that takes it from there. */
const PICKER = '/elements/src/components/coin-picker/coin-picker.ts';
const FROM_LIST = '/packages/page/src/hosted/picker-sheet.ts';

export const stylesFromPage = (): Plugin => ({
  name: 'styles-from-page',
  apply: 'build',
  enforce: 'pre',
  applyToEnvironment: ({ name }) => name === 'page',
  resolveId(source, importer) {
    return source === './styles.ts' && importer?.endsWith(PICKER)
      ? `${this.environment.config.root}${FROM_LIST}`
      : null;
  },
  load(id) {
    if (id.endsWith(SHEETS.sheet))
      // Read at once: drawing anew removes them. Where a browser left the shadow root in its
      // template, they are there.
      return `import { unsafeCSS } from 'lit';
        const element = document.querySelector('crypto-checkout');
        const root = element?.shadowRoot ?? element?.querySelector('template')?.content;
        export const [${Object.keys(SHEETS).join()}] = [0, 1, 2].map((at) => unsafeCSS(root?.querySelectorAll('style')[at]?.textContent ?? ''));`;
    const other = Object.entries(SHEETS).find(([, path]) => id.endsWith(path))?.[0];
    return other ? `export { ${other} } from '../styles/sheet.ts';` : null;
  },
});
