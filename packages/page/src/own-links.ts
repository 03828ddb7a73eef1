import { escape } from './escape.ts';

export interface OwnLinks {
  basePath: string;
  id: string;
  /** Where this page is, from `basePath` on: `/pay/…/`, `/invoice/…/` or `/frame/…/`. */
  path: string;
  /** The language that the address names; null where `Accept-Language` alone decides. */
  lang: string | null;
}

/** This page's address in this language, with what to show. */
export function ownLink({ basePath, path, lang }: Omit<OwnLinks, 'id'>, show?: string): string {
  const query = new URLSearchParams({ ...(lang !== null && { lang }), ...(show !== undefined && { show }) }).toString();
  return `${basePath}${path}${query && `?${query}`}`;
}

/**
 * Lets what is drawn lead back to this very page, in this language: an element knows only the checkout's own page, and without a script
 * every choice is a way through the server. Scripts never follow these links, they change what is shown.
 */
export function keepOwnLinks(html: string, own: OwnLinks): string {
  const id = escape(encodeURIComponent(own.id));
  const page = new RegExp(`"${literal(escape(`${own.basePath}/pay/`) + id)}/(?:\\?show=([a-z]+))?"`, 'g');
  const form = new RegExp(`"(${literal(escape(`${own.basePath}/checkouts/`) + id)}/(?:payment|renew))"`, 'g');
  return html
    .replace(page, (_, show: string | undefined) => `"${escape(ownLink(own, show))}"`)
    .replace(form, (_, action: string) => `"${action}${own.lang === null ? '' : `?lang=${encodeURIComponent(own.lang)}`}"`);
}

/**
 * Writes the address that a buyer keeps in full, as it is read on paper: an element that is drawn on a server does not know where that is
 * reached.
 */
export const inFull = (html: string, { basePath, publicUrl }: { basePath: string; publicUrl: string }): string =>
  html.replace(
    new RegExp(`>${literal(escape(basePath))}(/invoice/[^/<>]+/\\?show=receipt)<`, 'g'),
    (_, path: string) => `>${escape(publicUrl)}${path}<`,
  );

const literal = (text: string): string => text.replace(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
