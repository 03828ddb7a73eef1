import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { type ReactiveController, type TemplateResult, html, nothing } from 'lit';
import { TOKENS, isToken } from '../styles/custom-properties.ts';
import { drawNote } from '../components/checkout/note.ts';
import type { CheckoutHost, ControllerHost } from '../core/contracts.ts';
import type { CheckoutErrorCode } from '../events/checkout-events.ts';
import { pageLink } from '../server/safe-link.ts';
import { directionOf, msg } from '../i18n/locale.ts';
import {
  type Claim,
  type GuestMessage,
  type HostLook,
  NAME,
  SILENCE_MS,
  VERSION,
  isGreeting,
} from './messages.ts';
import { newClaims } from '../server/checkout-server.ts';
import { claimOf, keepClaims } from '../server/claim.ts';
import { readCheckout } from '../server/read-checkout.ts';

/**
 * Callbacks for every view, errors, and the buyer leaving. Views are validated like network
 * answers.
 */
type FrameCallbacks = Pick<ControllerHost, 'onCheckout' | 'onError' | 'onLeave'>;

/** Options of a frame. */
interface FrameOptions extends FrameCallbacks {
  /** The checkout server's address, as in the attribute. */
  server: string;
  /** The checkout's id. A token never goes into the frame's address. */
  id: string;
  language: string;
  theme: string | null;
  header: string | null | undefined;
  redirectAfter: string | null | undefined;
}

/**
 * Permissions of the framed page. Browsers log unknown features, so that only supported ones are
 * listed.
 */
const features = (): string =>
  [
    'clipboard-write',
    'share' in navigator && 'web-share',
    'wakeLock' in navigator && 'screen-wake-lock',
    "payment 'none'",
  ]
    .filter(Boolean)
    .join('; ');
/**
 * Everything but navigating the shop's page, which goes through a message. Receipts are downloads.
 */
const SANDBOX =
  'allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox allow-modals allow-downloads allow-top-navigation-to-custom-protocols';
const FIRST_HEIGHT = 640;
const HIGHEST = 20_000;
const LONGEST_CLAIM = 256;
const CODES: readonly string[] = [
  'setup',
  'network',
  'unavailable',
  'busy',
  'not_found',
  'refused',
  'malformed',
  'tampered',
];

const frames = new WeakMap<CheckoutHost, Frame>();

/**
 * Draws the hosted page in a frame, which other scripts of the shop's page cannot read or change; a
 * link if that fails. It replaces the element's content. The framed page follows the checkout and
 * sends every view, so that the element does not poll.
 */
export function drawFrame(host: CheckoutHost, callbacks: FrameCallbacks): TemplateResult {
  const { server, theme, language, checkout, header, redirectAfter } = host;
  const options = {
    ...callbacks,
    server: server ?? '',
    id: checkout!.id,
    language,
    theme: theme ?? null,
    header,
    redirectAfter,
  };
  let frame = frames.get(host);
  if (!frame) frames.set(host, (frame = new Frame(host, options)));
  return frame.draw(options);
}

/** The host's side of one frame. */
class Frame implements ReactiveController {
  readonly #host: CheckoutHost;
  readonly #iframe = document.createElement('iframe');
  #options: FrameOptions;
  #checkout: Checkout | undefined;
  #port: MessagePort | undefined;
  #silenceTimer: ReturnType<typeof setTimeout> | undefined;
  #failed = false;
  /** The page prevented `checkout-paid`. */
  #stay = false;
  /** The framed page, and the last look that was sent. */
  #page = '';
  #look = '';

