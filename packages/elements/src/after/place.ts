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

export const adviceOnStranger = (place: string): string =>
  `${place} answered something else than a checkout: is it the address of the checkout server?`;
