/** Headers of every answer that is not a page (security facts §4.2); pages bring their own. Made once: headers set after the handler cost more than it. */
export function createHeaders({ secure }: { secure: boolean }) {
  const always: Record<string, string> = {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    ...(secure && { 'strict-transport-security': 'max-age=63072000; includeSubDomains; preload' }),
  };
  const never = { 'cache-control': 'no-store', 'x-robots-tag': 'noindex' };
  // Pages of other origins read with CORS, which this does not touch.
  const own = { ...always, ...never, 'cross-origin-resource-policy': 'same-origin' };
  const everywhere = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' };
  return {
    /** Of what has no body and leads nowhere. */
    empty: own,
    json: { ...own, 'content-type': 'application/json' },
    /** Inside our frame it is an answer in a shop's page, which may isolate itself: what may hold the frame is said by what it leads to. */
    redirect: {
      ...always,
      ...never,
      'content-security-policy': "default-src 'none'",
      'cross-origin-resource-policy': 'cross-origin',
    },
    /** For every page on the web: statuses, QR images. */
    publicJson: { ...always, ...never, ...everywhere, 'content-type': 'application/json' },
    image: { ...always, ...never, ...everywhere },
    script: { ...always, ...everywhere },
    events: {
      ...own,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    },
    plain: { ...own, 'content-type': 'text/plain; charset=utf-8' },
  };
}