  constructor(host: CheckoutHost, options: FrameOptions) {
    this.#host = host;
    this.#options = options;
    const attributes = {
      width: '100%',
      height: String(FIRST_HEIGHT),
      frameborder: '0',
      part: 'frame',
    };
    for (const [name, value] of Object.entries({
      ...attributes,
      allow: features(),
      sandbox: SANDBOX,
      referrerpolicy: 'no-referrer',
    }))
      this.#iframe.setAttribute(name, value);
    host.addEventListener('checkout-paid', (event) =>
      queueMicrotask(() => (this.#stay = event.defaultPrevented)),
    );
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
    clearTimeout(this.#silenceTimer);
    this.#port?.close();
    this.#port = undefined;
  }

  draw(options: FrameOptions): TemplateResult {
    this.#options = options;
    const iframe = this.#iframe;
    const { language, theme } = options;
    // A changed theme is sent as a message.
    const page = this.#address('frame', `?lang=${encodeURIComponent(language)}`);
    if (this.#page !== page) {
      this.#page = page;
      iframe.setAttribute('src', `${page}&theme=${encodeURIComponent(theme ?? 'auto')}`);
      this.#failed = false;
      this.#wait();
    }
    iframe.title = msg('Payment', { id: 'checkout.label' });
    this.#sendLook();
    iframe.hidden = this.#failed;
    // The frame stays in its place: moved or removed, it would load again.
    return html`${this.#failed ? this.#drawLink() : nothing}${iframe}`;
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

  /** The frame's origin, from its address and never from a message. */
  get #origin(): string {
    return new URL(this.#iframe.src, document.baseURI).origin;
  }

  #wait(): void {
    clearTimeout(this.#silenceTimer);
    this.#silenceTimer = setTimeout(
      () =>
        this.#fail(
          `no answer from the frame of ${this.#origin} within ${SILENCE_MS / 1000} s: does EMBED_ORIGINS name this origin?`,
        ),
      SILENCE_MS,
    );
  }

  #fail(message: string): void {
    if (this.#failed || this.#port) return;
    this.#failed = true;
    clearTimeout(this.#silenceTimer);
    this.#host.requestUpdate();
    this.#options.onError('setup', message);
    this.#host.say(() =>
      msg('The payment cannot be shown inside this page.', { id: 'frame.failed' }),
    );
  }

  #onViolation = ({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent): void => {
    if (effectiveDirective === 'frame-src' && blockedURI.startsWith(this.#origin))
      this.#fail(`the page's policy has no frame-src ${this.#origin}`);
  };

  // Any window can post messages: accept only our frame's, while it shows our server's page.
  #onGreeting = ({ source, origin, data }: MessageEvent<unknown>): void => {
    const guest = this.#iframe.contentWindow;
    if (guest === null || source !== guest || origin !== this.#origin) return;
    if (!isGreeting(data, 'hello')) return;
    clearTimeout(this.#silenceTimer);
    // On a slow connection the page in the frame may answer late.
    if (this.#failed) this.#host.requestUpdate();
    this.#failed = false;
    // A new document in the frame: drop the port of the previous one.
    this.#port?.close();
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.addEventListener(
      'message',
      ({ data }: MessageEvent) => this.#port === port1 && this.#onMessage(data),
    );
    port1.start();
    guest.postMessage({ name: NAME, v: VERSION, type: 'welcome', nonce: data.nonce }, origin, [
      port2,
    ]);
  };

  #onMessage(message: { v?: unknown; type?: unknown } & Record<string, unknown>): void {
    if (message?.v !== VERSION) return;
    const { type, height, checkout, code, message: text, href, asked, claim } = message;
    switch (type as GuestMessage['type']) {
      case 'ready':
        this.#look = '';
        this.#sendClaim();
        return this.#sendLook();
      case 'size':
        return this.#onSize(height);
      case 'checkout':
        return this.#onCheckout(checkout);
      case 'error':
        return CODES.includes(String(code))
          ? this.#options.onError(code as CheckoutErrorCode, String(text).slice(0, 500))
          : undefined;
      case 'leave':
        return asked === true || (!this.#stay && this.#isShown)
          ? this.#onLeave(String(href))
          : undefined;
      case 'claim':
        return this.#onClaim(claim);
      case 'escape':
        this.#iframe.dispatchEvent(
          new KeyboardEvent('keydown', {
            key: 'Escape',
            bubbles: true,
            composed: true,
            cancelable: true,
          }),
        );
        return undefined;
      default:
        return undefined;
    }
  }

  /** A closed dialog must not navigate the page. */
  get #isShown(): boolean {
    return this.#iframe.getClientRects().length > 0;
  }

  #onSize(height: unknown): void {
    if (typeof height === 'number' && height > 0 && height <= HIGHEST)
      this.#iframe.height = String(Math.ceil(height));
  }

  #onCheckout(data: unknown): void {
    const checkout = readCheckout(data);
    if (checkout?.id !== this.#options.id) return;
    this.#checkout = checkout;
    this.#options.onCheckout(checkout);
  }

  /** Opens only the links that the server returned, never an address from a message. */
  #onLeave(href: string): void {
    const { shop_url = null, success_url = null } = this.#checkout ?? {};
    const link = pageLink(
      [shop_url, success_url].find((known) => known !== null && new URL(known).href === href) ??
        null,
    );
    if (link && this.#options.onLeave()) location.assign(link);
  }

  /** The framed page made the first choice of a checkout that the shop's server opened. */
  #onClaim(claim: unknown): void {
    if (typeof claim !== 'string' || claim.length > LONGEST_CLAIM) return;
    newClaims.set(this.#options.id, claim);
    keepClaims();
  }

  /** Our page in a frame of another site has neither our storage nor its cookie. */
  #sendClaim(): void {
    const claim = claimOf(this.#options.id);
    const message: Claim | null = claim ? { v: VERSION, type: 'claim', claim } : null;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port has one target
    if (message) this.#port?.postMessage(message);
  }

  /** Sends theme, colours, corners, fonts, header and redirect if they changed. */
  #sendLook(): void {
    const style = getComputedStyle(this.#host);
    const tokens = Object.fromEntries(
      TOKENS.map((name) => [name, style.getPropertyValue(name).trim()] as const).filter(
        ([name, value]) => value && isToken(name, value),
      ),
    );
    const { theme, header, redirectAfter } = this.#options;
    const look: HostLook = {
      v: VERSION,
      type: 'look',
      theme: theme ?? 'auto',
      tokens,
      ...(header && { header }),
      ...(redirectAfter && { redirectAfter }),
    };
    const sent = JSON.stringify(look);
    if (sent === this.#look || !this.#port) return;
    this.#look = sent;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port has one target
    this.#port.postMessage(look);
  }
}
