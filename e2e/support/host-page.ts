import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import type { Stack } from './stack.ts';

const SHELL = (head: string, body: string, lang: string): string =>
  `<!doctype html><html lang="${lang}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>A shop</title>${head}</head><body><main><h1>A shop</h1>${body}</main></body></html>`;

/**
 * The policy of a careful shop: nothing inline, scripts of its own and of the checkout server only,
 * no text made into code.
 */
export const strictPolicy = (stack: Stack): string =>
  [
    "default-src 'none'",
    `script-src 'self' ${stack.publicUrl}`,
    "style-src 'self'",
    `connect-src ${stack.publicUrl}`,
    `frame-src ${stack.publicUrl}`,
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'self'",
    "require-trusted-types-for 'script'",
    'trusted-types lit-html',
  ].join('; ');

/** The build's manifest of browser files. */
export const manifest = (): {
  version: string;
  sri: Record<string, string>;
  locales: Record<string, string>;
} =>
  JSON.parse(
    readFileSync(new URL('../../dist/elements/manifest.json', import.meta.url), 'utf8'),
  ) as never;

export interface HostPage {
  body: string;
  head?: string;
  lang?: string;
  /** Default: the strict policy. */
  policy?: string | null;
  path?: string;
}

/** A shop's page on the shop's origin, which differs from the checkout server's. Opens it. */
export async function openHostPage(
  page: Page,
  stack: Stack,
  {
    body,
    head = '',
    lang = 'en',
    policy = strictPolicy(stack),
    path = '/a-page-of-a-shop',
  }: HostPage,
): Promise<void> {
  await page.route(`${stack.shopUrl}${path}`, (route) =>
    route.fulfill({
      contentType: 'text/html; charset=utf-8',
      headers: policy === null ? {} : { 'content-security-policy': policy },
      body: SHELL(head, body, lang),
    }),
  );
  await page.goto(stack.shopUrl + path);
}

/** The script tag as documented. */
export function scriptTag(stack: Stack, file = 'crypto-checkout.mjs'): string {
  const { version, sri } = manifest();
  const kind = file.endsWith('.mjs') ? ' type="module"' : '';
  return `<script${kind} src="${stack.publicUrl}/elements/${version}/${file}" integrity="${sri[file]}" crossorigin="anonymous"></script>`;
}
