import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { closestName } from '@crypto-checkout/protocol/spelling';
import { logOnce } from '../core/console.ts';
import type { CheckoutHost } from '../core/contracts.ts';
import { sourceLocale, targetLocales } from '../generated/locale-codes.ts';
import { pickLocale, textsOf } from '../i18n/locale.ts';
import { PREFIX, TOKENS, isValue, propertyOf } from '../styles/custom-properties.ts';

/** Allowed values of attributes, and the consequence of any other value. */
const VALUES: Readonly<
  Record<'mode' | 'theme' | 'show' | 'header', readonly [allowed: string[], instead: string]>
> = {
  mode: [
    ['inline', 'frame', 'redirect'],
    'nothing can be paid in this page, and buyers get a link to the hosted page',
  ],
  theme: [['auto', 'light', 'dark'], 'it is taken as "auto"'],
  show: [['stage', 'coins', 'receipt', 'refund'], 'it is taken as "stage"'],
  header: [['none'], 'merchant and price are shown'],
};

const NO_PRICE =
  'no price comes from a page. Set "order", a token that the shop\'s server signs, or "checkout", the id that your server gets from POST /checkouts';

/** Attributes that developers often try first, and the correction. */
const COMMON_MISTAKES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['amount', 'currency', 'item', 'price', 'product', 'total'].map((name) => [name, NO_PRICE]),
  ),
  ...Object.fromEntries(
    Object.entries({
      token: 'order',
      jwt: 'order',
      language: 'locale',
      coin: 'kind',
      endpoint: 'server',
      url: 'server',
      src: 'server',
    }).map(([name, meant]) => [name, `is "${meant}" meant?`]),
  ),
};

/**
 * Words in handler attributes such as `onpaid`, and the event they mean. HTML attributes cannot
 * listen to custom events.
 */
const EVENT_WORDS: readonly [RegExp, string][] = [
  [/paid|pay|success|complete|done/, 'checkout-paid'],
  [/error|fail/, 'checkout-error'],
  [/close|cancel|leave/, 'checkout-close'],
  [/ready|open|load/, 'checkout-ready'],
  [/change|update|status|stage/, 'checkout-change'],
];

/** Content that does not belong inside our tags; one link or one button may. */
const UNEXPECTED_CONTENT =
  'h1, h2, h3, h4, h5, h6, form, input, select, textarea, table, main, nav, header, footer, crypto-checkout, crypto-checkout-button';

/** Longest excerpt of a value: tokens are long, and should not end up in logs. */
const LONGEST = 40;

/** Correction for each CSS property that a custom property sets. */
const ALLOWED: Readonly<Record<string, string>> = {
  color: 'no colour, such as #2746c7',
  'border-radius': 'no length, such as 12px',
  'inline-size': 'no length, such as 16rem',
  font: 'no font as the shorthand, such as 1rem/1.5 Georgia, serif',
  'font-family': 'no list of fonts, such as ui-monospace, monospace',
};

const listed = (values: readonly string[]): string =>
  values.map((value) => `"${value}"`).join(', ');

export const shortened = (value: string): string =>
  value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value;

/**
 * Warns about attribute values that are not understood. The kind can only be checked with a
 * checkout.
 */
export function checkAttributes(host: CheckoutHost, view?: Checkout): void {
  for (const [name, [allowed, instead]] of Object.entries(VALUES)) {
    const value = host[name as keyof typeof VALUES];
    if (value && !allowed.includes(value))
      logOnce('error', `${name}="${value}" is none of ${listed(allowed)}: ${instead}`);
  }
  checkRedirect(host.redirectAfter);
  checkKind(host.kind, view?.stage === 'choose' ? view.coins.map((coin) => coin.kind) : []);
  checkLanguage(host);
  const { order, checkoutId, invoice } = host;
  const [first, second] = Object.entries({ order, checkout: checkoutId, invoice }).flatMap(
    ([name, value]) => (value ? [name] : []),
  );
  if (second) logOnce('warn', `"${first}" and "${second}" are both set: "${first}" counts`);
  checkNames(
    host,
    (host.constructor as unknown as { observedAttributes: string[] }).observedAttributes,
  );
}

