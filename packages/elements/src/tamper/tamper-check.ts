import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { walletLink } from '../server/safe-link.ts';
import { formatSum, isPositive } from '../i18n/number.ts';
import type { Panel } from '../core/panel.ts';
import { amountOf, inWalletUnit } from '../core/payment.ts';
import { linksOf } from '../wallet/links.ts';

/** Images of this size could pass for a QR code. */
const CODE_PX = 90;
/** Words of this length could pass for an address. */
const LONG_WORD = /[A-Za-z0-9]{26,}/g;
const PICTURES = 'img, canvas, picture, video, object, embed, image, foreignObject';
/** Views as received. A script that changes the object would otherwise have us draw the change. */
const received = new WeakMap<Checkout, string>();

/** Returns the JSON of a view as it was received. */
export function asReceived(view: Checkout): string {
  if (!received.has(view)) received.set(view, JSON.stringify(view));
  return received.get(view)!;
}

/** The content that may be drawn for a view. */
export interface ExpectedContent {
  view: Checkout;
  /** JSON of the view. */
  all: string;
  /** Addresses and requests, as in the copy fields. */
  targets: string[];
  /** Those that a drawn payment must show: the address, and a lightning request beside it. */
  needed: string[];
  /** Amounts of the payment, as displayed. */
  amounts: string[];
  /** Whether an amount is due: never for a reusable address. */
  asks: boolean;
  tag: string | null;
  /** Path of the QR code; empty if it is encoded here. */
  path: string;
  /** Wallet links: of the button, and of the wallets by name. */
  links: string[];
}

export function expectedContent(
  view: Checkout,
  panel: Panel | undefined,
  language: string,
): ExpectedContent {
  const { strings, qr, address, tag, x_address, public_address, lightning, due, paid, remaining } =
    view.payment!;
  // A server may send anything; only strings are drawn.
  const known = (texts: unknown[]): string[] =>
    texts.filter((text): text is string => typeof text === 'string' && text !== '');
  return {
    view,
    all: asReceived(view),
    targets: known([
      address,
      strings.address,
      x_address,
      public_address,
      lightning?.payment_request,
      lightning?.lnurl,
    ]),
    needed: known([address, lightning?.payment_request ?? lightning?.lnurl]),
    amounts: known([strings.amount, remaining, due, paid]).map((one) => {
      const { amount, symbol } = inWalletUnit(one, view.payment!);
      return formatSum(amount, symbol, language);
    }),
    asks: isPositive(amountOf(view.payment!)),
    tag,
    path: qr.path,
    links: known([
      walletLink(strings.link),
      ...(panel ? linksOf({ ...panel, checkout: view }).map(({ link }) => link) : []),
    ]),
  };
}

export interface DrawnRoot {
  tag: string;
  root: ShadowRoot;
}

/** All shadow roots of our elements. */
export function drawnRootsOf(host: Element): DrawnRoot[] {
  return [...shadowRootsOf(host)].map((root) => ({ tag: root.host.localName, root }));
}

export function* shadowRootsOf(element: Element): Generator<ShadowRoot> {
  const root = element.shadowRoot;
  if (!root) return;
  yield root;
  for (const child of root.querySelectorAll('*')) yield* shadowRootsOf(child);
}

const valuesOf = (root: ShadowRoot): string[] =>
  [...root.querySelectorAll('[part~=value]')].map(({ textContent }) => textContent.trim());

/**
 * Whether the drawn content is complete and as expected.
 * @param isNew The view may not be drawn yet, so that nothing counts as missing.
 */
export function isDrawnAsExpected(
  parts: DrawnRoot[],
  truth: ExpectedContent,
  isNew: boolean,
): boolean {
  const { targets, amounts, tag, path, links } = truth;
  const texts = [...targets, ...(tag ? [tag] : [])];
  if (!isComplete(parts, truth, isNew)) return false;
  return parts.every(({ tag: name, root }) => {
    if (name === 'crypto-address' && !valuesOf(root).every((value) => texts.includes(value)))
      return false;
    if (
      name === 'crypto-amount' &&
      !valuesOf(root).every((value) => amounts.includes(value.split(' ')[0]!))
    )
      return false;
    if (name === 'crypto-qr' && path && !isCode(root, path)) return false;
    return areLinks(root, links) && !hasForeignText(root, truth) && !hasForeignImage(root);
  });
}

/**
 * A payment on the screen must be complete, because a script could replace a removed element by its
 * own.
 */
function isComplete(
  parts: DrawnRoot[],
  { view, needed, asks, tag }: ExpectedContent,
  isNew: boolean,
): boolean {
  const handOff = parts.find(
    ({ tag: name, root }) => name === 'crypto-hand-off' && root.childElementCount,
  )?.root.host;
  const drawn = (handOff as Partial<{ panel: Panel }> | undefined)?.panel?.checkout;
  if (!drawn || (isNew && drawn !== view)) return true;
  const has = (name: string): boolean => parts.some((part) => part.tag === name);
  const values = parts
    .filter((part) => part.tag === 'crypto-address')
    .flatMap(({ root }) => valuesOf(root));
  const hasTargets = [...needed, ...(tag ? [tag] : [])].every((text) => values.includes(text));
  return hasTargets && has('crypto-qr') && (has('crypto-amount') || !asks);
}

/** Whether the QR code is exactly the expected one. */
function isCode(root: ShadowRoot, path: string): boolean {
  const drawn = root.querySelectorAll('svg *');
  // Before the first draw there is none.
  return !drawn.length
    ? !root.querySelector('svg')
    : drawn.length === 1 && drawn[0]!.getAttribute('d') === path;
}

function areLinks(root: ShadowRoot, links: string[]): boolean {
  return [...root.querySelectorAll('a[href]')].every((link) => {
    const href = link.getAttribute('href')!;
    const isWallet =
      link.part.value.startsWith('wallet') || !/^(?:https?:|mailto:|[/?#])/i.test(href);
    return !isWallet || links.includes(href);
  });
}

/** Whether a word that looks like an address was not sent by the server. */
function hasForeignText(root: ShadowRoot, { all }: ExpectedContent): boolean {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { data, parentNode } = walker.currentNode as Text;
    if (parentNode instanceof HTMLStyleElement) continue;
    for (const [word] of data.matchAll(LONG_WORD))
      if (/\d/.test(word) && /[A-Za-z]/.test(word) && !all.includes(word)) return true;
  }
  return false;
}

const hasForeignImage = (root: ShadowRoot): boolean =>
  [...root.querySelectorAll(PICTURES)].some(
    (picture) => picture.getBoundingClientRect().width >= CODE_PX,
  );
