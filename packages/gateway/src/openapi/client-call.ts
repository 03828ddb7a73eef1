/** Opens the client that the TypeScript examples call. */
export const openClient = (
  url: string,
): string => `import { createClient } from '@crypto-checkout/client';

const baseUrl = '${url}';
const client = createClient({ baseUrl, key: '<api_key>', secret: '<api_secret>' });`;

const ID = "'<ID>'";

/** The names of the client for resources that it reads, creates, changes and deletes. */
const RESOURCES: Readonly<Record<string, string>> = {
  '/v1/invoices/': 'invoices',
  '/v1/transactions/': 'transactions',
  '/v1/payouts/': 'payouts',
  '/v1/refunds/': 'refunds',
  '/v1/conversions/': 'conversions',
  '/v1/automatic-conversions/': 'automaticConversions',
  '/v1/automatic-funding/': 'automaticFunding',
  '/v1/automatic-payouts/': 'automaticPayouts',
  '/v1/profiles/': 'profiles',
  '/v1/accounts/': 'accounts',
  '/v1/api-keys/': 'apiKeys',
  '/v1/wallets/': 'wallets',
  '/v1/exchange-rates/': 'rates',
  '/v1/network-fees/': 'networkFees',
};

type Members = Readonly<Record<string, unknown>>;

/** Calls that follow from neither the method nor the path, by `operationId`. */
const CALLS: Readonly<Record<string, (members: Members) => string>> = {
  invoiceReceipt: () => `invoices.receipt(${ID})`,
  invoiceRenew: (members) => `invoices.renew(${ID}, ${literal(members)})`,
  invoiceCancelRequest: () => `invoices.cancelRequest(${ID})`,
  invoiceResendCallback: () => `invoices.resendCallback(${ID})`,
  invoiceRefundable: () => `refunds.refundable(${ID})`,
  transactionConfirmations: ({ id }) => `transactions.confirmations(${literal(id)})`,
  transactionRisk: () => `transactions.risk(${ID})`,
  transactionResendCallback: () => `transactions.resendCallback(${ID})`,
  transactionQuarantine: () => `transactions.quarantine(${ID})`,
  transactionRelease: () => `transactions.release(${ID})`,
  transactionOfferRefund: ({ amount }) => `refunds.offer(${ID}, ${literal(amount)})`,
  transactionAcceptLate: () => `refunds.acceptLate(${ID})`,
  payoutConfirmations: ({ id }) => `payouts.confirmations(${literal(id)})`,
  createPayout: (members) => `payouts.create(${literal(toSend(members))})`,
  updatePayout: () => `payouts.approve(${ID})`,
  payoutBump: () => `payouts.bump(${ID})`,
  payoutCancel: () => `payouts.cancel(${ID})`,
  payoutResendCallback: () => `payouts.resendCallback(${ID})`,
  createRefund: (members) => `refunds.create(${literal(toSend(members))})`,
  updateRefund: () => `refunds.approve(${ID})`,
  accountSettings: () => 'account.settings()',
  apiKeyRotate: (members) => `apiKeys.rotate(${ID}, ${literal(members)})`,
};

/** The client has a method of its own for estimates. */
const toSend = (members: Members): Members =>
  Object.fromEntries(Object.entries(members).filter(([name]) => name !== 'estimate_only'));

const VERBS: Readonly<Record<string, string>> = {
  GET: 'get',
  POST: 'create',
  PUT: 'update',
  DELETE: 'delete',
};

interface Call {
  operationId: string;
  method: string;
  path: string;
  /** The example of the payload. */
  members: unknown;
}

/**
 * One signed request as a call of the TypeScript client.
 * @throws Error for a path that is in neither table
 */
export function clientCall({ operationId, method, path, members }: Call): string {
  const payload = members as Members | undefined;
  const own = CALLS[operationId];
  if (own) return awaited(own(payload ?? {}));
  const resource = RESOURCES[path.replace(/\{\w+\}\/$/, '')];
  if (!resource) throw new Error(`${operationId} has no call in openapi/client-call.ts`);
  const [, parameter] = /\{(\w+)\}/.exec(path) ?? [];
  const verb = parameter === undefined && method === 'GET' ? 'list' : (VERBS[method] ?? '');
  const given = [
    ...(parameter === undefined ? [] : [`'<${parameter.toUpperCase()}>'`]),
    ...(payload === undefined ? [] : [literal(payload)]),
  ];
  return awaited(`${resource}.${verb}(${given.join(', ')})`);
}

/** A public endpoint, which needs no client. */
export const fetchCall = (path: string): string =>
  `const response = await fetch(\`\${baseUrl}${path.replace(/\{(\w+)\}/g, (_, name: string) => `<${name.toUpperCase()}>`)}\`);`;

const awaited = (call: string): string =>
  /\.delete\(/.test(call) ? `await client.${call};` : `const result = await client.${call};`;

/** Longest literal on one line. */
const WIDTH = 70;

/** A value as TypeScript source: names without quotes, a line for each member of a long object. */
function literal(value: unknown, indent = ''): string {
  const inner = `${indent}  `;
  if (typeof value === 'string') return `'${value.replace(/[\\']/g, String.raw`\$&`)}'`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const parts = Array.isArray(value)
    ? value.map((each) => literal(each, inner))
    : Object.entries(value).map(([name, each]) => `${nameOf(name)}: ${literal(each, inner)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (parts.length === 0) return `${open}${close}`;
  const space = Array.isArray(value) ? '' : ' ';
  const line = `${open}${space}${parts.join(', ')}${space}${close}`;
  if (line.length <= WIDTH && !line.includes('\n')) return line;
  return `${open}\n${parts.map((part) => `${inner}${part},`).join('\n')}\n${indent}${close}`;
}

const nameOf = (name: string): string => (/^[a-z_]\w*$/i.test(name) ? name : `'${name}'`);
