import type { Checkout } from '@crypto-checkout/protocol/checkout';
import type { CryptoCheckoutButton } from './button.ts';
import { adviceOnAddress, adviceOnSilence, adviceOnStranger, lookAt } from './after/place.ts';
import { HANDLERS, adviceOnRefusal, adviseOnButton, adviseOnOptions, adviseOnOrder, complain } from './sdk2-advice.ts';
import { type SdkData, isIncomplete, sdkData } from './sdk2-data.ts';

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
  const [what] = await Promise.all([findCheckout(server, options, { ...order, passthrough }), loadElements()]);
  const target = options.placement === 'inline' ? targetOf(options) : null;
  const element = document.createElement(target ? 'crypto-checkout' : 'crypto-checkout-button');
  for (const [name, value] of Object.entries({ server, ...what })) element.setAttribute(name, value);
  listen(element, options, passthrough);
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

/** The attribute that names what is paid; or why there is nothing that can be: then the element tells the buyer that the shop is at fault. */
async function findCheckout(server: string, { invoice }: SdkOptions, order: SdkOrder): Promise<Record<string, string>> {
  const wrong = adviceOnAddress(`apiEndpoint: ${JSON.stringify(server)}`, server);
  if (wrong) return nothing(`${wrong}.`);
  if (invoice) return { invoice };
  const { product, amount, currency = DEFAULT_CURRENCY, passthrough } = order;
  const price = amount === undefined || amount === '' ? {} : { amount: String(amount).trim(), currency };
  const hasPrice = 'amount' in price;
  if (!product && !hasPrice) return nothing(NOTHING);
  const offer = { ...(product && { product }), ...price, ...(passthrough != null && { passthrough }) };
  const { status, answer } = await ask(server, offer);
  if (status < 300 && typeof answer?.id === 'string') return { checkout: answer.id };
  const place = server || location.origin;
  if (status >= 500 || status === 429) throw new Error(`${place} is busy (${status}).`);
  if (!answer || status < 300 || status === 405) return nothing(`${adviceOnStranger(place)} (${status})`);
  const sentence = typeof answer.message === 'string' ? answer.message : null;
  return nothing(adviceOnRefusal({ server: place, product: product || undefined, hasPrice, status, sentence }));
}

const NOTHING =
  'nothing says what is to be paid: name a product that stands in the CATALOGUE of the checkout server, as data-product of the button ' +
  'or in SDK.open({product}); or an invoice, in SDK.setup({invoice}).';

/** Why nothing can be paid: the element hands it on to the page, and does not say it in the console again. */
function nothing(message: string): Record<string, string> {
  complain(message);
  return { 'data-told': message };
}

type Answered = Partial<Checkout> & { message?: unknown };

/** @throws Error with what to put right, where no answer comes */
async function ask(server: string, offer: object): Promise<{ status: number; answer: Answered | null }> {
  try {
    const response = await fetch(`${server}/checkouts`, {
      method: 'POST',
      credentials: 'omit',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ offer }),
    });
    return { status: response.status, answer: (await response.json().catch(() => null)) as Answered | null };
  } catch (error) {
    const place = server || location.origin;
    // What stands there instead is for the developer: the buyer does not wait for it.
    void lookAt(place).then((found) => found && complain(found));
    throw new Error(`${adviceOnSilence(place)} (${String(error)})`, { cause: error });
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
