/** The source expression that allows exactly this style. */
export async function styleHash(css: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(css));
  return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`;
}

const ALWAYS: Record<string, string> = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
  'referrer-policy': 'no-referrer',
  // Sharing, writing to the clipboard and keeping the screen on are the page's own by default.
  'permissions-policy': 'camera=(),microphone=(),geolocation=(),payment=(),clipboard-read=()',
  'cross-origin-opener-policy': 'same-origin',
};

export interface HeaderOptions {
  /** Hashes of exactly the styles in the page. */
  styles: string;
  language: string;
  /** Whether the public address is https. */
  secure: boolean;
  /** Origins of pages that may frame this one. Default none. */
  frameAncestors?: readonly string[];
  /** The one origin that may be framed in this page. Default none. */
  frameSource?: string | null;
}

/** The security headers of every page. */
export function pageHeaders({
  styles,
  language,
  secure,
  frameAncestors = [],
  frameSource = null,
}: HeaderOptions): Record<string, string> {
  const framed = frameAncestors.length > 0;
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' ${styles}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${framed ? frameAncestors.join(' ') : "'none'"}`,
    // Without a frame, `default-src` applies.
    ...(frameSource === null ? [] : [`frame-src ${frameSource}`]),
    "require-trusted-types-for 'script'",
    'trusted-types lit-html',
    ...(secure ? ['upgrade-insecure-requests'] : []),
  ];
  return {
    ...ALWAYS,
    'content-language': language,
    'content-security-policy': policy.join('; '),
    // A cross-origin isolated page may only embed documents that opt in.
    'cross-origin-resource-policy': framed ? 'cross-origin' : 'same-origin',
    // A process apart from a shop on the same site. A page of its own is apart by its opener
    // policy, and for this header a browser would start another process after the answer.
    ...(framed && { 'origin-agent-cluster': '?1' }),
    ...(secure && { 'strict-transport-security': 'max-age=63072000; includeSubDomains; preload' }),
  };
}
