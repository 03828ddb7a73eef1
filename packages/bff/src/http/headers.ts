/**
 * Headers of all responses except pages, which have their own. Created once: setting headers after
 * the handler costs more than the handler.
 */
export function createHeaders({ secure }: { secure: boolean }) {
  const transport: Record<string, string> = {
    'x-content-type-options': 'nosniff',
    ...(secure && { 'strict-transport-security': 'max-age=63072000; includeSubDomains; preload' }),
  };
  const always: Record<string, string> = {
    ...transport,
    'referrer-policy': 'no-referrer',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  };
  const never = { 'cache-control': 'no-store', 'x-robots-tag': 'noindex' };
  // CORS reads of other origins are not affected by this policy.
  const own = { ...always, ...never, 'cross-origin-resource-policy': 'same-origin' };
  const everywhere = {
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
  };
  return {
    /** For answers without a body: nothing is read, drawn, framed or indexed. */
    empty: {
      'cache-control': 'no-store',
      ...(secure && { 'strict-transport-security': transport['strict-transport-security']! }),
    },
    json: { ...own, 'content-type': 'application/json' },
    /**
     * For redirects. Inside the frame a redirect is loaded in a shop's page, which may isolate
     * itself; the framing policy is that of its target.
     */
    redirect: {
      ...always,
      ...never,
      'content-security-policy': "default-src 'none'",
      'cross-origin-resource-policy': 'cross-origin',
    },
    /** For every origin: statuses and QR images. */
    publicJson: { ...always, ...never, ...everywhere, 'content-type': 'application/json' },
    image: { ...always, ...never, ...everywhere },
    file: { ...always, ...everywhere },
    /** A page's own policies apply to its scripts; opened alone, a script is shown as text. */
    script: { ...transport, ...everywhere },
    /**
     * Browsers fetch modules with CORS alone, so that no resource policy applies, and read them as
     * UTF-8.
     */
    module: { ...transport, 'access-control-allow-origin': '*' },
    /** Always UTF-8, and never a document, which would need policies of its own. */
    events: {
      ...transport,
      'cross-origin-resource-policy': 'same-origin',
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    },
    plain: { ...own, 'content-type': 'text/plain; charset=utf-8' },
  };
}

export type ResponseHeaders = ReturnType<typeof createHeaders>;
