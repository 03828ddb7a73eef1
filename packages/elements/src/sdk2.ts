import type { Checkout } from '@crypto-checkout/protocol/checkout';
import type { CryptoCheckoutButton } from './button.ts';
import type { CryptoCheckout } from './checkout.ts';
import { adviceOnAddress, adviceOnSilence, adviceOnStranger, lookAt } from './after/place.ts';
import { HANDLERS, adviceOnRefusal, adviseOnButton, adviseOnOptions, adviseOnOrder, complain } from './sdk2-advice.ts';
import { type SdkData, isIncomplete, sdkData } from './sdk2-data.ts';
import { type Failure, failure } from './server.ts';

/**
 * What pages that were written for `sdk2.js` call: `SDK.setup`, `SDK.open`, and buttons with the class `sdk-button` or
 * `cryptochill-button`. It opens our own element; see "Moving from sdk2.js" in the README.
 */

export type SdkHandler = (data: SdkData, code: string) => void;

export interface SdkOptions {
  /** Known to the checkout server; taken and not used. */
  account?: string;
  profile?: string;
  /** The checkout server's address. Default: where this script came from. */
  apiEndpoint?: string | URL;
  /** Comes back with every event and in the shop's webhook. */
  passthrough?: unknown;
  /** The id of an invoice that is there already, instead of a price. */
  invoice?: string;
  /** Default `modal`. */
  placement?: 'modal' | 'inline';
  /** For `inline`: an element or its id. */
  placementTarget?: string | HTMLElement;
  /** Writes every event to the console. */
  devMode?: boolean;
  onOpen?: SdkHandler;
  onUpdate?: SdkHandler;
  onSuccess?: SdkHandler;
  onIncomplete?: SdkHandler;
  onCancel?: SdkHandler;
}

/** What is paid. A price counts only where the operator lists the product, or lets pages set prices. */
export interface SdkOrder {
  product?: string;
  amount?: string | number;
  currency?: string;
  passthrough?: unknown;
}

interface Sdk {
  setup(options: SdkOptions): void;
  open(order?: SdkOrder | null): Promise<void>;
}

declare const __VERSION__: string;

const BUTTONS = '.sdk-button, .cryptochill-button';
const DEFAULT_CURRENCY = 'USD';

/** The address before `/static/js/sdk2.js`: where all the rest is. */
const base = ((document.currentScript as HTMLScriptElement | null)?.src ?? '').replace(/\/static\/js\/sdk2\.js.*$/, '');

let options: SdkOptions | undefined;
/** A dialog is open, or about to. */
let isBusy = false;
/** What was put into each target. */
const placed = new WeakMap<HTMLElement, HTMLElement>();

const sdk: Sdk = {
  setup(given) {
    adviseOnOptions({ ...given });
    options = { ...given };
    for (const name of HANDLERS) if (typeof options[name] !== 'function') delete options[name];
  },
  async open(given) {
    // It may be a listener itself.
    const order: SdkOrder = given instanceof Event ? {} : { ...given };
    adviseOnOrder(order);
    const isInline = options?.placement === 'inline';
    if (!options) return complain('call SDK.setup({…}) before anything is opened.');
    if (isBusy && !isInline) return undefined;
    isBusy = !isInline;
    try {
      await show(options, order);
    } catch (error) {
      isBusy = false;
      complain(error instanceof Error ? error.message : String(error));
      options.onCancel?.(sdkData(null, textOf(order.passthrough ?? options.passthrough)), 'cancel');
    }
  },
};

