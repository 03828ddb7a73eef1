/** Window event after a navigation; `detail` says whether the focus moves to the new heading. */
export const MOVED = 'dashboard-moved';
export type Focus = 'heading' | 'stay';

/** Navigates to another address of the dashboard. */
export function go(path: string, focus: Focus = 'heading', { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', path);
  else history.pushState(null, '', path);
  window.dispatchEvent(new CustomEvent<Focus>(MOVED, { detail: focus }));
}

/**
 * Handles clicks on dashboard links without a page load; new tabs, other sites and modified clicks
 * stay the browser's.
 */
export function followLinks(event: MouseEvent): void {
  if (
    event.defaultPrevented ||
    event.button !== 0 ||
    event.metaKey ||
    event.ctrlKey ||
    event.shiftKey ||
    event.altKey
  )
    return;
  const anchor = event.target instanceof Element ? event.target.closest('a') : null;
  if (
    !anchor ||
    anchor.target !== '' ||
    anchor.origin !== location.origin ||
    !anchor.pathname.startsWith('/dashboard/')
  )
    return;
  // A fragment of the current page.
  if (anchor.hash !== '' && anchor.pathname === location.pathname) return;
  event.preventDefault();
  go(anchor.pathname + anchor.search);
}

/** Window event with a text for screen readers. */
export const SAY = 'dashboard-say';
export const say = (sentence: string): void =>
  void window.dispatchEvent(new CustomEvent(SAY, { detail: sentence }));
