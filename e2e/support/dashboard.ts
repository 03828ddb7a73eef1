import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';
import { expect, test as base } from './fixtures.ts';
import { call } from './signed-call.ts';
import { Stack } from './stack.ts';

/** A receiver of callbacks on a free port of the loopback address. */
export async function startReceiver(
  respond: (response: ServerResponse, body: string) => void,
): Promise<{ server: Server; port: number }> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (data) => (body += String(data)));
    request.on('end', () => respond(response, body));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { server, port: (server.address() as AddressInfo).port };
}

/** A sign-in link as the command line creates it; the gateway stores only the token's hash. */
export async function loginLink(stack: Stack): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  const hash = createHash('sha256').update(token).digest('hex');
  await stack.sql(
    `insert into dashboard_link (token_hash, account_id, email, created_at_real, expires_at_real)
     values ($1, $2, 'ada@example.com', now(), now() + interval '10 minutes')`,
    [hash, stack.credentials.account_id],
  );
  return `/dashboard/sign-in/#${token}`;
}

export async function signIn(page: Page, stack: Stack): Promise<void> {
  await page.goto(await loginLink(stack));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Needs attention');
}

/** Waits until the view has loaded its data. */
export const loaded = (page: Page) =>
  expect(page.locator('main [aria-busy=false]').first()).toBeAttached();

/** Opens a view of the dashboard, for example `payouts/`. */
export async function openView(page: Page, path = ''): Promise<void> {
  await page.goto(`/dashboard/${path}`);
  await loaded(page);
}

/** Texts that attempt script injection. */
export const HOSTILE = [
  '<img src=x onerror="document.title=`owned`">',
  '"><script>document.title="owned"</script>',
  "javascript:document.title='owned'",
  '{{constructor.constructor("document.title=1")()}} ${document.title=1}',
  '</textarea></title><svg onload=document.title=1>',
  '‮gnp.exe &lt;b&gt; \u0000'.replace('\u0000', ''),
];

/** A gateway with a receiver of its callbacks. */
export interface GatewayFixture {
  stack: Stack;
  /** Callbacks that the profile's address received. */
  received: string[];
  /** The status that it answers. */
  answer: { status: number; text: string };
}

export const test = base.extend<object, { gateway: GatewayFixture }>({
  gateway: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the parameter list
    async ({}, use) => {
      const gateway: Omit<GatewayFixture, 'stack'> = {
        received: [],
        answer: { status: 200, text: 'thanks' },
      };
      const { server, port } = await startReceiver((response, body) => {
        gateway.received.push(body);
        response.statusCode = gateway.answer.status;
        response.end(gateway.answer.text);
      });
      const settings = {
        CALLBACK_URL: `http://127.0.0.1:${port}/hook`,
        OUTBOUND_ALLOW: `127.0.0.1/32:${port}`,
      };
      const stack = await Stack.start(settings, ['gateway']);
      await use({ ...gateway, stack });
      await stack.stop();
      server.close();
    },
    { scope: 'worker', timeout: 90_000 },
  ],
});

export const heading = (page: Page) => page.getByRole('heading', { level: 1 });
export const announcement = (page: Page) => page.getByRole('status');

/** Creates an invoice over the API. */
export const createInvoice = async (
  { stack }: GatewayFixture,
  members: Record<string, unknown> = {},
): Promise<string> => {
  const { credentials } = stack;
  const order = {
    profile_id: credentials.profile_id,
    amount: '80',
    currency: 'USD',
    kind: 'BTC',
    ...members,
  };
  const { status, body } = await call(stack, 'POST', '/v1/invoices/', order);
  expect(status, JSON.stringify(body)).toBe(201);
  return body.result.id as string;
};

/** Creates a payout above its key's limit, which becomes a draft. */
export async function createDraft(
  gateway: GatewayFixture,
  members: Record<string, unknown> = {},
): Promise<string> {
  const { stack } = gateway;
  const id = await createInvoice(gateway, { amount: '500' });
  await stack.sandbox('pay', { invoice_id: id });
  await stack.sandbox('mine', { kind: 'BTC', blocks: 6 });
  await stack.sql("update api_key set max_payout = 10 where name = 'API'");
  const recipients = [
    {
      amount: '0.001',
      currency: 'BTC',
      address: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
      notes: HOSTILE[0],
    },
  ];
  const order = { profile_id: stack.credentials.profile_id, kind: 'BTC', recipients, ...members };
  const { status, body } = await call(stack, 'POST', '/v1/payouts/', order);
  expect(status, JSON.stringify(body)).toBe(201);
  expect(body.result.status).toBe('draft');
  return body.result.id as string;
}
