import type { CryptoCheckout } from '../checkout.ts';
import type { CheckoutErrorCode } from '../event.ts';
import { adviceOnAddress, adviceOnSilence, adviceOnStranger, lookAt } from './place.ts';
import { advise, adviseOnNames, say, shortened } from './spelling.ts';

/** As much of an answer as is told. */
const LONGEST = 200;
/** A framework has set by then which checkout it is. */
const EMPTY_MS = 5000;

/**
 * Tells the shop's developer, in the console and in English, what to put right.
 * @returns the same for `checkout-error`; of what passes by itself, only what was answered
 */
export function explain(code: CheckoutErrorCode, message: string, host: CryptoCheckout): string {
  advise(host);
  const server = host.server ?? '';
  // Our own page in a frame has explained it already, in this same console.
  if (host.mode === 'frame' && message.startsWith(originOf(server))) return message;
  const told = toldOf(host);
  if (told !== undefined) return told || message;
  if (code === 'network') watchPolicy(originOf(server));
  const { sentence, detail } = answerIn(message);
  const advice = adviceFor(code, { server, sentence, message, host });
  if (!advice) return sentence ? `${server || location.origin} answered: ${sentence}${detail}` : message;
  const complain = (found: string): void => console.error(`crypto-checkout: ${found || advice}${detail}`);
  // A scenario's server is not there, and who pays on the server's own page needs none of it.
  if (advice === adviceOnSilence(server) && !host.demo && !host.checkout) void lookAt(server).then(complain);
  else complain('');
  return advice + detail;
}

const originOf = (server: string): string => (URL.canParse(server, location.href) ? new URL(server, location.href).origin : server);

/** What sdk2.js has said already, in this same console. */
const toldOf = (host: CryptoCheckout): string | undefined =>
  [host, (host.getRootNode() as Partial<ShadowRoot>).host]
    .map((element) => element?.getAttribute('data-told'))
    .find((told) => told != null) ?? undefined;

/** Which servers the page's policy is watched for. */
const watched = new Set<string>();

/** The element asks again by itself: then the browser tells whether it is the page's own policy that keeps it from asking. */
function watchPolicy(origin: string): void {
  if (watched.has(origin)) return;
  watched.add(origin);
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
    if (effectiveDirective === 'connect-src' && blockedURI.startsWith(origin))
      say('error', `the policy of this page keeps it from ${origin}: it needs connect-src ${origin}`);
  });
}

/** Says after a moment of a tag that nobody has filled. */
export function adviseOnEmpty(host: CryptoCheckout): void {
  setTimeout(() => {
    const { server, order, checkoutId, invoice, successUrl, demo, checkout } = host;
    if (!host.isConnected || [server, order, checkoutId, invoice, successUrl, demo, checkout].some((value) => value != null)) return;
    adviseOnNames(host, (host.constructor as typeof CryptoCheckout).observedAttributes);
    say('error', emptyOf(host.localName));
  }, EMPTY_MS);
}

/** What a checkout server says is wrong, and what else there is to say: the status with the number of the request, or all that came. */
function answerIn(message: string): { sentence: string; detail: string } {
  const [, sentence] = REFUSAL.exec(message) ?? [];
  if (sentence) {
    const [, id] = /"request_id":"([^"]+)"/.exec(message) ?? [];
    return { sentence: String(JSON.parse(sentence)), detail: ` (${message.slice(0, 3)}${id ? `, request_id ${id}` : ''})` };
  }
  if (WAYS[message]) return { sentence: '', detail: '' };
  return { sentence: '', detail: ` (${(ANSWER.test(message) ? message.slice(0, LONGEST) : message).trim()})` };
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
const emptyOf = (tag: string): string =>
  `a <${tag}> is empty: set "server", the address of the checkout server, and "order", a token that the shop's server signs, ` +
  'or "checkout" or "invoice", the id of one that is there; or, to look at it without a server, "demo"';
const BUTTON = 'crypto-checkout-button';

/** What each takes. */
const TAKEN = {
  order: "a token that the shop's server signs",
  checkout: 'the id of a checkout, such as "id" in the answer of POST /checkouts',
  invoice: 'the id of an invoice',
} as const;

/** What says which checkout it is: the first that is set counts. */
const namesOf = ({ order, checkoutId, invoice }: CryptoCheckout): [name: keyof typeof TAKEN, value: unknown][] => [
  ['order', order],
  ['checkout', checkoutId],
  ['invoice', invoice],
];

/** What is given where a text belongs: as a property, or as what a framework has made a text of. */
function adviceOnNoText(name: keyof typeof TAKEN, value: unknown): string {
  const written = typeof value === 'string' ? value : Object.prototype.toString.call(value);
  const [, kind] = /^\[object (\w+)/.exec(written) ?? [];
  if (!kind) return `${name}="${shortened(written)}" is not what it takes: ${TAKEN[name]}`;
  const isAwaited = ['Promise', 'Response'].includes(kind);
  const noText = `"${name}" is ${/^[AEIOU]/.test(kind) ? 'an' : 'a'} ${kind}, and no text`;
  return isAwaited ? `${noText}: is \`await\` missing? It takes ${TAKEN[name]}` : `${noText}: it takes ${TAKEN[name]}`;
}

/** What is missing, or is there and cannot be meant. */
function adviceOnSetup(message: string, host: CryptoCheckout): string {
  const { server, demo, successUrl } = host;
  if (demo === '' && WAYS[message]) return demoIsEmpty();
  const [name, value] = namesOf(host).find(([, one]) => one) ?? [];
  if (name && (message === 'order' || typeof value !== 'string')) return adviceOnNoText(name, value);
  const isEmpty = !name && [server, demo, successUrl].every((one) => one == null);
  if (isEmpty && (host.getRootNode() as Partial<ShadowRoot>).host?.localName === BUTTON) return emptyOf(BUTTON);
  return WAYS[message] ?? 'it is not set up completely';
}

/** The id that a server was asked for. */
function idOf({ checkout, order, checkoutId, invoice }: CryptoCheckout): string {
  const id = checkout?.id ?? (order ? '' : checkoutId || invoice);
  return id ? `, "${shortened(id)}"` : '';
}

interface Mistake {
  server: string;
  /** The checkout server's own. */
  sentence: string;
  message: string;
  host: CryptoCheckout;
}

function adviceFor(code: CheckoutErrorCode, { server, sentence, message, host }: Mistake): string {
  const wrong = adviceOnAddress(`the attribute server="${server}"`, server);
  if (wrong) return wrong;
  const place = server || location.origin;
  const other = adviceOnStranger(place);
  switch (code) {
    case 'setup':
      return adviceOnSetup(message, host);
    case 'network':
      return adviceOnSilence(place);
    case 'not_found':
    case 'refused':
      // Another method: it is a path of the checkout server, and not its address.
      if (ANSWER.test(message) && (!sentence || message.startsWith('405 '))) return other;
      return code === 'refused'
        ? `${place} did not accept this${sentence ? `: ${sentence}` : ''}`
        : `${place} knows no such checkout${idOf(host)}: are the id in "checkout" or "invoice" and the address in "server" right?`;
    case 'malformed':
      return other;
    case 'unavailable':
    case 'busy':
    case 'tampered':
    default:
      return '';
  }
}

/** The names are in the file of the scenarios, which nobody else has a use for. */
function demoIsEmpty(): string {
  void import('../scenario/list.ts').then(
    ({ SCENES }) => console.info(`crypto-checkout: the scenarios are ${Object.keys(SCENES).join(', ')}`),
    () => {},
  );
  return 'the attribute "demo" is empty: it takes the name of a scenario, such as "underpaid"';
}
