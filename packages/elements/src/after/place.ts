/**
 * What is to be put right in a checkout server's address, as the shop has written it; empty where nothing is.
 * @param name - What the shop has written it into, with its value.
 */
export function adviceOnAddress(name: string, server: string): string {
  // Without a scheme it is a path of the shop's own page.
  if (!server || /^(?:https?:\/\/|\/)/i.test(server)) return '';
  const whole = `${/^(?:localhost|127\.|\[::1\])/i.test(server) ? 'http' : 'https'}://${server.replace(/^\w*:\/+/, '')}`;
  return `${name} has to be a whole address, such as ${whole}`;
}

/** Why a server does not answer; a browser does not tell which of it it is. */
export const adviceOnSilence = (place: string): string =>
  `${place} cannot be reached from here: is it a checkout server that runs, do its EMBED_ORIGINS name ${location.origin}, ` +
  'and does the policy of this page, where there is one, name it in connect-src?';

/** How long a look may take: what is to be said waits for it. */
const LOOK_MS = 3000;

/**
 * Looks what stands at an address that did not answer: a checkout server gives its script to every page, also to one that it does not let
 * in.
 * @returns what that tells, empty where it tells nothing
 */
export async function lookAt(place: string): Promise<string> {
  if (!URL.canParse(place, location.href) || !navigator.onLine) return '';
  const { href, origin, pathname } = new URL(place, location.href);
  const init: RequestInit = { credentials: 'omit', cache: 'no-store', signal: AbortSignal.timeout(LOOK_MS) };
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

export const adviceOnStranger = (place: string): string =>
  `${place} answered something else than a checkout: is it the address of the checkout server?`;
