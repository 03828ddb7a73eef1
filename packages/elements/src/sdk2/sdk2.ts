import type { Checkout } from '@crypto-checkout/protocol/checkout';
import type { CryptoCheckoutButton } from '../components/button/button.ts';
import type { CryptoCheckout } from '../components/checkout/checkout.ts';
import {
  addressAdvice,
  unreachableAdvice,
  wrongServerAdvice,
  probeServer,
} from '../advice/server-advice.ts';
import {
  HANDLERS,
  refusalAdvice,
  checkButton,
  checkOptions,
  checkOrder,
  logError,
} from './advice.ts';
import { type SdkData, isIncomplete, sdkData } from './data.ts';
import { type Failure, failure } from '../server/checkout-server.ts';

/**
 * The interface of `sdk2.js`: `SDK.setup`, `SDK.open`, and buttons with the class `sdk-button` or
 * `cryptochill-button`. It opens our own element; see docs/shop/migrate-sdk2.md.
 */

export type SdkHandler = (data: SdkData, code: string) => void;

export interface SdkOptions {
  /** Configured on the checkout server; accepted and ignored. */
  account?: string;
  profile?: string;
  /** The checkout server's address. Default: the origin of this script. */
  apiEndpoint?: string | URL;
  /** Returned with every event and in the shop's webhook. */
  passthrough?: unknown;
  /** The id of an existing invoice, or an object with it, instead of a price. */
  invoice?: string | { id?: string | null } | null;
  /** Default `modal`. */
  placement?: 'modal' | 'inline';
  /** For `inline`: an element or its id. */
  placementTarget?: string | HTMLElement;
  /** Logs every event to the console. */
  devMode?: boolean;
  onOpen?: SdkHandler;
  onUpdate?: SdkHandler;
  onSuccess?: SdkHandler;
  onIncomplete?: SdkHandler;
  onCancel?: SdkHandler;
}

/**
 * The product or price to pay. A price counts only if the operator lists the product, or allows
 * client prices.
 */
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

/** Base address: everything before `/static/js/sdk2.js`. */
const base = ((document.currentScript as HTMLScriptElement | null)?.src ?? '').replace(
  /\/static\/js\/sdk2\.js.*$/,
  '',
);

let options: SdkOptions | undefined;
/** A dialog is open or about to open. */
let isBusy = false;
/** The element in each target. */
const placed = new WeakMap<HTMLElement, HTMLElement>();

const sdk: Sdk = {
  setup(given) {
    checkOptions({ ...given });
    options = { ...given };
    for (const name of HANDLERS) if (typeof options[name] !== 'function') delete options[name];
  },
  async open(given) {
    // `SDK.open` may be an event listener itself.
    const order: SdkOrder = given instanceof Event ? {} : { ...given };
    checkOrder(order);
    const isInline = options?.placement === 'inline';
    if (!options) return logError('call SDK.setup({…}) before anything is opened.');
    if (isBusy && !isInline) return undefined;
    isBusy = !isInline;
    try {
      await show(options, order);
    } catch (error) {
      isBusy = false;
      logError(error instanceof Error ? error.message : String(error));
      options.onCancel?.(sdkData(null, asText(order.passthrough ?? options.passthrough)), 'cancel');
    }
  },
};

async function show(options: SdkOptions, order: SdkOrder): Promise<void> {
  const server = String(options.apiEndpoint || base).replace(/\/+$/, '');
  const passthrough = asText(order.passthrough ?? options.passthrough);
  const target = options.placement === 'inline' ? targetOf(options) : null;
  const element = document.createElement(target ? 'crypto-checkout' : 'crypto-checkout-button');
  element.setAttribute('server', server);
  const invoice = invoiceId(options.invoice);
  if (invoice && !addressAdvice('', server)) element.setAttribute('invoice', invoice);
  else
    element.opening = opening(element, server, {
      find: () => findCheckout(server, { ...order, passthrough }),
      // An inline checkout has no close event for the page.
      onFirstFailure: () => target && options.onCancel?.(sdkData(null, passthrough), 'cancel'),
    });
  listen(element, options, passthrough);
  await loadElements();
  if (target) {
    placed.get(target)?.remove();
    placed.set(target, element);
    target.append(element);
    return;
  }
  // The page has its own button; an invisible one replaces ours.
  const unseen = document.createElement('button');
  unseen.hidden = true;
  element.append(unseen);
  document.body.append(element);
  await (element as CryptoCheckoutButton).open();
}

/** Shop plugins give an object, whose id is empty until the buyer has chosen a coin. */
function invoiceId(invoice: SdkOptions['invoice']): string {
  const id: unknown = typeof invoice === 'object' ? invoice?.id : invoice;
  return typeof id === 'string' ? id : '';
}

const loadElements = (): Promise<unknown> =>
  customElements.get('crypto-checkout-button')
    ? Promise.resolve()
    : import(/* @vite-ignore */ `${base}/elements/${__VERSION__}/crypto-checkout.mjs`);

interface OpeningOptions {
  /** Opens the checkout on the server and returns its id. */
  find: () => Promise<string>;
  /** The first attempt failed. */
  onFirstFailure: () => void;
}

/**
 * Opens the checkout for the element, which shows progress and errors and retries. Console messages
 * are logged here, where the cause is known.
 */
