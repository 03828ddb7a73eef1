import { nearest } from '@crypto-checkout/protocol/nearest';

/** What `SDK.setup` calls. */
export const HANDLERS = ['onOpen', 'onUpdate', 'onSuccess', 'onIncomplete', 'onCancel'] as const;

const ORDER = ['product', 'amount', 'currency', 'passthrough'];
const OPTIONS = ['account', 'profile', 'apiEndpoint', 'passthrough', 'invoice', 'placement', 'placementTarget', 'devMode', ...HANDLERS];
const PLACEMENTS = ['modal', 'inline'];

/** Tells the shop's developer something that is to be put right. */
export const complain = (message: string): void => console.error(`SDK: ${message}`);

/** Tells what is wrong in the options: nobody else would say so. */
export function adviseOnOptions(options: object): void {
  nameUnknown('SDK.setup', Object.keys(options), OPTIONS);
  const { placement = 'modal' } = options as { placement?: unknown };
  if (!PLACEMENTS.includes(placement as string))
    complain(`placement is "modal" or "inline", not ${written(placement)}: it is taken as "modal".`);
  for (const name of HANDLERS) {
    const handler = (options as Record<string, unknown>)[name];
    if (handler != null && typeof handler !== 'function') complain(`${name} is a function, not ${written(handler)}: it is not called.`);
  }
}

/** Tells which members of an order there are not. */
export const adviseOnOrder = (order: object): void => nameUnknown('SDK.open', Object.keys(order), ORDER);

/** Tells which attributes of a button are nearly ours; others have attributes of their own. */
export function adviseOnButton(button: HTMLElement): void {
  for (const name of Object.keys(button.dataset)) {
    const meant = ORDER.includes(name) ? undefined : nearest(name, ORDER);
    if (meant) complain(`the attribute data-${name} is unknown: is "data-${meant}" meant?`);
  }
}

function nameUnknown(where: string, names: readonly string[], known: readonly string[]): void {
  for (const name of names) {
    if (known.includes(name)) continue;
    const meant = nearest(name, known);
    complain(`${where} takes no "${name}": ${meant ? `is "${meant}" meant?` : `there are ${known.join(', ')}.`}`);
  }
}

const written = (value: unknown): string => (typeof value === 'string' ? JSON.stringify(value) : String(value));

/** Why a price was not taken. */
export interface Refused {
  server: string;
  product: string | undefined;
  hasPrice: boolean;
  status: number;
  /** The checkout server's sentence; null where it is none. */
  sentence: string | null;
}

/** What to do where a server refuses what a page offers. */
export function adviceOnRefusal({ server, product, hasPrice, status, sentence }: Refused): string {
  const answer = `(${status}: ${sentence ?? 'no reason given'})`;
  const better = 'or better: sign the order on your server and use <crypto-checkout order="…">.';
  if (product !== undefined && !hasPrice) return `${server} knows no product "${product}" ${answer}. List it in its CATALOGUE, ${better}`;
  const what = product === undefined ? 'this price' : `this price of "${product}"`;
  const advice = status === 403 ? ` List the product in its CATALOGUE, set ALLOW_CLIENT_PRICES=true, ${better}` : '';
  return `${server} does not take ${what} ${answer}.${advice}`;
}
