import { directionOf } from '@crypto-checkout/elements/locale';
import { escape } from './escape.ts';
import { FRAME_CSS, PAGE_CSS } from './sheet.ts';

export interface DocumentOptions {
  language: string;
  title: string;
  /** For link previews; each is left out where it is missing. */
  preview?: { title: string | null; description: string; image: string | null } | null;
  /** Address of the icon in the browser's tab; null for none. */
  icon?: string | null;
  /** In a shop's frame only: the allowed parent pages, and the look. */
  frame?: { origins: readonly string[]; theme: string } | null;
  /** Styles in addition to the page's own. */
  css?: readonly string[];
  /** Markup. */
  head: string;
  /** Markup. */
  main: string;
}

/** The HTML document around the rendered element. */
export function documentOf({
  language,
  title,
  preview,
  icon = null,
  frame,
  css = [],
  head,
  main,
}: DocumentOptions): string {
  const framed = frame
    ? ` data-frame="${escape(frame.origins.join(' '))}" data-theme="${escape(frame.theme)}"`
    : '';
  const root = `lang="${language}" dir="${directionOf(language)}"${framed}`;
  // Blocks rendering until the document is complete: painting half of it would move the other half.
  // Browsers wait for the resource named here, so it comes last.
  const whole = '<link rel="expect" href="#end" blocking="render">';
  const sheets = [PAGE_CSS, frame ? FRAME_CSS : '', ...css]
    .map((sheet) => sheet && `<style>${sheet}</style>`)
    .join('');
  return `<!doctype html><html ${root}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escape(
    title,
  )}</title>${previewTags(preview)}<link rel="icon" href="${escape(icon ?? 'data:,')}">${whole}${sheets}${head}</head><body><main>${main}</main><span id="end"></span></body></html>`;
}

function previewTags(preview: DocumentOptions['preview']): string {
  if (!preview) return '';
  const tag = (name: string, content: string | null): string =>
    content === null ? '' : `<meta ${name} content="${escape(content)}">`;
  return (
    // One tag for both names: previews read one or the other.
    tag('name="description" property="og:description"', preview.description) +
    tag('property="og:title"', preview.title) +
    tag('property="og:image"', preview.image)
  );
}
