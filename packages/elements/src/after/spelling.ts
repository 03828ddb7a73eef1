import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { nearest } from '@crypto-checkout/protocol/nearest';
import type { CryptoCheckout } from '../checkout.ts';
import { sourceLocale, targetLocales } from '../generated/locale-codes.ts';
import { pickLocale } from '../locale.ts';
import { PREFIX, TOKENS, isValue, propertyOf } from '../message.ts';

/** What an attribute may say, and what becomes of anything else. */
const VALUES: Readonly<Record<'mode' | 'theme' | 'show', readonly [allowed: string[], instead: string]>> = {
  mode: [['inline', 'frame', 'redirect'], 'nothing can be paid in this page, and buyers get a link to the hosted page'],
  theme: [['auto', 'light', 'dark'], 'it is taken as "auto"'],
  show: [['stage', 'coins', 'receipt'], 'it is taken as "stage"'],
};

const NO_PRICE =
  'no price comes from a page. Set "order", a token that the shop\'s server signs, or "checkout", the id that your server gets from POST /checkouts';

/** What people try first, and what to say to it. */
const TRIED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['amount', 'currency', 'item', 'price', 'product', 'total'].map((name) => [name, NO_PRICE])),
  ...Object.fromEntries(
    Object.entries({ token: 'order', jwt: 'order', language: 'locale', coin: 'kind', endpoint: 'server', url: 'server' }).map(
      ([name, meant]) => [name, `is "${meant}" meant?`],
    ),
  ),
};

/** What people write for an event, and the event. No attribute of HTML hears one of an element's own. */
const HEARD: readonly [RegExp, string][] = [
  [/paid|pay|success|complete|done/, 'checkout-paid'],
  [/error|fail/, 'checkout-error'],
  [/close|cancel|leave/, 'checkout-close'],
  [/ready|open|load/, 'checkout-ready'],
  [/change|update|status|stage/, 'checkout-change'],
];

/** What nobody means to have in a tag of ours; there may be one link or one button. */
const STRANGE =
  'h1, h2, h3, h4, h5, h6, form, input, select, textarea, table, main, nav, header, footer, crypto-checkout, crypto-checkout-button';

/** As much of a value as is told: a token is long, and a log is read by many. */
const LONGEST = 40;

/** What is a value of each property of CSS that a custom property sets. */
const ALLOWED: Readonly<Record<string, string>> = {
  color: 'no colour, such as #2746c7',
  'border-radius': 'no length, such as 12px',
  'inline-size': 'no length, such as 16rem',
  font: 'no font as the shorthand, such as 1rem/1.5 Georgia, serif',
  'font-family': 'no list of fonts, such as ui-monospace, monospace',
};

/** What was said: once is enough, however many elements stand on the page. */
const said = new Set<string>();

/** Says something to the shop's developer, once. */
export function say(level: 'error' | 'warn', text: string): void {
  if (said.has(text)) return;
  said.add(text);
  console[level](`crypto-checkout: ${text}`);
}

const listed = (values: readonly string[]): string => values.map((value) => `"${value}"`).join(', ');

export const shortened = (value: string): string => (value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value);

/** Tells the shop's developer which attributes say something that nobody understands. A word about the kind needs the view. */
export function advise(host: CryptoCheckout, view?: Checkout): void {
  for (const [name, [allowed, instead]] of Object.entries(VALUES)) {
    const value = host[name as keyof typeof VALUES];
    if (value && !allowed.includes(value)) say('error', `${name}="${value}" is none of ${listed(allowed)}: ${instead}`);
  }
  adviseOnKind(host.kind, view?.stage === 'choose' ? view.coins.map((coin) => coin.kind) : []);
  adviseOnLanguage(host);
  const { order, checkoutId, invoice } = host;
  const [first, second] = Object.entries({ order, checkout: checkoutId, invoice }).flatMap(([name, value]) => (value ? [name] : []));
  if (second) say('warn', `"${first}" and "${second}" are both set: "${first}" counts`);
  adviseOnNames(host, (host.constructor as typeof CryptoCheckout).observedAttributes);
}

function adviseOnKind(kind: string | null | undefined, kinds: readonly string[]): void {
  if (!kind || !kinds.length || kinds.includes(kind)) return;
  const meant = kinds.find((one) => one.toLowerCase() === kind.toLowerCase()) ?? nearest(kind, kinds);
  say('warn', `kind="${kind}" is none of those offered here: ${meant ? `is "${meant}" meant? There are ` : ''}${listed(kinds)}`);
}

function adviseOnLanguage({ lang, locale, language }: CryptoCheckout): void {
  if (locale && pickLocale(locale) === sourceLocale && !/^en\b/i.test(locale.replace('_', '-')))
    say(
      'warn',
      `locale="${locale}" is none of the languages here, and English is shown: ${listed([...targetLocales, sourceLocale].toSorted())}`,
    );
  if (lang && !locale && pickLocale(lang) !== language) say('warn', `lang="${lang}" is not read here: is "locale" meant?`);
}

/** Tells which attributes are no attributes of ours, but nearly, or what people try; and the same of custom properties. */
export function adviseOnNames(element: HTMLElement, known: readonly string[]): void {
  for (const { name, value } of element.attributes) {
    if (known.includes(name)) continue;
    const meant = name in element ? undefined : nearest(name, known);
    const advice = meant ? `is "${meant}" meant?` : Object.hasOwn(TRIED, name) ? TRIED[name] : adviceOnHandler(name, element);
    if (advice) say('warn', `the attribute ${name}="${shortened(value)}" is unknown: ${advice}`);
  }
  adviseOnLook(element);
  adviseOnInside(element);
}

/** Tells of a tag that has swallowed what follows it: in HTML, `<crypto-checkout … />` does not close it. */
function adviseOnInside(element: HTMLElement): void {
  const { localName } = element;
  const found = element.querySelector(STRANGE) ?? element.querySelectorAll('a, button')[1];
  if (found)
    say(
      'warn',
      `there is more inside a <${localName}> than belongs there, such as <${found.localName}>: is it closed with </${localName}>? "/>" closes no tag in HTML`,
    );
}

/** Of handlers, which each element has for the browser's own events, what is meant for ours. */
function adviceOnHandler(name: string, element: HTMLElement): string | undefined {
  if (!name.startsWith('on') || name in element) return undefined;
  const [, event] = HEARD.find(([words]) => words.test(name)) ?? [];
  return event && `no attribute hears an event of this element. In a script: element.addEventListener('${event}', (event) => …)`;
}

/** Tells which custom properties there are not, and which have a value that is none. */
function adviseOnLook(element: HTMLElement): void {
  // Not every browser tells which there are.
  for (const name of element.computedStyleMap?.().keys() ?? []) {
    if (!name.startsWith('--') || TOKENS.includes(name)) continue;
    const meant = nearest(name, TOKENS);
    const advice = meant ? `is ${meant} meant?` : name.startsWith(PREFIX) && `there are ${TOKENS.join(', ')}`;
    if (advice) say('warn', `the custom property ${name} is unknown: ${advice}`);
  }
  const style = getComputedStyle(element);
  for (const name of TOKENS) {
    const value = style.getPropertyValue(name).trim();
    if (value && !isValue(name, value)) say('warn', `${name}: ${value} is ${ALLOWED[propertyOf(name)]}: it is as if it were not set`);
  }
}
