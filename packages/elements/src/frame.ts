import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { type ReactiveController, type TemplateResult, html } from 'lit';
import type { Duties } from './attend.ts';
import type { CryptoCheckout } from './checkout.ts';
import type { CheckoutErrorCode } from './event.ts';
import { pageLink } from './link.ts';
import { directionOf, msg } from './locale.ts';
import { TOKENS, type GuestMessage, type HostMessage, NAME, SILENCE_MS, VERSION, isToken, isGreeting } from './message.ts';
import { drawNote } from './panel.ts';
import type { Part } from './part.ts';
import { readCheckout } from './view.ts';

/** Whom a frame tells: every view, checked as one that came over the network is; what went wrong; that the buyer is leaving. */
type FrameDuties = Pick<Duties, 'onCheckout' | 'onError' | 'onLeave'>;

/** What a frame needs to know, and whom it tells. */
interface FrameOptions extends FrameDuties {
  /** The checkout server's address, as the attribute names it. */
  server: string;
  /** The checkout's id: no token ever goes into the frame's address. */
  id: string;
  language: string;
  theme: string | null;
}

/** What the page in the frame may do. A browser that has no such thing would say in the shop's console that it is unknown. */
const features = (): string =>
  ['clipboard-write', 'share' in navigator && 'web-share', 'wakeLock' in navigator && 'screen-wake-lock', "payment 'none'"]
    .filter(Boolean)
    .join('; ');
/** Everything that the hosted page does, save taking the shop's page elsewhere: for that it has to ask. */
const SANDBOX =
  'allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox allow-modals allow-top-navigation-to-custom-protocols';
const FIRST_HEIGHT = 640;
const HIGHEST = 20_000;
const CODES: readonly string[] = ['setup', 'network', 'unavailable', 'busy', 'not_found', 'refused', 'malformed', 'tampered'];

const frames = new WeakMap<Part, Frame>();

/**
 * Draws our hosted page in a frame, where no other script of the shop's page can read or change it; a link to it where that fails. It
 * takes the place of all that an element draws. The page in the frame follows the checkout, so that the element need not: every view
 * comes by `onCheckout`.
 */
export function drawFrame(host: CryptoCheckout, duties: FrameDuties): TemplateResult {
  const { server, theme, language, checkout } = host;
  const options = { ...duties, server: server ?? '', id: checkout!.id, language, theme: theme ?? null };
  let frame = frames.get(host);
  if (!frame) frames.set(host, (frame = new Frame(host, options)));
  return frame.draw(options);
}

/** The host's side of one frame. */
class Frame implements ReactiveController {
  readonly #host: Part;
  readonly #iframe = document.createElement('iframe');
  #options: FrameOptions;
  #checkout: Checkout | undefined;
  #port: MessagePort | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #failed = false;
  /** The page keeps the buyer after paying. */
  #stay = false;
  /** What is in the frame, and the look that it was told last. */
  #page = '';
  #look = '';

