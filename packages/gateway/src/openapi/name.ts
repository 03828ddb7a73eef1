/** What is described under one heading, by the second part of its path. */
const TITLES: Readonly<Record<string, string>> = {
  invoices: 'Requests for a payment, with an address of their own (§2.4, §4.1)',
  transactions: 'Payments that came in (§2.5, §4.2)',
  payouts: 'Payments that go out (§2.6, §4.3)',
  conversions: 'Exchanges between wallets, one at a time (§2.7, §4.4)',
  profiles: 'Settings that an invoice or payout is created with (§2.8, §4.5)',
  wallets: 'Balances (§2.9, §4.6)',
  'automatic-payouts': 'Balances sent to an address by themselves (§2.10, §4.7)',
  'automatic-conversions': 'Balances exchanged by themselves (§2.11, §4.8)',
  'automatic-funding': 'Balances refilled by themselves (§2.11, §4.8)',
  'exchange-rates': 'What currencies and coins are worth (§2.12, §4.9)',
  account: 'The account of the key (§2.13, §4.9)',
  accounts: 'Sub accounts, for integrators (§2.13, §4.10)',
  'api-keys': 'Keys and their secrets (§2.14, §4.11)',
  lnurl: 'What lightning wallets ask that scanned a code (LUD-06)',
  service: 'The service itself',
};

/** Resources in the order in which they are described. */
export const inOrder = (resources: Iterable<string>): string[] => {
  const order = Object.keys(TITLES);
  return [...resources].toSorted((a, b) => order.indexOf(a) - order.indexOf(b));
};

/** @throws Error for a resource without a title */
export function titleOf(resource: string): string {
  const title = TITLES[resource];
  if (!title) throw new Error(`The resource ${resource} has no title in openapi/name.ts`);
  return title;
}

/** `invoices` for every path below `/v1/invoices/`. */
export const resourceOfPath = (path: string): string => path.split('/')[2] ?? '';

interface Route {
  method: string;
  path: string;
}

const VERBS: Readonly<Record<string, string>> = { GET: 'get', POST: 'create', PUT: 'update', PATCH: 'update', DELETE: 'delete' };

/**
 * A name for a generated method: verb and noun, or noun and last word of the path.
 * @example operationId({ method: 'POST', path: '/v1/payouts/:id/resend-callback/' }) // 'payoutResendCallback'
 */
export function operationId({ method, path }: Route): string {
  const [, , resource = '', ...rest] = path.split('/').filter((part, at) => at === 0 || part !== '');
  const words = rest.filter((part) => !part.startsWith(':'));
  if (words.length > 0) return camel([singular(resource), ...words].join('-'));
  const one = rest.length > 0 || method !== 'GET';
  const verb = one ? (VERBS[method] ?? method.toLowerCase()) : 'list';
  return camel(`${verb}-${one ? singular(resource) : resource}`);
}

const singular = (noun: string): string => noun.replace(/s$/, '');
const camel = (text: string): string => text.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
