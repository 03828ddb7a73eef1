import { escape } from './escape.ts';

export interface OwnLinks {
  basePath: string;
  id: string;
  /** The page's path after `basePath`: `/pay/…/`, `/invoice/…/` or `/frame/…/`. */
  path: string;
  /** The language in the address; null when `Accept-Language` alone decides. */
  lang: string | null;
}

/** This page's address in this language, with the view to show. */
export function ownLink({ basePath, path, lang }: Omit<OwnLinks, 'id'>, show?: string): string {
  const query = new URLSearchParams({
    ...(lang !== null && { lang }),
    ...(show !== undefined && { show }),
  }).toString();
  return `${basePath}${path}${query && `?${query}`}`;
}

/**
 * Rewrites links in rendered markup to this page, in this language: an element links to the
 * checkout's standard page, and without a script every choice is a request. Scripts never follow
 * these links; they change the view. The link to save stays: a page in a frame is no page to save.
 */
export function keepOwnLinks(html: string, own: OwnLinks): string {
  const id = escape(encodeURIComponent(own.id));
  const page = new RegExp(
    `(part="keep-link" href=)?"${literal(escape(`${own.basePath}/pay/`) + id)}/(?:\\?show=([a-z]+))?"`,
    'g',
  );
  const form = new RegExp(
    `"(${literal(escape(`${own.basePath}/checkouts/`) + id)}/(?:payment|renew))"`,
    'g',
  );
  return html
    .replace(page, (link, kept: string | undefined, show: string | undefined) =>
      kept ? link : `"${escape(ownLink(own, show))}"`,
    )
    .replace(
      form,
      (_, action: string) =>
        `"${action}${own.lang === null ? '' : `?lang=${encodeURIComponent(own.lang)}`}"`,
    );
}

/**
 * Replaces the page's relative address by the full one, because buyers print it. An element on a
 * server does not have the public address.
 */
export const withFullReceiptAddress = (
  html: string,
  { basePath, publicUrl }: { basePath: string; publicUrl: string },
): string =>
  html.replace(
    new RegExp(`>${literal(escape(basePath))}(/(?:pay|invoice)/[^/<>]+/\\?show=receipt)<`, 'g'),
    (_, path: string) => `>${escape(publicUrl)}${path}<`,
  );

const literal = (text: string): string => text.replace(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