async function show(options: SdkOptions, order: SdkOrder): Promise<void> {
  const server = String(options.apiEndpoint || base).replace(/\/+$/, '');
  const passthrough = textOf(order.passthrough ?? options.passthrough);
  const target = options.placement === 'inline' ? targetOf(options) : null;
  const element = document.createElement(target ? 'crypto-checkout' : 'crypto-checkout-button');
  element.setAttribute('server', server);
  if (options.invoice && !adviceOnAddress('', server)) element.setAttribute('invoice', options.invoice);
  else
    element.opening = opening(element, server, {
      find: () => findCheckout(server, { ...order, passthrough }),
      // Inline there is nothing to close, of which a page would hear.
      onVain: () => target && options.onCancel?.(sdkData(null, passthrough), 'cancel'),
    });
  listen(element, options, passthrough);
  await loadElements();
  if (target) {
    placed.get(target)?.remove();
    placed.set(target, element);
    target.append(element);
    return;
  }
  // The page has a button of its own: one that nobody sees keeps ours from being drawn.
  const unseen = document.createElement('button');
  unseen.hidden = true;
  element.append(unseen);
  document.body.append(element);
  await (element as CryptoCheckoutButton).open();
}

const loadElements = (): Promise<unknown> =>
  customElements.get('crypto-checkout-button')
    ? Promise.resolve()
    : import(/* @vite-ignore */ `${base}/elements/${__VERSION__}/crypto-checkout.mjs`);

interface Ways {
  /** Opens it on the server; answers its id. */
  find: () => Promise<string>;
  /** It could not be opened at first. */
  onVain: () => void;
}

/**
 * How the element opens the checkout: it shows the buyer that it waits, and why it waits in vain, and asks again. What it should say in the
 * console is said here, where more is known.
 */
function opening(element: HTMLElement, server: string, { find, onVain }: Ways): NonNullable<CryptoCheckout['opening']> {
  let told = '';
  // While the element's code is fetched.
  let asked: Promise<string> | undefined = find();
  asked.catch(() => {});
  return async () => {
    try {
      const id = await (asked ??= find());
      element.removeAttribute(TOLD);
      return { server, id };
    } catch (error) {
      asked = undefined;
      const { code, message } = error as Failure;
      element.setAttribute(TOLD, message);
      if (!told) onVain();
      if (told !== message) {
        complain(message);
        // What stands there instead is for the developer: the buyer does not wait for it.
        if (code === 'network') void lookAt(server || location.origin).then((found) => found && complain(found));
      }
      told = message;
      throw error;
    }
  };
}

/** What was said in the console already: the element hands it on to the page, and does not say it again. */
const TOLD = 'data-told';

/**
 * The id of the checkout that is opened.
 * @throws Failure with what to put right
 */
async function findCheckout(server: string, order: SdkOrder): Promise<string> {
  const wrong = adviceOnAddress(`apiEndpoint: ${JSON.stringify(server)}`, server);
  if (wrong) throw failure('setup', `${wrong}.`);
  const { product, amount, currency = DEFAULT_CURRENCY, passthrough } = order;
  const price = amount === undefined || amount === '' ? {} : { amount: String(amount).trim(), currency };
  const hasPrice = 'amount' in price;
  if (!product && !hasPrice) throw failure('setup', NOTHING);
  const offer = { ...(product && { product }), ...price, ...(passthrough != null && { passthrough }) };
  const { status, answer, waitMs } = await ask(server, offer);
  if (status < 300 && typeof answer?.id === 'string') return answer.id;
  const place = server || location.origin;
  const isBusy = status === 429;
  if (isBusy || status >= 500) throw failure(isBusy ? 'busy' : 'unavailable', `${place} is busy (${status}).`, waitMs);
  if (!answer || status < 300 || status === 405) throw failure('setup', `${adviceOnStranger(place)} (${status})`);
  const sentence = typeof answer.message === 'string' ? answer.message : null;
  throw failure('setup', adviceOnRefusal({ server: place, product: product || undefined, hasPrice, status, sentence }));
}

const NOTHING =
  'nothing says what is to be paid: name a product that stands in the CATALOGUE of the checkout server, as data-product of the button ' +
  'or in SDK.open({product}); or an invoice, in SDK.setup({invoice}).';

