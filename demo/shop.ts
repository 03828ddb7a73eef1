import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebhookError, verifyWebhook } from '@crypto-checkout/client';
import { serve } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { z } from 'zod';
import { frameworkRoutes } from './frameworks.ts';
import { orderToken } from './order-token.ts';
import { type Order, Orders } from './orders.ts';
import { FORMS, STATUS_TEXT, homePage, messagePage, orderPage, thanksPage } from './pages.ts';
import { policyFor } from './policy.ts';
import { productOf } from './products.ts';
import { scenarioPage } from './scenarios.ts';
import { walletRoutes } from './wallet.ts';

/**
 * The demo shop: an origin of its own. From the checkout it uses only the script tag, the order
 * secret and the webhook.
 */
const Settings = z.object({
  SHOP_PORT: z.coerce.number().int().min(0).max(65_535).default(8082),
  DATA_DIR: z.string().default('.data'),
  SHOP_URL: z.url(),
  PUBLIC_URL: z.url(),
  GATEWAY_URL: z.url(),
  ORDER_SECRET: z.string().min(16),
  SHOP_WEBHOOK_SECRET: z.string().min(16),
  /** Whether the gateway simulates a chain. */
  TEST_WALLET: z.stringbool().default(true),
});
const settings = Settings.parse(process.env);
const built = fileURLToPath(new URL('..', import.meta.url));
const orders = new Orders(settings.DATA_DIR);

const Manifest = z.object({
  version: z.string(),
  embed: z.string(),
  sri: z.record(z.string(), z.string()),
});
const elements = Manifest.parse(
  JSON.parse(readFileSync(join(built, 'elements', 'manifest.json'), 'utf8')),
);
const script = {
  src: `${settings.PUBLIC_URL}/elements/${elements.version}/${elements.embed}`,
  integrity: elements.sri[elements.embed] ?? '',
};

const Webhook = z.object({
  event: z.string(),
  stage: z.string(),
  checkout_id: z.string(),
  order_id: z.string(),
  amount: z.string(),
  currency: z.string(),
  network: z.string(),
  unverified_price: z.boolean().optional(),
});

/** The signed terms of an order: the shop's server sets the price. */
const sign = ({ id, amount, currency, description }: Order, successUrl?: string): string =>
  orderToken(
    {
      order_id: id,
      amount,
      currency,
      description,
      ...(successUrl !== undefined && { success_url: successUrl }),
      shop_url: `${settings.SHOP_URL}/`,
      exp: Math.floor(Date.now() / 1000) + 3600,
    },
    settings.ORDER_SECRET,
  );

const app = new Hono();
app.use('*', async (c, next) => {
  c.header('content-security-policy', policyFor(settings.PUBLIC_URL));
  c.header('x-content-type-options', 'nosniff');
  c.header('referrer-policy', 'same-origin');
  await next();
});
app.onError((error, c) => {
  console.error(error);
  return c.html(
    messagePage('Something went wrong', 'The shop could not do that. Please try again.'),
    500,
  );
});
app.notFound((c) => c.html(messagePage('Not found', 'There is nothing here.'), 404));
app.get('/livez', (c) => c.text('ok'));
app.use(
  '/assets/*',
  serveStatic({
    root: join(built, 'demo'),
    rewriteRequestPath: (path) => path.replace(/^\/assets/, ''),
  }),
);
app.get('/', (c) => c.html(homePage()));

app.post('/orders', async (c) => {
  const product = productOf(new URLSearchParams(await c.req.text()).get('product') ?? '');
  if (!product)
    return c.html(messagePage('No such product', 'Please choose one from the shelf.'), 404);
  return c.redirect(`/orders/${orders.create(product).id}`, 303);
});

app.get('/orders/:id', (c) => {
  const order = orders.get(c.req.param('id'));
  const product = order && productOf(order.product);
  if (!order || !product) return c.notFound();
  const token = sign(order, `${settings.SHOP_URL}/orders/${order.id}/thanks`);
  const form = FORMS.find(({ id }) => id === c.req.query('form'))?.id ?? 'inline';
  return c.html(
    orderPage({
      order,
      product,
      token,
      form,
      checkoutUrl: settings.PUBLIC_URL,
      script,
      hasWallet: settings.TEST_WALLET,
    }),
  );
});

app.get('/orders/:id/thanks', (c) => {
  const order = orders.get(c.req.param('id'));
  if (!order) return c.notFound();
  const receipt = order.checkout && `${settings.PUBLIC_URL}/pay/${order.checkout}/receipt`;
  return c.html(thanksPage(order, receipt));
});

app.get('/orders/:id/status', (c) => {
  const order = orders.get(c.req.param('id'));
  if (!order) return c.json({ error: 'no such order' }, 404);
  c.header('cache-control', 'no-store');
  return c.json({
    status: order.status,
    text: STATUS_TEXT[order.status],
    webhooks: order.webhooks,
  });
});

app.post('/webhook', async (c) => {
  const body = await c.req.text();
  try {
    const { id, event } = await verifyWebhook(
      { headers: c.req.raw.headers, body },
      settings.SHOP_WEBHOOK_SECRET,
    );
    // A webhook for an unknown order is accepted: refusing it would only repeat it.
    if (event.order_id === null || !orders.get(event.order_id)) return c.json({ ok: true });
    const webhook = Webhook.safeParse(event);
    if (!webhook.success || !orders.apply(id, webhook.data))
      return c.json({ error: 'not our price, or not paid as ordered' }, 422);
  } catch (error) {
    if (error instanceof WebhookError) return c.json({ error: 'signature does not verify' }, 401);
    throw error;
  }
  return c.json({ ok: true });
});

if (settings.TEST_WALLET) app.route('/wallet', walletRoutes(settings.GATEWAY_URL));
app.get('/scenarios/', (c) => c.html(scenarioPage(script)));
app.route(
  '/frameworks',
  frameworkRoutes({
    folder: join(built, 'frameworks'),
    checkoutServer: settings.PUBLIC_URL,
    script,
    createOrder: (product) => orders.create(product),
    // These pages show their own thanks.
    sign: (order) => sign(order),
  }),
);

const server = serve(
  { fetch: app.fetch, port: settings.SHOP_PORT, hostname: '127.0.0.1' },
  ({ port }) => console.log(JSON.stringify({ listening: 'shop', port })),
);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    server.close(() => process.exit(0));
    if ('closeAllConnections' in server) server.closeAllConnections();
  });
