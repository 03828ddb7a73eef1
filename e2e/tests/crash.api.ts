import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { expect, test } from '@playwright/test';
import { call } from '../support/signed-call.ts';
import { Stack, freePort, until } from '../support/stack.ts';

const KILLS = 20;
const BUYERS = 4;

/** The part of the buyer's view that this test reads. */
interface View {
  id: string;
  payment: { invoice_id: string } | null;
}

interface Bought {
  orderId: string;
  checkoutId: string;
  invoiceId: string;
  txid: string;
}

/** A shop that keeps every webhook by its id and checks its signature. */
async function shopReceiver(): Promise<{
  port: number;
  webhooks: Map<string, { event: string; order_id: string }>;
  forged: number;
  close(): void;
}> {
  const port = await freePort();
  const secret = Buffer.from('end-to-end-test-webhook-secret-01');
  const state = {
    port,
    webhooks: new Map<string, { event: string; order_id: string }>(),
    forged: 0,
    close: () => server.close(),
  };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (data) => (body += String(data)));
    request.on('end', () => {
      const id = String(request.headers['webhook-id']);
      const signed = createHmac('sha256', secret)
        .update(`${id}.${String(request.headers['webhook-timestamp'])}.${body}`)
        .digest('base64');
      if (request.headers['webhook-signature'] === `v1,${signed}`)
        state.webhooks.set(id, JSON.parse(body) as { event: string; order_id: string });
      else state.forged += 1;
      response.end('ok');
    });
  });
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  return state;
}

/** Every purchase has its invoice, its checkout and each webhook exactly once. */
async function expectNothingLost(
  stack: Stack,
  shop: Awaited<ReturnType<typeof shopReceiver>>,
  bought: readonly Bought[],
): Promise<void> {
  for (const { orderId, checkoutId, invoiceId, txid } of bought) {
    const invoice = await call(stack, 'GET', `/v1/invoices/${invoiceId}/`);
    expect(invoice.body.result, orderId).toMatchObject({ id: invoiceId, status: 'complete' });
    expect(invoice.body.result.transactions.map((item: { txid: string }) => item.txid)).toContain(
      txid,
    );
    const again = await fetch(`${stack.publicUrl}/checkouts/${checkoutId}`);
    expect(again.status, orderId).toBe(200);
    expect(((await again.json()) as { payment: { invoice_id: string } }).payment.invoice_id).toBe(
      invoiceId,
    );
  }
  const wasReceived = (orderId: string, event: string): boolean =>
    [...shop.webhooks.values()].some((hook) => hook.order_id === orderId && hook.event === event);
  for (const { orderId } of bought)
    for (const event of ['checkout.paid', 'checkout.complete'])
      await until(`${event} of ${orderId}`, () => wasReceived(orderId, event), 60_000);
  expect(shop.forged).toBe(0);
  for (const { orderId } of bought)
    expect(
      [...shop.webhooks.values()].filter(
        (hook) => hook.order_id === orderId && hook.event === 'checkout.paid',
      ),
    ).toHaveLength(1);
}

/** Retries a request while a server is down, as a buyer's browser does. */
const insist = async <T>(what: string, ask: () => Promise<T | undefined>): Promise<T> =>
  until(what, ask, 60_000);

async function post(
  stack: Stack,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<View | undefined> {
  const answer = await fetch(stack.publicUrl + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(5000),
  });
  return answer.ok ? ((await answer.json()) as View) : undefined;
}

