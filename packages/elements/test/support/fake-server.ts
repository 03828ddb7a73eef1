import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { type CryptoCheckout } from '../../src/index.ts';
import { checkout } from './fixture.ts';

/** A received request. */
export interface Asked {
  method: string;
  path: string;
  body: unknown;
  ifNoneMatch: string | null;
  /** The header `Prefer`, where it was sent. */
  prefer?: string;
}

type Reply = Response | Error | Checkout;

/** Speeds up the timers of the code under test by this factor. */
const FASTER = 40;
const clocks = { steady: performance.now.bind(performance), wall: Date.now };

/** Moves the steady clock, the wall clock, or both, in milliseconds; both simulate a sleep. */
export function moveClocks({ steady = 0, wall = 0 }: { steady?: number; wall?: number }): void {
  const [now, date] = [performance.now.bind(performance), Date.now];
  performance.now = () => now() + steady;
  Date.now = () => date() + wall;
}

const real = {
  fetch: window.fetch.bind(window),
  EventSource: window.EventSource,
  setTimeout: window.setTimeout.bind(window),
  setInterval: window.setInterval.bind(window),
};

/** A fake event stream. */
export class FakeStream extends EventTarget {
  static all: FakeStream[] = [];
  readonly url: string;
  closed = false;
  constructor(url: string) {
    super();
    this.url = url;
    FakeStream.all.push(this);
  }
  close(): void {
    this.closed = true;
  }
  send(data: unknown, type = 'message'): void {
    if (!this.closed)
      this.dispatchEvent(
        new MessageEvent(type, {
          data: typeof data === 'string' ? data : JSON.stringify(data),
        }),
      );
  }
  fail(): void {
    if (!this.closed) this.dispatchEvent(new Event('error'));
  }
}

/** A fake checkout server, which records its requests. */
export class FakeServer {
  readonly asked: Asked[] = [];
  /** The current view; replies of `once` go first. */
  state: Reply = checkout('choose');
  #once: Reply[] = [];
  /** Answers to requests for a refund, in order. */
  readonly refunds: (Response | Error | Promise<Response>)[] = [];
  /** Answers to probes of the server's address, by path. Default: none. */
  readonly found = new Map<string, Response>();
  /** The transaction for Solana wallets; null if the server offers none. */
  transaction: Uint8Array | null = null;

  once(...replies: Reply[]): void {
    this.#once.push(...replies);
  }

  start({ streams = true } = {}): void {
    FakeStream.all = [];
    window.fetch = (input, init) =>
      this.#answer(input instanceof Request ? input.url : input.toString(), init);
    window.EventSource = (streams ? FakeStream : undefined) as unknown as typeof EventSource;
    window.setTimeout = ((run: TimerHandler, ms = 0, ...rest: unknown[]) =>
      real.setTimeout(run, ms / FASTER, ...rest)) as typeof setTimeout;
    window.setInterval = ((run: TimerHandler, ms = 0) =>
      real.setInterval(run, ms / FASTER)) as typeof setInterval;
  }

  stop(): void {
    Object.assign(window, real);
    performance.now = clocks.steady;
    Date.now = clocks.wall;
  }

  get posts(): Asked[] {
    return this.asked.filter(({ method }) => method === 'POST');
  }

  async #answer(url: string, init: RequestInit = {}): Promise<Response> {
    // Other requests go to the test runner.
    if (!url.startsWith('https://pay.example/')) return real.fetch(url, init);
    const path = url.slice('https://pay.example'.length);
    if (init.mode === 'no-cors' || path.endsWith('/crypto-checkout.js')) {
      const found = this.found.get(path);
      if (found) return found.clone();
      throw new TypeError('Failed to fetch');
    }
    const headers = new Headers(init.headers);
    const ifNoneMatch = headers.get('if-none-match');
    this.asked.push({
      method: init.method ?? 'GET',
      path,
      body: typeof init.body === 'string' ? JSON.parse(init.body) : null,
      ifNoneMatch,
      ...(headers.has('prefer') && { prefer: headers.get('prefer')! }),
    });
    await Promise.resolve();
    if (url.endsWith('/solana'))
      return this.transaction
        ? Response.json({
            label: 'Shop',
            transaction: btoa(String.fromCodePoint(...this.transaction)),
          })
        : new Response('{}', { status: 404 });
    const next = path.endsWith('/refund') ? this.refunds : this.#once;
    const reply = (await next.shift()) ?? this.state;
    if (reply instanceof Error) throw reply;
    if (reply instanceof Response) return reply.clone();
    const etag = `"${reply.version}-${reply.stage}"`;
    if (ifNoneMatch === etag) return new Response(null, { status: 304, headers: { etag } });
    return new Response(JSON.stringify(reply), {
      headers: { etag, 'content-type': 'application/json' },
    });
  }
}

