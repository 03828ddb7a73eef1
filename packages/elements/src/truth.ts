import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { walletLink } from './link.ts';
import { formatCoins, isPositive } from './number.ts';
import { type Panel, amountOf } from './panel.ts';
import { linksOf } from './wallet/links.ts';

/** Drawings that are as large as this could be taken for a code. */
const CODE_PX = 90;
/** A word of letters and digits as long as this could be taken for an address. */
const LONG_WORD = /[A-Za-z0-9]{26,}/g;
const PICTURES = 'img, canvas, picture, video, object, embed, image, foreignObject';
/** Views as they came. Whoever gets at the object can change it, and would have us draw the change ourselves. */
const received = new WeakMap<Checkout, string>();

/** A view as it came, whatever became of it. */
export function asReceived(view: Checkout): string {
  if (!received.has(view)) received.set(view, JSON.stringify(view));
  return received.get(view)!;
}

/** What may be drawn for a view. */
export interface Truth {
  view: Checkout;
  /** All that came. */
  all: string;
  /** Where to, each text that is copied alone. */
  targets: string[];
  /** How much, as it is shown: whatever the payment itself names. */
  amounts: string[];
  /** Whether it asks for an amount: a reusable address does not, however much has come. */
  asks: boolean;
  tag: string | null;
  /** The code; empty where it is made here. */
  path: string;
  /** Wallet links: of the button, and of the named wallets. */
  links: string[];
}

export function truthOf(view: Checkout, panel: Panel | undefined, language: string): Truth {
  const { strings, qr, address, tag, x_address, public_address, lightning, due, paid, remaining } = view.payment!;
  // A server may say anything; what is no text is nowhere to be seen.
  const known = (texts: unknown[]): string[] => texts.filter((text): text is string => typeof text === 'string' && text !== '');
  return {
    view,
    all: asReceived(view),
    targets: known([address, strings.address, x_address, public_address, lightning?.payment_request, lightning?.lnurl]),
    amounts: known([strings.amount, remaining, due, paid]).map((amount) => formatCoins(amount, language)),
    asks: isPositive(amountOf(view.payment!)),
    tag,
    path: qr.path,
    links: known([walletLink(strings.link), ...(panel ? linksOf({ ...panel, checkout: view }).map(({ link }) => link) : [])]),
  };
}

export interface Drawn {
  tag: string;
  root: ShadowRoot;
}

/** Everything of ours that is drawn, as the browser has it now. */
export function partsOf(host: Element): Drawn[] {
  return [...rootsOf(host)].map((root) => ({ tag: root.host.localName, root }));
}

export function* rootsOf(element: Element): Generator<ShadowRoot> {
  const root = element.shadowRoot;
  if (!root) return;
  yield root;
  for (const child of root.querySelectorAll('*')) yield* rootsOf(child);
}

const valuesOf = (root: ShadowRoot): string[] => [...root.querySelectorAll('[part~=value]')].map(({ textContent }) => textContent.trim());

/**
 * Whether everything that is drawn, and all of it, is the truth.
 * @param isNew A view that has only come is not drawn yet: until it is, nothing of it can be missing. Of an older one nothing may be.
 */
export function isDrawn(parts: Drawn[], truth: Truth, isNew: boolean): boolean {
  const { targets, amounts, tag, path, links } = truth;
  const texts = [...targets, ...(tag ? [tag] : [])];
  if (!isWhole(parts, truth, isNew)) return false;
  return parts.every(({ tag: name, root }) => {
    if (name === 'crypto-address' && !valuesOf(root).every((value) => texts.includes(value))) return false;
    if (name === 'crypto-amount' && !valuesOf(root).every((value) => amounts.includes(value.split(/\s/)[0]!))) return false;
    if (name === 'crypto-qr' && path && !isCode(root, path)) return false;
    return areLinks(root, links) && !hasForeignWords(root, truth) && !hasForeignPicture(root);
  });
}

/** Where the payment is asked for, all of it must be there: nobody may put a drawing of its own in its place. */
function isWhole(parts: Drawn[], { view, targets, asks, tag }: Truth, isNew: boolean): boolean {
  const handOff = parts.find(({ tag: name, root }) => name === 'crypto-hand-off' && root.childElementCount)?.root.host;
  const drawn = (handOff as Partial<{ panel: Panel }> | undefined)?.panel?.checkout;
  if (!drawn || (isNew && drawn !== view)) return true;
  const has = (name: string): boolean => parts.some((part) => part.tag === name);
  const values = parts.filter((part) => part.tag === 'crypto-address').flatMap(({ root }) => valuesOf(root));
  const isTold = values.some((value) => targets.includes(value)) && (!tag || values.includes(tag));
  return isTold && has('crypto-qr') && (has('crypto-amount') || !asks);
}

/** The code, all of the code, and nothing but the code. */
function isCode(root: ShadowRoot, path: string): boolean {
  const drawn = root.querySelectorAll('svg *');
  // Before its first drawing there is none.
  return !drawn.length ? !root.querySelector('svg') : drawn.length === 1 && drawn[0]!.getAttribute('d') === path;
}

function areLinks(root: ShadowRoot, links: string[]): boolean {
  return [...root.querySelectorAll('a[href]')].every((link) => {
    const href = link.getAttribute('href')!;
    const isWallet = link.part.value.startsWith('wallet') || !/^(?:https?:|mailto:|[/?#])/i.test(href);
    return !isWallet || links.includes(href);
  });
}

/** Whether a word that could be an address stands anywhere and never came from the server. */
function hasForeignWords(root: ShadowRoot, { all }: Truth): boolean {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { data, parentNode } = walker.currentNode as Text;
    if (parentNode instanceof HTMLStyleElement) continue;
    for (const [word] of data.matchAll(LONG_WORD)) if (/\d/.test(word) && /[A-Za-z]/.test(word) && !all.includes(word)) return true;
  }
  return false;
}

const hasForeignPicture = (root: ShadowRoot): boolean =>
  [...root.querySelectorAll(PICTURES)].some((picture) => picture.getBoundingClientRect().width >= CODE_PX);
