import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { nearest } from '@crypto-checkout/protocol/nearest';
import type { CryptoCheckout } from '../checkout.ts';
import type { CheckoutErrorCode } from '../event.ts';
import { sourceLocale, targetLocales } from '../generated/locale-codes.ts';
import { pickLocale } from '../locale.ts';
import { PREFIX, TOKENS } from '../message.ts';

/** What an attribute may say, and what becomes of anything else. */
const VALUES: Readonly<Record<'mode' | 'theme' | 'show', readonly [allowed: string[], instead: string]>> = {
  mode: [['inline', 'frame', 'redirect'], 'nothing can be paid in this page, and buyers get a link to the hosted page'],
  theme: [['auto', 'light', 'dark'], 'it is taken as "auto"'],
  show: [['stage', 'coins', 'receipt'], 'it is taken as "stage"'],
};

/** As much of an answer as is told. */
const LONGEST = 200;

/** What was said: once is enough, however many elements stand on the page. */
const said = new Set<string>();

/**
 * Tells the shop's developer, in the console and in English, what to put right.
 * @returns the same for `checkout-error`; of what passes by itself, only what was answered
 */
export function explain(code: CheckoutErrorCode, message: string, host: CryptoCheckout): string {
  advise(host);
  const server = host.server ?? '';
  // Our own page in a frame has explained it already, in this same console.
  if (host.mode === 'frame' && message.startsWith(originOf(server))) return message;
  const { sentence, detail } = answerIn(message);
  const advice = adviceFor(code, { server, sentence, message });
  if (!advice) return sentence ? `${server || location.origin} answered: ${sentence}${detail}` : message;
  console.error(`crypto-checkout: ${advice}${detail}`);
  return advice + detail;
}

const originOf = (server: string): string => (URL.canParse(server, location.href) ? new URL(server, location.href).origin : server);

/** What a checkout server says is wrong, and what else there is to say: the status with the number of the request, or all that came. */
function answerIn(message: string): { sentence: string; detail: string } {
  const [, sentence] = REFUSAL.exec(message) ?? [];
  if (sentence) {
    const [, id] = /"request_id":"([^"]+)"/.exec(message) ?? [];
    return { sentence: String(JSON.parse(sentence)), detail: ` (${message.slice(0, 3)}${id ? `, request_id ${id}` : ''})` };
  }
  if (WAYS[message]) return { sentence: '', detail: '' };
  return { sentence: '', detail: ` (${ANSWER.test(message) ? message.slice(0, LONGEST) : message})` };
}

/** Tells the shop's developer which attributes say something that nobody understands. A word about the kind needs the view. */
export function advise(host: CryptoCheckout, view?: Checkout): void {
  for (const [name, [allowed, instead]] of Object.entries(VALUES)) {
    const value = host[name as keyof typeof VALUES];
    if (value && !allowed.includes(value)) say('error', `${name}="${value}" is none of ${listed(allowed)}: ${instead}`);
  }
  const { kind } = host;
  const kinds = view?.stage === 'choose' ? view.coins.map((coin) => coin.kind) : [];
  if (kind && kinds.length && !kinds.includes(kind)) say('warn', `kind="${kind}" is none of those offered here: ${listed(kinds)}`);
  const { locale } = host;
  if (locale && pickLocale(locale) === sourceLocale && !/^en\b/i.test(locale))
    say('warn', `locale="${locale}" is none of the languages here, and English is shown: ${listed(targetLocales)}`);
  adviseOnNames(host, (host.constructor as typeof CryptoCheckout).observedAttributes);
}

/** Tells which attributes are no attributes of ours, but nearly, and which custom properties of ours do not exist. */
export function adviseOnNames(element: Element, known: readonly string[]): void {
  for (const { name, value } of element.attributes) {
    const meant = known.includes(name) || name in element ? undefined : nearest(name, known);
    if (meant) say('warn', `the attribute ${name}="${value}" is unknown: is "${meant}" meant?`);
  }
  // Not every browser tells which there are.
  for (const name of element.computedStyleMap?.().keys() ?? []) {
    if (!name.startsWith(PREFIX) || TOKENS.includes(name)) continue;
    const meant = nearest(name, TOKENS);
    say('warn', `the custom property ${name} is unknown: ${meant ? `is ${meant} meant?` : `there are ${TOKENS.join(', ')}`}`);
  }
}

const listed = (values: readonly string[]): string => values.map((value) => `"${value}"`).join(', ');

function say(level: 'error' | 'warn', text: string): void {
  if (said.has(text)) return;
  said.add(text);
  console[level](`crypto-checkout: ${text}`);
}

/** A checkout server's own refusal, as a failure tells it: the status, and the answer. */
const REFUSAL = /^\d{3} \{"result":"error",.*?"message":("(?:[^"\\]|\\.)*")/s;
/** An answer of whatever server. */
const ANSWER = /^\d{3} /;

/** What is to be said where an attribute is missing. */
const WAYS: Readonly<Record<string, string>> = {
  server: 'the attribute "server" is missing: the address of the checkout server, such as https://pay.example',
  order:
    'nothing says what is to be paid: set "order", a token that the shop\'s server signs, or "checkout" or "invoice", the id of one that is there',
};

interface Mistake {
  server: string;
  /** The checkout server's own. */
  sentence: string;
  message: string;
}

function adviceFor(code: CheckoutErrorCode, { server, sentence, message }: Mistake): string {
  // Without a scheme it is a path of the shop's own page.
  if (server && !/^(?:https?:\/\/|\/)/i.test(server)) {
    const whole = `${/^(?:localhost|127\.|\[::1\])/i.test(server) ? 'http' : 'https'}://${server.replace(/^\w*:\/+/, '')}`;
    return `the attribute server="${server}" has to be a whole address, such as ${whole}`;
  }
  const place = server || location.origin;
  const other = `${place} answered something else than a checkout: is it the address of the checkout server?`;
  switch (code) {
    case 'setup':
      return WAYS[message] ?? 'it is not set up completely';
    case 'network':
      return `${place} cannot be reached from here: is it a checkout server that runs, and do its EMBED_ORIGINS name ${location.origin}?`;
    case 'not_found':
    case 'refused':
      // Another method: it is a path of the checkout server, and not its address.
      if (ANSWER.test(message) && (!sentence || message.startsWith('405 '))) return other;
      return code === 'refused'
        ? `${place} did not accept this${sentence ? `: ${sentence}` : ''}`
        : `${place} knows no such checkout: are the id in "checkout" or "invoice" and the address in "server" right?`;
    case 'malformed':
      return other;
    case 'unavailable':
    case 'busy':
    case 'tampered':
    default:
      return '';
  }
}