export const failing = (): Error => new TypeError('Failed to fetch');

export const refusing = (status: number, headers: Record<string, string> = {}): Response =>
  new Response(
    JSON.stringify({ result: 'error', reason: 'X', message: 'no "thanks"', request_id: 'r-1' }),
    { status, headers },
  );

/** Waits for a condition; fails with its description. */
export async function until(what: () => unknown, name = String(what)): Promise<void> {
  const end = clocks.steady() + 5000;
  while (!what()) {
    if (clocks.steady() > end) throw new Error(`never: ${name}`);
    await pause(5);
  }
}

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => void real.setTimeout(resolve, ms));

/** Mounts an element and records its events. */
export async function mount(
  attributes: Record<string, string>,
): Promise<{ element: CryptoCheckout; events: Event[] }> {
  const element = document.createElement('crypto-checkout');
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  const events: Event[] = [];
  for (const name of [
    'checkout-ready',
    'checkout-change',
    'checkout-paid',
    'checkout-error',
    'checkout-close',
  ] as const)
    element.addEventListener(name, (event) => events.push(event));
  document.body.append(element);
  return { element, events };
}

/** Mounts an element and waits for its first view. */
export async function open(
  attributes: Record<string, string> = {},
): Promise<{ element: CryptoCheckout; events: Event[] }> {
  const mounted = await mount({ server: 'https://pay.example', order: 'token', ...attributes });
  await until(() => mounted.element.checkout, 'a first view');
  await settled(mounted.element);
  return mounted;
}

/** Waits for all pending updates. */
export async function settled(element: CryptoCheckout): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await element.updateComplete;
    for (const part of deep(element, '*')) if ('updateComplete' in part) await part.updateComplete;
    await pause(0);
  }
}

/** All elements that match, in all shadow roots below. */
export function deep(element: Element, selector: string): HTMLElement[] {
  const root = element.shadowRoot;
  if (!root) return [];
  return [...root.querySelectorAll('*')].flatMap((child) => [
    ...(child.matches(selector) ? [child as HTMLElement] : []),
    ...deep(child, selector),
  ]);
}

/** The visible text. */
export const textOf = (element: Element): string =>
  [...(element.shadowRoot?.childNodes ?? [])]
    .map((node) => textOfNode(node))
    .join(' ')
    .replace(/\s+/g, ' ');

function textOfNode(node: Node): string {
  if (node instanceof HTMLStyleElement) return '';
  if (node instanceof Element)
    return (node.shadowRoot ? textOf(node) : '') + [...node.childNodes].map(textOfNode).join(' ');
  return node instanceof Text ? node.data : '';
}

/** The last announcement. */
export const spoken = (element: CryptoCheckout): string =>
  deep(element, '[aria-live]')[0]?.textContent ?? '';

/** All announcements from now on. */
export function listen(element: CryptoCheckout): string[] {
  const said: string[] = [];
  new MutationObserver(() => {
    const text = spoken(element);
    if (text && said.at(-1) !== text) said.push(text);
  }).observe(element.shadowRoot!, { subtree: true, childList: true, characterData: true });
  return said;
}

/** The focused element, across shadow roots. */
export function deepActive(): Element | null {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active;
}

export const heading = (element: CryptoCheckout): string =>
  deep(element, 'h2')[0]?.textContent?.trim() ?? '';

/** Starts a server for each test of a group and clears the page afterwards. */
export function serveEach(use: (server: FakeServer) => void = () => {}): void {
  let server: FakeServer;
  beforeEach(() => {
    server = new FakeServer();
    server.start();
    use(server);
  });
  afterEach(() => {
    server.stop();
    document.querySelectorAll('crypto-checkout').forEach((element) => element.remove());
  });
}