  constructor(host: Part, options: FrameOptions) {
    this.#host = host;
    this.#options = options;
    const attributes = { width: '100%', height: String(FIRST_HEIGHT), frameborder: '0', part: 'frame' };
    for (const [name, value] of Object.entries({ ...attributes, allow: features(), sandbox: SANDBOX, referrerpolicy: 'no-referrer' }))
      this.#iframe.setAttribute(name, value);
    host.addEventListener('checkout-paid', (event) => queueMicrotask(() => (this.#stay = event.defaultPrevented)));
    host.addController(this);
  }

  hostConnected(): void {
    addEventListener('message', this.#onGreeting);
    document.addEventListener('securitypolicyviolation', this.#onViolation);
    this.#wait();
  }

  hostDisconnected(): void {
    removeEventListener('message', this.#onGreeting);
    document.removeEventListener('securitypolicyviolation', this.#onViolation);
    clearTimeout(this.#silence);
    this.#port?.close();
    this.#port = undefined;
  }

  draw(options: FrameOptions): TemplateResult {
    this.#options = options;
    const iframe = this.#iframe;
    const { language, theme } = options;
    // A change of the theme is told to the page that is there.
    const page = this.#address('frame', `?lang=${encodeURIComponent(language)}`);
    if (this.#page !== page) {
      this.#page = page;
      iframe.setAttribute('src', `${page}&theme=${encodeURIComponent(theme ?? 'auto')}`);
      this.#failed = false;
      this.#wait();
    }
    iframe.title = msg('Payment', { id: 'checkout.label' });
    this.#tellLook();
    return this.#failed ? this.#drawLink() : html`${iframe}`;
  }

  #drawLink(): TemplateResult {
    const { language } = this.#options;
    return html`<div class="stack" part="base" lang=${language} dir=${directionOf(language)}>
      ${drawNote(msg('The payment cannot be shown inside this page.', { id: 'frame.failed' }))}
      <a class="button primary" part="redirect-link" href=${this.#address('pay', '')}
        >${msg('Pay with cryptocurrency', { id: 'redirect.link' })}</a
      >
    </div>`;
  }

  #address(page: 'frame' | 'pay', query: string): string {
    const { server, id } = this.#options;
    return `${server.replace(/\/+$/, '')}/${page}/${encodeURIComponent(id)}/${query}`;
  }

  /** Where the frame's page comes from: read from the address that was given to it, never from what it says. */
  get #origin(): string {
    return new URL(this.#iframe.src, document.baseURI).origin;
  }

  #wait(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(
      () => this.#fail(`no answer from the frame of ${this.#origin} within ${SILENCE_MS / 1000} s: does EMBED_ORIGINS name this origin?`),
      SILENCE_MS,
    );
  }

  #fail(message: string): void {
    if (this.#failed || this.#port) return;
    this.#failed = true;
    clearTimeout(this.#silence);
    this.#host.requestUpdate();
    this.#options.onError('setup', message);
    this.#host.say(() => msg('The payment cannot be shown inside this page.', { id: 'frame.failed' }));
  }

  #onViolation = ({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent): void => {
    if (effectiveDirective === 'frame-src' && blockedURI.startsWith(this.#origin))
      this.#fail(`the page's policy has no frame-src ${this.#origin}`);
  };

  // Every window can post to ours: only our frame is listened to, and only while our server's page is in it.
  #onGreeting = ({ source, origin, data }: MessageEvent<unknown>): void => {
    const guest = this.#iframe.contentWindow;
    if (guest === null || source !== guest || origin !== this.#origin || this.#failed) return;
    if (!isGreeting(data, 'hello')) return;
    clearTimeout(this.#silence);
    // A new document in the frame: the one before is not heard any more.
    this.#port?.close();
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.addEventListener('message', ({ data }: MessageEvent) => this.#port === port1 && this.#onMessage(data));
    port1.start();
    guest.postMessage({ name: NAME, v: VERSION, type: 'welcome', nonce: data.nonce }, origin, [port2]);
  };

  #onMessage(message: { v?: unknown; type?: unknown } & Record<string, unknown>): void {
    if (message?.v !== VERSION) return;
    const { type, height, checkout, code, message: text, href, asked } = message;
    switch (type as GuestMessage['type']) {
      case 'ready':
        this.#look = '';
        return this.#tellLook();
      case 'size':
        return this.#onSize(height);
      case 'checkout':
        return this.#onCheckout(checkout);
      case 'error':
        return CODES.includes(String(code)) ? this.#options.onError(code as CheckoutErrorCode, String(text).slice(0, 500)) : undefined;
      case 'leave':
        return asked === true || (!this.#stay && this.#isShown) ? this.#onLeave(String(href)) : undefined;
      case 'escape':
        this.#iframe.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, composed: true, cancelable: true }));
        return undefined;
      default:
        return undefined;
    }
  }

  /** Whoever has put it away, in a dialog that is closed, is not taken anywhere. */
  get #isShown(): boolean {
    return this.#iframe.getClientRects().length > 0;
  }

  #onSize(height: unknown): void {
    if (typeof height === 'number' && height > 0 && height <= HIGHEST) this.#iframe.height = String(Math.ceil(height));
  }

  #onCheckout(data: unknown): void {
    const checkout = readCheckout(data);
    if (checkout?.id !== this.#options.id) return;
    this.#checkout = checkout;
    this.#options.onCheckout(checkout);
  }

  /** Follows the shop's own links as the server named them, never what somebody wrote into the message. */
  #onLeave(href: string): void {
    const { shop_url = null, success_url = null } = this.#checkout ?? {};
    const link = pageLink([shop_url, success_url].find((known) => known !== null && new URL(known).href === href) ?? null);
    if (link && this.#options.onLeave()) location.assign(link);
  }

  /** Theme, colours, corners and fonts, when they are others than those last told. */
  #tellLook(): void {
    const style = getComputedStyle(this.#host);
    const tokens = Object.fromEntries(
      TOKENS.map((name) => [name, style.getPropertyValue(name).trim()] as const).filter(([name, value]) => value && isToken(name, value)),
    );
    const look: HostMessage = { v: VERSION, type: 'look', theme: this.#options.theme ?? 'auto', tokens };
    const told = JSON.stringify(look);
    if (told === this.#look || !this.#port) return;
    this.#look = told;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port, which has one other end
    this.#port.postMessage(look);
  }
}
