import type { CryptoCheckout } from '@crypto-checkout/elements';

/** The view that the page's address shows in place of the stage. */
const SHOWS = ['coins', 'receipt'] as const;
const STAGE = 'stage';

/**
 * Adds a history entry for a view that replaces the stage, with the address that shows it without a
 * script: Back closes it, Forward opens it again. Only on the hosted page: elsewhere the history
 * belongs to the shop.
 */
export function keepHistory(element: CryptoCheckout): void {
  let shown = showHere();
  const follow = (): void => {
    const show = element.show || STAGE;
    if (show === shown) return;
    shown = show;
    if (show !== STAGE) history.pushState({ show }, '', addressOf(show));
    // The entry is ours, so closing goes back; otherwise one entry too many would remain.
    else if (isOurs(history.state)) history.back();
    else history.replaceState(null, '', addressOf(STAGE));
  };
  addEventListener('popstate', () => {
    shown = showHere();
    element.show = shown;
  });
  element.addController({ hostUpdated: follow });
  // The view that was open before this script ran.
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

const isOurs = (state: unknown): boolean =>
  typeof state === 'object' && state !== null && 'show' in state;