/** No longer than the element waits. */
const TIMEOUT_MS = 15_000;
const LONGEST_WAIT_S = 300;

interface Answered {
  status: number;
  answer: (Partial<Checkout> & { message?: unknown }) | null;
  /** How long the server asks to wait. */
  waitMs: number;
}

/** @throws Failure with what to put right, where no answer comes */
async function ask(server: string, offer: object): Promise<Answered> {
  try {
    const response = await fetch(`${server}/checkouts`, {
      method: 'POST',
      credentials: 'omit',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ offer }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const { status, headers } = response;
    const wait = Math.min(Number(headers.get('retry-after')) || 0, LONGEST_WAIT_S);
    return { status, answer: (await response.json().catch(() => null)) as Answered['answer'], waitMs: wait * 1000 };
  } catch (error) {
    throw failure('network', `${adviceOnSilence(server || location.origin)} (${String(error)})`);
  }
}

/** Tells the page's handlers what the element tells. */
function listen(element: HTMLElement, options: SdkOptions, passthrough: string | null): void {
  let isDone = false;
  const tell = (handler: SdkHandler | undefined, checkout: Checkout | null, code: string): void => {
    const data = sdkData(checkout, passthrough);
    if (options.devMode) console.info('SDK', code, data);
    handler?.(data, code);
  };
  element.addEventListener('checkout-ready', ({ checkout }) => tell(options.onOpen, checkout, 'open'));
  element.addEventListener('checkout-change', ({ checkout }) => {
    tell(options.onUpdate, checkout, 'update');
    if (checkout.stage === 'expired' && isIncomplete(checkout)) tell(options.onIncomplete, checkout, 'incomplete');
  });
  element.addEventListener('checkout-paid', ({ checkout }) => {
    isDone = true;
    tell(options.onSuccess, checkout, 'success');
  });
  element.addEventListener('checkout-close', (event) => {
    const { checkout, stage } = event;
    isBusy = false;
    // Kept only to hear of a payment that was begun.
    const isOver = !checkout?.payment || isDone;
    if (isOver && options.placement !== 'inline') setTimeout(() => event.defaultPrevented || element.remove());
    // What is seen is on its way: `onSuccess` follows, also after the dialog is closed.
    if (isDone || stage === 'seen' || stage === 'held') return;
    if (isIncomplete(checkout)) tell(options.onIncomplete, checkout, 'incomplete');
    else tell(options.onCancel, checkout, 'cancel');
  });
}

function targetOf({ placementTarget }: SdkOptions): HTMLElement | null {
  const target = typeof placementTarget === 'string' ? document.getElementById(placementTarget.replace(/^#/, '')) : placementTarget;
  if (!target) complain(`there is no element ${JSON.stringify(placementTarget)} to place the checkout in; it opens in a dialog.`);
  return target ?? null;
}

function textOf(passthrough: unknown): string | null {
  if (passthrough === undefined || passthrough === null) return null;
  return typeof passthrough === 'string' ? passthrough : JSON.stringify(passthrough);
}

/** All buttons, those too that are added later: what they say is read when they are pressed. */
function onClick(event: MouseEvent): void {
  const isButton = (node: EventTarget): node is HTMLElement => node instanceof HTMLElement && node.matches(BUTTONS);
  const button = event.composedPath().find(isButton);
  if (!button || event.defaultPrevented) return;
  event.preventDefault();
  adviseOnButton(button);
  const { product, amount, currency, passthrough } = button.dataset;
  void sdk.open({
    ...(product && { product }),
    ...(amount && { amount }),
    ...(currency && { currency }),
    ...(passthrough && { passthrough }),
  });
}

const page = globalThis as { SDK?: Sdk; CryptoChill?: Sdk };
if (!page.SDK?.setup) {
  page.SDK = page.CryptoChill = sdk;
  addEventListener('click', onClick);
}
