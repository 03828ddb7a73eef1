import type { CheckoutHost } from '../core/contracts.ts';
import type { CheckoutErrorCode } from '../events/checkout-events.ts';
import {
  addressAdvice,
  unreachableAdvice,
  wrongServerAdvice,
  probeServer,
} from './server-advice.ts';
import { checkAttributes, checkNames, shortened } from './attribute-advice.ts';
import { logOnce } from '../core/console.ts';

/** Longest excerpt of an answer. */
const LONGEST = 200;
/** By then a framework has set the attributes. */
const EMPTY_MS = 5000;

/**
 * Logs a correction for the shop's developer, in English.
 * @returns the same text for `checkout-error`; for temporary errors only the server's answer
 */
export function explainError(code: CheckoutErrorCode, message: string, host: CheckoutHost): string {
  checkAttributes(host);
  const server = host.server ?? '';
  // Our page inside the frame has logged it already, in the same console.
  if (host.mode === 'frame' && message.startsWith(originOf(server))) return message;
  const logged = sdk2Message(host);
  if (logged !== undefined) return logged || message;
  if (code === 'network') watchContentPolicy(originOf(server));
  const { sentence, detail } = parseAnswer(message);
  const advice = errorAdvice(code, { server, sentence, message, host });
  if (!advice)
    return sentence ? `${server || location.origin} answered: ${sentence}${detail}` : message;
  const complain = (found: string): void =>
    console.error(`crypto-checkout: ${found || advice}${detail}`);
  // Each poll would repeat it.
  if (code === 'tampered') logOnce('error', advice + detail);
  // No probe for demos, which have no server, nor on the server's own page.
  else if (advice === unreachableAdvice(server) && !host.demo && !host.checkout)
    void probeServer(server).then(complain);
  else complain('');
  return advice + detail;
}

const originOf = (server: string): string =>
  URL.canParse(server, location.href) ? new URL(server, location.href).origin : server;

/** The message that sdk2.js has logged already. */
const sdk2Message = (host: CheckoutHost): string | undefined =>
  [host, (host.getRootNode() as Partial<ShadowRoot>).host]
    .map((element) => element?.getAttribute('data-error'))
    .find((logged) => logged != null) ?? undefined;

/** Origins for which policy violations are observed. */
const watched = new Set<string>();

/**
 * The element retries by itself. On a retry the browser reports whether the page's own policy
 * blocks the request.
 */
function watchContentPolicy(origin: string): void {
  if (watched.has(origin)) return;
  watched.add(origin);
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
    if (effectiveDirective === 'connect-src' && blockedURI.startsWith(origin))
      logOnce(
        'error',
        `the policy of this page keeps it from ${origin}: it needs connect-src ${origin}`,
      );
  });
}

/** Warns after five seconds about a tag without attributes. */
export function warnIfEmpty(host: CheckoutHost): void {
  setTimeout(() => {
    const { server, order, checkoutId, invoice, successUrl, demo, checkout } = host;
    if (
      !host.isConnected ||
      [server, order, checkoutId, invoice, successUrl, demo, checkout].some(
        (value) => value != null,
      )
    )
      return;
    checkNames(
      host,
      (host.constructor as unknown as { observedAttributes: string[] }).observedAttributes,
    );
    logOnce('error', emptyAdvice(host.localName));
  }, EMPTY_MS);
}

/**
 * Splits an answer into the server's error message and a detail: status and request id, or an
 * excerpt.
 */
function parseAnswer(message: string): { sentence: string; detail: string } {
  const [, sentence] = REFUSAL.exec(message) ?? [];
  if (sentence) {
    const [, id] = /"request_id":"([^"]+)"/.exec(message) ?? [];
    return {
      sentence: String(JSON.parse(sentence)),
      detail: ` (${message.slice(0, 3)}${id ? `, request_id ${id}` : ''})`,
    };
  }
  if (MISSING[message]) return { sentence: '', detail: '' };
  return {
    sentence: '',
    detail: ` (${(ANSWER.test(message) ? message.slice(0, LONGEST) : message).trim()})`,
  };
}

/** An error of a checkout server: status, then its JSON body. */
const REFUSAL = /^\d{3} \{"result":"error",.*?"message":("(?:[^"\\]|\\.)*")/s;
/** An HTTP error of any server. */
const ANSWER = /^\d{3} /;

