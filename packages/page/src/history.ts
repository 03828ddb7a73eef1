import type { CryptoCheckout } from '@crypto-checkout/elements';

/** What the page's address shows in place of the stage. */
const SHOWS = ['coins', 'receipt'] as const;
const STAGE = 'stage';

/**
 * Gives what is shown in place of the stage an entry of its own in the browser's history, with the address that shows the same without
 * a script: Back closes it, and Forward opens it again. Only for the hosted page: in a shop's page the history is the shop's.
 */
export function keepHistory(element: CryptoCheckout): void {
  let shown = showHere();
  const follow = (): void => {
    const show = element.show || STAGE;
    if (show === shown) return;
    shown = show;
    if (show !== STAGE) history.pushState({ show }, '', addressOf(show));
    // The entry is ours: closing it is going back, or there would be one to close once more.
    else if (isOurs(history.state)) history.back();
    else history.replaceState(null, '', addressOf(STAGE));
  };
  addEventListener('popstate', () => {
    shown = showHere();
    element.show = shown;
  });
  element.addController({ hostUpdated: follow });
  // What was opened before this script came.
  follow();
}

function showHere(): NonNullable<CryptoCheckout['show']> {
  const named = new URLSearchParams(location.search).get('show');
  return SHOWS.find((show) => show === named) ?? STAGE;
}

function addressOf(show: string): URL {
  const url = new URL(location.href);
  url.hash = '';
  if (show === STAGE) url.searchParams.delete('show');
  else url.searchParams.set('show', show);
  return url;
}

const isOurs = (state: unknown): boolean => typeof state === 'object' && state !== null && 'show' in state;
