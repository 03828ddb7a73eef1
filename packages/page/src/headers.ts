/** The source expression that lets exactly this style through. */
export async function styleHash(css: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(css));
  return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`;
}

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "object-src 'none'",
  "frame-ancestors 'none'",
  "frame-src 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types lit-html',
];

const ALWAYS: Record<string, string> = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  vary: 'Accept-Language',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), clipboard-read=(), clipboard-write=(self)',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
};

/** The headers of every page, for pages with exactly these styles. */
export function pageHeaders({ styles, language, secure }: { styles: string; language: string; secure: boolean }): Record<string, string> {
  return {
    ...ALWAYS,
    'content-language': language,
    'content-security-policy': [...POLICY, `style-src 'self' ${styles}`, ...(secure ? ['upgrade-insecure-requests'] : [])].join('; '),
    ...(secure && { 'strict-transport-security': 'max-age=63072000; includeSubDomains; preload' }),
  };
}
