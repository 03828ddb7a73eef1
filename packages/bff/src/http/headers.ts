/** Headers of every answer that is not a page; pages bring their own. Made once: headers set after the handler cost more than it. */
export function createHeaders({ secure }: { secure: boolean }) {
  const always: Record<string, string> = {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    ...(secure && { 'strict-transport-security': 'max-age=63072000; includeSubDomains; preload' }),
  };
  return {
    json: { ...always, 'content-type': 'application/json', 'cache-control': 'no-store', 'x-robots-tag': 'noindex' },
    /** For every page on the web: statuses, QR images. */
    publicJson: {
      ...always,
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    },
    image: {
      ...always,
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    },
    script: { ...always, 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' },
    events: {
      ...always,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    },
    plain: { ...always, 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  };
}
