import { directionOf } from '@crypto-checkout/elements/locale';
import { escape } from './escape.ts';
import { FRAME_CSS, PAGE_CSS } from './sheet.ts';

export interface DocumentOptions {
  language: string;
  title: string;
  /** What link previews say below the title. */
  description?: string;
  /** Only in a shop's frame: which pages may hold it, and the look. */
  frame?: { origins: readonly string[]; theme: string } | null;
  /** Styles beside the page's own. */
  css?: string;
  /** Markup. */
  head: string;
  /** Markup. */
  main: string;
}

/** The document around what is drawn. */
export function documentOf({ language, title, description, frame, css = '', head, main }: DocumentOptions): string {
  const framed = frame ? ` data-frame="${escape(frame.origins.join(' '))}" data-theme="${escape(frame.theme)}"` : '';
  const root = `lang="${language}" dir="${directionOf(language)}"${framed}`;
  // Painted when all of it is there: a browser that paints half of what came moves the other half under the reader's eyes. It waits for
  // the start of what is named here, so that stands behind everything.
  const whole = '<link rel="expect" href="#end" blocking="render">';
  // One tag for both names: readers of previews know the one or the other.
  const preview = description ? `<meta name="description" property="og:description" content="${escape(description)}">` : '';
  const sheets = [PAGE_CSS, frame ? FRAME_CSS : '', css].map((sheet) => sheet && `<style>${sheet}</style>`).join('');
  return `<!doctype html><html ${root}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escape(
    title,
  )}</title>${preview}<link rel="icon" href="data:,">${whole}${sheets}${head}</head><body><main>${main}</main><span id="end"></span></body></html>`;
}