function opening(
  element: HTMLElement,
  server: string,
  { find, onFirstFailure }: OpeningOptions,
): NonNullable<CryptoCheckout['opening']> {
  let reported = '';
  // The request starts while the element's code is loading.
  let asked: Promise<string> | undefined = find();
  asked.catch(() => {});
  return async () => {
    try {
      const id = await (asked ??= find());
      element.removeAttribute(REPORTED);
      return { server, id };
    } catch (error) {
      asked = undefined;
      const { code, message } = error as Failure;
      element.setAttribute(REPORTED, message);
      if (!reported) onFirstFailure();
      if (reported !== message) {
        logError(message);
        // Only the developer needs the probe's result; the buyer does not wait for it.
        if (code === 'network')
          void probeServer(server || location.origin).then((found) => found && logError(found));
      }
      reported = message;
      throw error;
    }
  };
}

/** Marks a message as logged: the element forwards it in its event and does not log it again. */
const REPORTED = 'data-error';

/**
 * Opens a checkout and returns its id.
 * @throws Failure with the correction
 */
async function findCheckout(server: string, order: SdkOrder): Promise<string> {
  const wrong = addressAdvice(`apiEndpoint: ${JSON.stringify(server)}`, server);
  if (wrong) throw failure('setup', `${wrong}.`);
  const { product, amount, currency = DEFAULT_CURRENCY, passthrough } = order;
  const price =
    amount === undefined || amount === '' ? {} : { amount: String(amount).trim(), currency };
  const hasPrice = 'amount' in price;
  if (!product && !hasPrice) throw failure('setup', NOTHING);
  const offer = {
    ...(product && { product }),
    ...price,
    ...(passthrough != null && { passthrough }),
  };
  const { status, answer, waitMs } = await ask(server, offer);
  if (status < 300 && typeof answer?.id === 'string') return answer.id;
  const place = server || location.origin;
  const isBusy = status === 429;
  if (isBusy || status >= 500)
    throw failure(isBusy ? 'busy' : 'unavailable', `${place} is busy (${status}).`, waitMs);
  if (!answer || status < 300 || status === 405)
    throw failure('setup', `${wrongServerAdvice(place)} (${status})`);
  const sentence = typeof answer.message === 'string' ? answer.message : null;
  throw failure(
    'setup',
    refusalAdvice({ server: place, product: product || undefined, hasPrice, status, sentence }),
  );
}

const NOTHING =
  'nothing says what is to be paid: name a product that stands in the CATALOGUE of the checkout server, as data-product of the button ' +
  'or in SDK.open({product}); or an invoice, in SDK.setup({invoice}).';

/** The element's own time limit. */
const TIMEOUT_MS = 15_000;
const LONGEST_WAIT_S = 300;

interface ServerAnswer {
  status: number;
  answer: (Partial<Checkout> & { message?: unknown }) | null;
  /** Pause that the server asks for. */
  waitMs: number;
}

/** @throws Failure with the correction, if there is no answer */
async function ask(server: string, offer: object): Promise<ServerAnswer> {
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
    return {
      status,
      answer: (await response.json().catch(() => null)) as ServerAnswer['answer'],
      waitMs: wait * 1000,
    };
  } catch (error) {
    throw failure('network', `${unreachableAdvice(server || location.origin)} (${String(error)})`);
  }
}

/** Calls the page's handlers on the element's events. */
function listen(element: HTMLElement, options: SdkOptions, passthrough: string | null): void {
  let isDone = false;
  const notify = (
    handler: SdkHandler | undefined,
    checkout: Checkout | null,
    code: string,
  ): void => {
    const data = sdkData(checkout, passthrough);
    if (options.devMode) console.info('SDK', code, data);
    handler?.(data, code);
  };
  element.addEventListener('checkout-ready', ({ checkout }) =>
    notify(options.onOpen, checkout, 'open'),
  );
  element.addEventListener('checkout-change', ({ checkout }) => {
    notify(options.onUpdate, checkout, 'update');
    if (checkout.stage === 'expired' && isIncomplete(checkout))
      notify(options.onIncomplete, checkout, 'incomplete');
  });
  element.addEventListener('checkout-paid', ({ checkout }) => {
    isDone = true;
    notify(options.onSuccess, checkout, 'success');
  });
  element.addEventListener('checkout-close', (event) => {
    const { checkout, stage } = event;
    isBusy = false;
    // A closed element stays only to report a payment that has begun.
    const isOver = !checkout?.payment || isDone;
    if (isOver && options.placement !== 'inline')
      setTimeout(() => event.defaultPrevented || element.remove());
    // A seen payment is followed by `onSuccess`, also after the dialog is closed.
    if (isDone || stage === 'seen' || stage === 'held') return;
    if (isIncomplete(checkout)) notify(options.onIncomplete, checkout, 'incomplete');
    else notify(options.onCancel, checkout, 'cancel');
  });
}

function targetOf({ placementTarget }: SdkOptions): HTMLElement | null {
  const target =
    typeof placementTarget === 'string'
      ? document.getElementById(placementTarget.replace(/^#/, ''))
      : placementTarget;
  if (!target)
    logError(
      `there is no element ${JSON.stringify(placementTarget)} to place the checkout in; it opens in a dialog.`,
    );
  return target ?? null;
}

function asText(passthrough: unknown): string | null {
  if (passthrough === undefined || passthrough === null) return null;
  return typeof passthrough === 'string' ? passthrough : JSON.stringify(passthrough);
}

/** One listener for all buttons, including later ones; their attributes are read on click. */
function onClick(event: MouseEvent): void {
  const isButton = (node: EventTarget): node is HTMLElement =>
    node instanceof HTMLElement && node.matches(BUTTONS);
  const button = event.composedPath().find(isButton);
  if (!button || event.defaultPrevented) return;
  event.preventDefault();
  checkButton(button);
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
