/**
 * Correction for the address of a checkout server; empty if it is correct.
 * @param name - The attribute or option, with its value.
 */
export function addressAdvice(name: string, server: string): string {
  // Without a scheme it is a path on the shop's own origin.
  if (!server || /^(?:https?:\/\/|\/)/i.test(server)) return '';
  const whole = `${/^(?:localhost|127\.|\[::1\])/i.test(server) ? 'http' : 'https'}://${server.replace(/^\w*:\/+/, '')}`;
  return `${name} has to be a whole address, such as ${whole}`;
}

/** Possible causes of a missing answer: browsers do not report which one applies. */
export const unreachableAdvice = (place: string): string =>
  `${place} cannot be reached from here: is it a checkout server that runs${/^https:/i.test(place) ? ', does it speak https' : ''}, do its EMBED_ORIGINS name ${location.origin}, ` +
  'and does the policy of this page, where there is one, name it in connect-src?';

/** Time limit of a probe: the message waits for it. */
const LOOK_MS = 3000;

/**
 * Probes an address that did not answer. A checkout server serves its script to every origin, even
 * to those that EMBED_ORIGINS does not list.
 * @returns the cause; empty if it stays unknown
 */
export async function probeServer(place: string): Promise<string> {
  if (!URL.canParse(place, location.href) || !navigator.onLine) return '';
  const { href, origin, pathname } = new URL(place, location.href);
  const init: RequestInit = {
    credentials: 'omit',
    cache: 'no-store',
    signal: AbortSignal.timeout(LOOK_MS),
  };
  const isServer = (at: string): Promise<boolean> =>
    fetch(`${at.replace(/\/+$/, '')}/crypto-checkout.js`, init).then(
      ({ ok, headers }) => ok && /javascript/.test(headers.get('content-type') ?? ''),
      () => false,
    );
  const answers = (): Promise<boolean> =>
    fetch(href, { ...init, mode: 'no-cors' }).then(
      () => true,
      () => false,
    );
  if (await isServer(href))
    return `${place} is a checkout server, and gives its script but no answer to this page: do its EMBED_ORIGINS name ${location.origin}?`;
  if (pathname !== '/' && (await isServer(origin)))
    return `the checkout server is at ${origin}: without the path, ${place} is not its address`;
  return (await answers())
    ? `what is at ${place} answers, but not to this page: is it the checkout server, and not the payment service behind it, and do its EMBED_ORIGINS name ${location.origin}?`
    : '';
}

export const wrongServerAdvice = (place: string): string =>
  `${place} answered something else than a checkout: is it the address of the checkout server?`;
