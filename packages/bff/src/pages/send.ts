import { type Reader, chooseReader } from '@crypto-checkout/page';
import type { Context } from 'hono';
import { codedText } from '../http/content-coding.ts';
import type { Services } from '../services.ts';

/** A payment link answers HTML, JSON or text; these request headers select the response. */
export const VARY = 'Accept, Accept-Encoding, Accept-Language, User-Agent';

export const readerOf = (c: Context): Reader =>
  chooseReader(c.req.header('accept') ?? null, c.req.header('user-agent') ?? null);

export function sendPage(
  c: Context,
  { options }: Services,
  page: { html: string; headers: Record<string, string> },
  status: number,
): Response {
  const { body, headers } = codedText(page.html, options.host, c.req.header('accept-encoding'));
  // Without `Vary`, which says to caches when a stored answer fits: they may store no page.
  return new Response(body, { status, headers: { ...page.headers, ...headers } });
}

export function sendText(
  { headers }: Services,
  {
    text,
    language,
    headers: more = {},
  }: { text: string; language: string; headers?: Record<string, string> },
  status: number,
): Response {
  return new Response(text, {
    status,
    headers: { ...headers.plain, ...more, 'content-language': language, vary: VARY },
  });
}
