import { closestName } from '@crypto-checkout/protocol/spelling';

/** Handlers of `SDK.setup`. */
export const HANDLERS = ['onOpen', 'onUpdate', 'onSuccess', 'onIncomplete', 'onCancel'] as const;

const ORDER = ['product', 'amount', 'currency', 'passthrough'];
const OPTIONS = [
  'account',
  'profile',
  'apiEndpoint',
  'passthrough',
  'invoice',
  'placement',
  'placementTarget',
  'devMode',
  ...HANDLERS,
];
const PLACEMENTS = ['modal', 'inline'];

/** Logs a mistake for the shop's developer. */
export const logError = (message: string): void => console.error(`SDK: ${message}`);

/** Checks the options. */
export function checkOptions(options: object): void {
  reportUnknown('SDK.setup', Object.keys(options), OPTIONS);
  const { placement = 'modal' } = options as { placement?: unknown };
  if (!PLACEMENTS.includes(placement as string))
    logError(`placement is "modal" or "inline", not ${quoted(placement)}: it is taken as "modal".`);
  checkInvoice((options as { invoice?: unknown }).invoice);
  for (const name of HANDLERS) {
    const handler = (options as Record<string, unknown>)[name];
    if (handler != null && typeof handler !== 'function')
      logError(`${name} is a function, not ${quoted(handler)}: it is not called.`);
  }
}

function checkInvoice(invoice: unknown): void {
  const isRecord = typeof invoice === 'object' && invoice !== null && 'id' in invoice;
  const id = (isRecord ? invoice.id : invoice) ?? '';
  if (typeof id !== 'string')
    logError(
      `invoice is an id or an object with one, such as {id: "…"}, not ${JSON.stringify(invoice)}: it is ignored.`,
    );
}

/** Checks the members of an order. */
export const checkOrder = (order: object): void =>
  reportUnknown('SDK.open', Object.keys(order), ORDER);

/** Checks the data attributes of a button for misspellings; unrelated ones are ignored. */
export function checkButton(button: HTMLElement): void {
  for (const name of Object.keys(button.dataset)) {
    const meant = ORDER.includes(name) ? undefined : closestName(name, ORDER);
    if (meant) logError(`the attribute data-${name} is unknown: is "data-${meant}" meant?`);
  }
}

function reportUnknown(where: string, names: readonly string[], known: readonly string[]): void {
  for (const name of names) {
    if (known.includes(name)) continue;
    const meant = closestName(name, known);
    logError(
      `${where} takes no "${name}": ${meant ? `is "${meant}" meant?` : `there are ${known.join(', ')}.`}`,
    );
  }
}

const quoted = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(value) : String(value);

/** A refused offer. */
export interface Refused {
  server: string;
  product: string | undefined;
  hasPrice: boolean;
  status: number;
  /** The checkout server's error message; null if there is none. */
  sentence: string | null;
}

/** Correction for an offer that the server refused. */
export function refusalAdvice({ server, product, hasPrice, status, sentence }: Refused): string {
  const answer = `(${status}: ${sentence ?? 'no reason given'})`;
  const better = 'or better: sign the order on your server and use <crypto-checkout order="…">.';
  if (product !== undefined && !hasPrice)
    return `${server} has no product "${product}" ${answer}. List it in its CATALOGUE, ${better}`;
  const what = product === undefined ? 'this price' : `this price of "${product}"`;
  const advice =
    status === 403
      ? ` List the product in its CATALOGUE, set ALLOW_CLIENT_PRICES=true, ${better}`
      : '';
  return `${server} does not take ${what} ${answer}.${advice}`;
}
