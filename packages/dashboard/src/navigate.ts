/** Told to the window when the address was changed by us; `detail` says whether the focus goes to the new heading. */
export const MOVED = 'dashboard-moved';
export type Focus = 'heading' | 'stay';

/** Goes to another address of the dashboard, as a link does. */
export function go(path: string, focus: Focus = 'heading', { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', path);
  else history.pushState(null, '', path);
  window.dispatchEvent(new CustomEvent<Focus>(MOVED, { detail: focus }));
}

/** Follows links of the dashboard without loading the page again; a new tab, another site and anything modified stay the browser's. */
export function followLinks(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const anchor = event.target instanceof Element ? event.target.closest('a') : null;
  if (!anchor || anchor.target !== '' || anchor.origin !== location.origin || !anchor.pathname.startsWith('/dashboard/')) return;
  // A place on this very page.
  if (anchor.hash !== '' && anchor.pathname === location.pathname) return;
  event.preventDefault();
  go(anchor.pathname + anchor.search);
}

/** Told to the window to be said to who can't see it. */
export const SAY = 'dashboard-say';
export const say = (sentence: string): void => void window.dispatchEvent(new CustomEvent(SAY, { detail: sentence }));