/** Opens a checkout, chooses a coin and pays. */
async function buyOnce(stack: Stack, number: number): Promise<Bought> {
  const orderId = `crash-${number}`;
  const bearer = { authorization: `Bearer ${stack.credentials.shop_secret}` };
  const order = { order_id: orderId, amount: '12.00', currency: 'USD' };
  const checkout = await insist('a checkout', () => post(stack, '/checkouts', { order }, bearer));
  const kind = number % 2 ? 'BTC' : 'ETH';
  const chosen = await insist('a payment', () =>
    post(stack, `/checkouts/${checkout.id}/payment`, { kind }),
  );
  const invoiceId = chosen.payment?.invoice_id ?? '';
  // A sandbox payment whose answer was lost may have happened: check before paying again.
  const txid = await insist('a payment on the chain', async () => {
    const seen = await call(stack, 'GET', '/v1/transactions/', {}, `?invoice_id=${invoiceId}`);
    if (seen.status !== 200) return undefined;
    if (seen.body.result.length) return seen.body.result[0].txid as string;
    return (await stack.sandbox<{ txid: string }>('pay', { invoice_id: invoiceId })).txid;
  });
  return { orderId, checkoutId: checkout.id, invoiceId, txid };
}

test('kill -9 of gateway or BFF loses no acknowledged checkout, invoice, payment, callback or webhook', async () => {
  test.setTimeout(240_000);
  const shop = await shopReceiver();
  const stack = await Stack.start({ SHOP_WEBHOOK_URL: `http://127.0.0.1:${shop.port}/` }, [
    'gateway',
    'bff',
  ]);
  const bought: Bought[] = [];
  const market = { open: true };
  let number = 0;
  const buyer = async (): Promise<void> => {
    while (market.open) bought.push(await buyOnce(stack, (number += 1)));
  };

  try {
    const buyers = Array.from({ length: BUYERS }, buyer);
    for (let kill = 0; kill < KILLS; kill += 1) {
      // At a different moment each time, during other buyers' requests; some order was completed
      // since the last kill.
      await until('an order to get through', () => bought.length > kill, 60_000);
      await new Promise((done) => setTimeout(done, (kill * 73) % 400));
      const part = kill % 2 ? 'bff' : 'gateway';
      await stack.servers.get(part)!.end('SIGKILL');
      await stack.launch(part);
    }
    market.open = false;
    await Promise.all(buyers);
    expect(bought.length).toBeGreaterThanOrEqual(KILLS);
    for (const kind of ['BTC', 'ETH'])
      await until(`${kind} blocks`, () => stack.sandbox('mine', { kind, blocks: 13 }), 30_000);

    await expectNothingLost(stack, shop, bought);
  } finally {
    market.open = false;
    await stack.stop();
    shop.close();
  }
});

test('without its database the service answers 503 within 2 s, then resumes by itself', async () => {
  test.skip(
    !!process.env['DATABASE_URL'],
    'stops the embedded database by its id; a database server of somebody else is left alone',
  );
  const stack = await Stack.start({}, ['gateway', 'bff']);
  try {
    const pid = Number(
      readFileSync(`${stack.dataDir}/postgres/postmaster.pid`, 'utf8').split('\n')[0],
    );
    // Pauses the whole database server: the postmaster and every session.
    const family = [
      pid,
      ...readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
        .split(' ')
        .filter(Boolean)
        .map(Number),
    ];
    for (const one of family) process.kill(one, 'SIGSTOP');
    try {
      for (const url of [`${stack.gatewayUrl}/readyz`, `${stack.gatewayUrl}/v1/invoices/`]) {
        const began = Date.now();
        const status = url.endsWith('readyz')
          ? (await fetch(url)).status
          : (await call(stack, 'GET', '/v1/invoices/')).status;
        expect(status, url).toBe(503);
        expect(Date.now() - began, url).toBeLessThan(2500);
      }
    } finally {
      for (const one of family) process.kill(one, 'SIGCONT');
    }
    await until(
      'the service to resume',
      async () => (await call(stack, 'GET', '/v1/invoices/')).status === 200,
    );
    process.kill(pid, 'SIGKILL');
    await until(
      'the service to resume after the database was killed',
      async () => (await call(stack, 'GET', '/v1/invoices/')).status === 200,
      30_000,
    );
  } finally {
    await stack.stop();
  }
});
