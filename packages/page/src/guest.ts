import type { CryptoCheckout } from '@crypto-checkout/elements';
import {
  COLOURS,
  type Greeting,
  type GuestMessage,
  type HostMessage,
  NAME,
  VERSION,
  isColour,
  isGreeting,
} from '@crypto-checkout/elements/message';

const THEMES = ['auto', 'light', 'dark'];

type Told = GuestMessage extends infer Message ? (Message extends { v: number } ? Omit<Message, 'v'> : never) : never;

/**
 * The hosted page as a guest in a shop's page: it says hello, and from then on tells its height, every view, and where the buyer wants
 * to go. Which pages may be hosts is decided before, by the `frame-ancestors` of this page.
 */
export function beGuest(element: CryptoCheckout, host: Window): void {
  const nonce = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
  const greet = ({ source, data, ports: [port] }: MessageEvent<unknown>): void => {
    if (source !== host || !port || !isGreeting(data, 'welcome') || data.nonce !== nonce) return;
    removeEventListener('message', greet);
    converse(element, port);
  };
  addEventListener('message', greet);
  const hello: Greeting = { name: NAME, v: VERSION, type: 'hello', nonce };
  // To whoever frames us: a nonce is all that is in it.
  host.postMessage(hello, '*');
}

function converse(element: CryptoCheckout, port: MessagePort): void {
  const tell = (message: Told): void => port.postMessage({ v: VERSION, ...message });
  port.addEventListener('message', ({ data }: MessageEvent<HostMessage | null>) => {
    if (data?.v === VERSION && data.type === 'look') wear(element, data);
  });
  port.start();
  tell({ type: 'ready' });

  const page = document.documentElement;
  new ResizeObserver(() => tell({ type: 'size', height: page.getBoundingClientRect().height })).observe(page);

  let last: unknown;
  const tellView = (): void => {
    const { checkout } = element;
    if (checkout && checkout !== last) tell({ type: 'checkout', checkout });
    last = checkout;
  };
  element.addController({ hostUpdated: tellView });
  tellView();

  element.addEventListener('checkout-error', ({ code, message }) => tell({ type: 'error', code, message }));
  // The host leaves for the shop, after a look of its own: here the shop would open inside the frame.
  element.addEventListener('checkout-paid', (event) => event.preventDefault());
  document.addEventListener('click', (event) => onClick(event, element, (href) => tell({ type: 'leave', href })));
  document.addEventListener('keydown', (event) => {
    const inDialog = event.composedPath().some((node) => node instanceof HTMLDialogElement);
    if (event.key === 'Escape' && !event.defaultPrevented && !inDialog) tell({ type: 'escape' });
  });
}

/** Links back to the shop are for the host to follow; others leave the frame as it is and open beside it. */
function onClick(event: MouseEvent, { checkout }: CryptoCheckout, leave: (href: string) => void): void {
  const link = event.composedPath().find((node) => node instanceof HTMLAnchorElement);
  if (!link || event.defaultPrevented || !/^https?:$/.test(link.protocol) || link.target === '_blank') return;
  const isShop = [checkout?.shop_url, checkout?.success_url].some((known) => known && new URL(known).href === link.href);
  if (isShop && !(event.ctrlKey || event.metaKey || event.shiftKey)) {
    event.preventDefault();
    leave(link.href);
  } else if (link.origin !== location.origin) {
    link.target = '_blank';
    link.rel = 'noopener';
  }
}

function wear(element: CryptoCheckout, { theme, colours }: HostMessage): void {
  if (THEMES.includes(theme)) {
    element.setAttribute('theme', theme);
    document.documentElement.style.colorScheme = theme === 'auto' ? '' : theme;
  }
  for (const name of COLOURS) {
    const colour = colours[name];
    if (typeof colour === 'string' && isColour(colour)) element.style.setProperty(name, colour);
    else element.style.removeProperty(name);
  }
}

const element = document.querySelector('crypto-checkout');
if (element && parent !== window) beGuest(element, parent);
