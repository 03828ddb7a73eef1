/** Titles by the second part of the path. */
const TITLES: Readonly<Record<string, string>> = {
  invoices: 'Payment requests, each with its own address',
  transactions: 'Incoming payments',
  payouts: 'Outgoing payments',
  refunds: 'Money that goes back to buyers',
  conversions: 'Exchanges between wallets',
  profiles: 'Settings for invoices and payouts',
  wallets: 'Balances',
  'automatic-payouts': 'Rules that send a balance to an address',
  'automatic-conversions': 'Rules that exchange a balance',
  'automatic-funding': 'Rules that refill a balance',
  'exchange-rates': 'Prices of currencies and coins',
  'network-fees': 'Usual network fees of payments',
  account: 'The account of the key',
  accounts: 'Sub accounts, for integrators',
  'api-keys': 'Keys and their secrets',
  lnurl: 'Requests of lightning wallets that scanned an LNURL (LUD-06)',
  service: 'Health and description of the service',
};

/** Resources in the order of the description. */
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

const VERBS: Readonly<Record<string, string>> = {
  GET: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'update',
  DELETE: 'delete',
};

/**
 * A name for a generated method: verb and noun, or noun and last word of the path.
 * @example operationId({ method: 'POST', path: '/v1/payouts/:id/resend-callback/' }) //
 * 'payoutResendCallback'
 */
export function operationId({ method, path }: Route): string {
  const [, , resource = '', ...rest] = path
    .split('/')
    .filter((part, at) => at === 0 || part !== '');
  const words = rest.filter((part) => !part.startsWith(':'));
  if (words.length > 0) return camel([singular(resource), ...words].join('-'));
  const one = rest.length > 0 || method !== 'GET';
  const verb = one ? (VERBS[method] ?? method.toLowerCase()) : 'list';
  return camel(`${verb}-${one ? singular(resource) : resource}`);
}

const singular = (noun: string): string => noun.replace(/s$/, '');
const camel = (text: string): string =>
  text.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
