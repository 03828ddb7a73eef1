import type { CryptoCheckout } from '@crypto-checkout/elements';
import {
  type Greeting,
  type GuestMessage,
  type HostLook,
  type HostMessage,
  NAME,
  TOKENS,
  VERSION,
  heldClaims,
  isGreeting,
  isToken,
  postHeaders,
} from '@crypto-checkout/elements/message';
import { loadPaying } from './hosted/modules.ts';

const THEMES = ['auto', 'light', 'dark'];

type LifecycleEvents = GuestMessage extends infer Message
  ? Message extends { v: number }
    ? Omit<Message, 'v'>
    : never
  : never;

/**
 * The hosted page inside a shop's page. It announces itself, then posts its height, every view, and
 * the buyer's wish to leave. The server limits the parent pages: for the browser by
 * `frame-ancestors`, and for this script.
 */
export function connectToHost(element: CryptoCheckout, host: Window): void {
  // The server then answers with the claim secret itself: a cookie would not be kept here.
  postHeaders['checkout-frame'] = '1';
  const nonce = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
  const hosts = document.documentElement.dataset['frame']!.split(' ');
  const onWelcome = ({ source, origin, data, ports: [port] }: MessageEvent<unknown>): void => {
    if (source !== host || !hosts.some((one) => origin === one)) return;
    if (!port || !isGreeting(data, 'welcome') || data.nonce !== nonce) return;
    removeEventListener('message', onWelcome);
    exchangeMessages(element, port);
  };
  addEventListener('message', onWelcome);
  const hello: Greeting = { name: NAME, v: VERSION, type: 'hello', nonce };
  // Sent to any parent: it contains only a nonce.
  host.postMessage(hello, '*');
}

function exchangeMessages(element: CryptoCheckout, port: MessagePort): void {
  const post = (message: LifecycleEvents): void => port.postMessage({ v: VERSION, ...message });
  let claim: string | null = null;
  port.addEventListener('message', ({ data }: MessageEvent<HostMessage | null>) => {
    if (data?.v !== VERSION) return;
    if (data.type === 'look') applyLook(element, data);
    // The shop's page is on the list of the server, which also verifies the secret.
    else if (data.type === 'claim') heldClaims.set(idOf(element), (claim = data.claim));
  });
  port.start();
  post({ type: 'ready' });

  const page = document.documentElement;
  new ResizeObserver(() =>
    post({ type: 'size', height: page.getBoundingClientRect().height }),
  ).observe(page);

  let last: unknown;
  const postView = (): void => {
    const { checkout } = element;
    if (checkout && checkout !== last) post({ type: 'checkout', checkout });
    last = checkout;
    if (claim === null) void postClaim();
  };
  const postClaim = async (): Promise<void> => {
    const { claimOf } = await loadPaying();
    const own = claimOf(idOf(element));
    if (own !== null && claim === null) post({ type: 'claim', claim: (claim = own) });
  };
  element.addController({ hostUpdated: postView });
  postView();

  element.addEventListener('checkout-error', ({ code, message }) =>
    post({ type: 'error', code, message }),
  );
  returnToShop(element, (href, asked) => post({ type: 'leave', href, asked }));
  document.addEventListener('click', openInNewTab);
  document.addEventListener('keydown', (event) => {
    const inDialog = event.composedPath().some((node) => node instanceof HTMLDialogElement);
    if (event.key === 'Escape' && !event.defaultPrevented && !inDialog) post({ type: 'escape' });
  });
}

/** The first view is in the page before the element draws it. */
const idOf = ({ checkout, snapshot }: CryptoCheckout): string => (checkout ?? snapshot)?.id ?? '';

/**
 * The host follows the way back to the shop, after its own check; here the shop would open inside
 * the frame.
 */
function returnToShop(
  element: CryptoCheckout,
  leave: (href: string, asked: boolean) => void,
): void {
  let clicked: MouseEvent | undefined;
  const forget = (): void => (clicked = undefined);
  const remember = (event: MouseEvent): void => {
    clicked = event;
    setTimeout(forget);
  };
  document.addEventListener('click', remember, { capture: true });
  element.addEventListener('checkout-close', (event) => {
    if (clicked && hasModifier(clicked)) return;
    event.preventDefault();
    const href = clicked ? linkOf(clicked)?.href : element.checkout?.success_url;
    if (href) leave(new URL(href).href, clicked !== undefined);
  });
}

/** Other links open outside the frame: of our own pages, it may show this one alone. */
function openInNewTab(event: MouseEvent): void {
  const link = event.defaultPrevented ? undefined : linkOf(event);
  if (!link || !/^https?:$/.test(link.protocol) || link.hasAttribute('download')) return;
  if (link.origin === location.origin && link.pathname === location.pathname) return;
  link.target = '_blank';
  link.rel = 'noopener';
}

const linkOf = (event: Event): HTMLAnchorElement | undefined =>
  event.composedPath().find((node) => node instanceof HTMLAnchorElement);
const hasModifier = ({ ctrlKey, metaKey, shiftKey }: MouseEvent): boolean =>
  ctrlKey || metaKey || shiftKey;

function applyLook(
  element: CryptoCheckout,
  { theme, tokens, header, redirectAfter }: HostLook,
): void {
  element.header = header === 'none' ? header : null;
  element.redirectAfter = typeof redirectAfter === 'string' ? redirectAfter : null;
  if (THEMES.includes(theme)) {
    element.setAttribute('theme', theme);
    document.documentElement.style.colorScheme = theme === 'auto' ? '' : theme;
  }
  for (const name of TOKENS) {
    const value = tokens[name];
    if (typeof value === 'string' && isToken(name, value)) element.style.setProperty(name, value);
    else element.style.removeProperty(name);
  }
}

const element = document.querySelector('crypto-checkout');
if (element && parent !== window) connectToHost(element, parent);