function checkRedirect(value: string | null | undefined): void {
  if (!value || /^(?:now|off|[2-5]\d|60)$/.test(value)) return;
  logOnce(
    'warn',
    `redirect-after="${shortened(value)}" is none of "now", "off" and the seconds from 20 to 60: it takes a smaller number as 20, a larger one as 60, and any other text as 20`,
  );
}

function checkKind(kind: string | null | undefined, kinds: readonly string[]): void {
  if (!kind || !kinds.length || kinds.includes(kind)) return;
  const meant =
    kinds.find((one) => one.toLowerCase() === kind.toLowerCase()) ?? closestName(kind, kinds);
  logOnce(
    'warn',
    `kind="${kind}" is none of those offered here: ${meant ? `is "${meant}" meant? There are ` : ''}${listed(kinds)}`,
  );
}

function checkLanguage({ lang, locale, language }: CheckoutHost): void {
  if (
    locale &&
    textsOf(pickLocale(locale)) === sourceLocale &&
    !/^en\b/i.test(locale.replace('_', '-'))
  )
    logOnce(
      'warn',
      `locale="${locale}" is none of the languages here, and English is shown: ${listed([...targetLocales, sourceLocale].toSorted())}`,
    );
  if (lang && !locale && textsOf(pickLocale(lang)) !== textsOf(language))
    logOnce('warn', `lang="${lang}" is not read here: is "locale" meant?`);
}

/** Warns about misspelt attributes, common mistakes and custom properties. */
export function checkNames(element: HTMLElement, known: readonly string[]): void {
  for (const { name, value } of element.attributes) {
    if (known.includes(name)) continue;
    const meant = name in element ? undefined : closestName(name, known);
    const advice = meant
      ? `is "${meant}" meant?`
      : Object.hasOwn(COMMON_MISTAKES, name)
        ? COMMON_MISTAKES[name]
        : handlerAdvice(name, element);
    if (advice)
      logOnce('warn', `the attribute ${name}="${shortened(value)}" is unknown: ${advice}`);
  }
  checkCustomProperties(element);
  checkContent(element);
}

/**
 * Warns about an unclosed tag, which contains the rest of the page: in HTML, `<crypto-checkout …
 * />` does not close it.
 */
function checkContent(element: HTMLElement): void {
  const { localName } = element;
  const found =
    element.querySelector(UNEXPECTED_CONTENT) ??
    element.querySelectorAll('a, button')[1] ??
    (isOpenToTheEnd(element) && [...element.querySelectorAll('p')].find(isPlainText));
  if (found)
    logOnce(
      'warn',
      `there is more inside a <${localName}> than belongs there, such as <${found.localName}>: is it closed with </${localName}>? "/>" closes no tag in HTML`,
    );
}

/**
 * Whether the content begins on a new line and nothing follows the tag, not even the line break of
 * an indented page. A text for pages without a script may be a paragraph too.
 */
const isOpenToTheEnd = ({ firstChild, nextSibling }: HTMLElement): boolean =>
  !nextSibling && firstChild instanceof Text && !firstChild.data.trim();

const isPlainText = (paragraph: Element): boolean => !paragraph.querySelector('a, button');

/** Suggests the event listener to use in place of a handler attribute. */
function handlerAdvice(name: string, element: HTMLElement): string | undefined {
  if (!name.startsWith('on') || name in element) return undefined;
  const [, event] = EVENT_WORDS.find(([words]) => words.test(name)) ?? [];
  return (
    event &&
    `no attribute hears an event of this element. In a script: element.addEventListener('${event}', (event) => …)`
  );
}

/** Warns about unknown custom properties and invalid values. */
function checkCustomProperties(element: HTMLElement): void {
  // Not every browser lists custom properties.
  for (const name of element.computedStyleMap?.().keys() ?? []) {
    if (!name.startsWith('--') || TOKENS.includes(name)) continue;
    const meant = closestName(name, TOKENS);
    const advice = meant
      ? `is ${meant} meant?`
      : name.startsWith(PREFIX) && `there are ${TOKENS.join(', ')}`;
    if (advice) logOnce('warn', `the custom property ${name} is unknown: ${advice}`);
  }
  const style = getComputedStyle(element);
  for (const name of TOKENS) {
    const value = style.getPropertyValue(name).trim();
    if (value && !isValue(name, value))
      logOnce(
        'warn',
        `${name}: ${value} is ${ALLOWED[propertyOf(name)]}: it is as if it were not set`,
      );
  }
}
