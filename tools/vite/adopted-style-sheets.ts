// Saves 375 B of the embed script and 338 B of the page script (measured 2026-11-23, brotli bytes
// of dist/embed/crypto-checkout.mjs and dist/page/page-*.mjs with and without this plugin).
import type { Plugin } from 'vite';

/**
 * Replaces Lit's style sheet helper by one that only adopts sheets. Every browser that runs ES2022
 * can adopt them, so Lit's fallback would never run.
 */
export const adoptedStyleSheets = (): Plugin => ({
  name: 'adopted-style-sheets',
  apply: 'build',
  enforce: 'pre',
  applyToEnvironment: ({ config }) => config.consumer === 'client',
  load: (id) =>
    !id.endsWith('/@lit/reactive-element/css-tag.js')
      ? null
      : `export class CSSResult {
          constructor(text) { this.cssText = text; }
          get styleSheet() {
            if (!this.sheet) (this.sheet = new CSSStyleSheet()).replaceSync(this.cssText);
            return this.sheet;
          }
          toString() { return this.cssText; }
        }
        export const supportsAdoptingStyleSheets = true;
        export const unsafeCSS = (text) => new CSSResult(String(text));
        export const css = (strings, ...values) => unsafeCSS(strings.reduce((text, next, at) => text + values[at - 1] + next));
        export const getCompatibleStyle = (style) => style;
        export const adoptStyles = (root, styles) => {
          root.adoptedStyleSheets = styles.map((style) => style.styleSheet ?? style);
        };`,
});