/** Corrections for missing attributes. */
const MISSING: Readonly<Record<string, string>> = {
  server:
    'the attribute "server" is missing: the address of the checkout server, such as https://pay.example',
  order:
    'nothing says what is to be paid: set "order", a token that the shop\'s server signs, or "checkout" or "invoice", the id of one that is there',
};
const emptyAdvice = (tag: string): string =>
  `a <${tag}> is empty: set "server", the address of the checkout server, and "order", a token that the shop's server signs, ` +
  'or "checkout" or "invoice", the id of one that is there; or, to look at it without a server, "demo"';
const BUTTON = 'crypto-checkout-button';

/** Accepted values. */
const ACCEPTED = {
  order: "a token that the shop's server signs",
  checkout: 'the id of a checkout, such as "id" in the answer of POST /checkouts',
  invoice: 'the id of an invoice',
} as const;

/** The attributes that select a checkout. The first one that is set counts. */
const namesOf = ({
  order,
  checkoutId,
  invoice,
}: CheckoutHost): [name: keyof typeof ACCEPTED, value: unknown][] => [
  ['order', order],
  ['checkout', checkoutId],
  ['invoice', invoice],
];

/** Correction for a value that is not a string, or that a framework turned into "[object …]". */
function wrongTypeAdvice(name: keyof typeof ACCEPTED, value: unknown): string {
  const written = typeof value === 'string' ? value : Object.prototype.toString.call(value);
  const [, kind] = /^\[object (\w+)/.exec(written) ?? [];
  if (!kind) return `${name}="${shortened(written)}" is not what it takes: ${ACCEPTED[name]}`;
  const isAwaited = ['Promise', 'Response'].includes(kind);
  const noText = `"${name}" is ${/^[AEIOU]/.test(kind) ? 'an' : 'a'} ${kind}, and no text`;
  return isAwaited
    ? `${noText}: is \`await\` missing? It takes ${ACCEPTED[name]}`
    : `${noText}: it takes ${ACCEPTED[name]}`;
}

/** Correction for missing or invalid attributes. */
function setupAdvice(message: string, host: CheckoutHost): string {
  const { server, demo, successUrl } = host;
  if (demo === '' && MISSING[message]) return emptyDemoAdvice();
  const [name, value] = namesOf(host).find(([, one]) => one) ?? [];
  if (name && (message === 'order' || typeof value !== 'string'))
    return wrongTypeAdvice(name, value);
  const isEmpty = !name && [server, demo, successUrl].every((one) => one == null);
  if (isEmpty && (host.getRootNode() as Partial<ShadowRoot>).host?.localName === BUTTON)
    return emptyAdvice(BUTTON);
  return MISSING[message] ?? 'it is not set up completely';
}

/** The id that was requested. */
function idOf({ checkout, order, checkoutId, invoice }: CheckoutHost): string {
  const id = checkout?.id ?? (order ? '' : checkoutId || invoice);
  return id ? `, "${shortened(id)}"` : '';
}

interface Mistake {
  server: string;
  /** The checkout server's error message. */
  sentence: string;
  message: string;
  host: CheckoutHost;
}

function errorAdvice(
  code: CheckoutErrorCode,
  { server, sentence, message, host }: Mistake,
): string {
  const wrong = addressAdvice(`the attribute server="${server}"`, server);
  if (wrong) return wrong;
  const place = server || location.origin;
  const other = wrongServerAdvice(place);
  switch (code) {
    case 'setup':
      return setupAdvice(message, host);
    case 'network':
      return unreachableAdvice(place);
    case 'not_found':
    case 'refused':
      // "405 Method Not Allowed": the address is a path of the checkout server, not its base.
      if (ANSWER.test(message) && (!sentence || message.startsWith('405 '))) return other;
      return code === 'refused'
        ? `${place} did not accept this${sentence ? `: ${sentence}` : ''}`
        : `${place} has no such checkout${idOf(host)}: check the id in "checkout" or "invoice" and the address in "server".`;
    case 'malformed':
      return other;
    case 'tampered':
      return `${place} gave no payment that "proof-key" proves, so none is shown: compare ${host.proofKey ? `"${host.proofKey}"` : 'the key'} with \`proof-keys list\` of the payment service`;
    case 'unavailable':
    case 'busy':
    default:
      return '';
  }
}

/** The list of scenarios is a lazy module of its own. */
function emptyDemoAdvice(): string {
  void import('../scenario/list.ts').then(
    ({ SCENES }) =>
      console.info(`crypto-checkout: the scenarios are ${Object.keys(SCENES).join(', ')}`),
    () => {},
  );
  return 'the attribute "demo" is empty: it takes the name of a scenario, such as "underpaid"';
}
