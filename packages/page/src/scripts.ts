import { textsOf } from '@crypto-checkout/elements/locale';
import { escape } from './escape.ts';

/** The built browser files, as listed in their manifest. */
export interface ElementFiles {
  version: string;
  embed: string;
  classic: string;
  page: string;
  /** For pages that render the element on their own server. */
  ssr?: string;
  locales: Record<string, string>;
  sri: Record<string, string>;
  sizes: Record<string, { raw: number; gzip: number; br: number }>;
}

/** The hosted page's script tags. The language's texts load in parallel. */
export function pageScripts(
  { version, page, locales, sri }: ElementFiles,
  basePath: string,
  language: string,
): string {
  const at = (file: string): string => escape(`${basePath}/elements/${version}/${file}`);
  const integrity = (file: string): string =>
    sri[file] ? ` integrity="${escape(sri[file])}"` : '';
  const texts = locales[textsOf(language)];
  return `<script type="module" src="${at(page)}"${integrity(page)}></script>${
    texts ? `<link rel="modulepreload" href="${at(texts)}"${integrity(texts)}>` : ''
  }`;
}
