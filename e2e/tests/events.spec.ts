import { Buyer } from '../support/buyer.ts';
import { expect, orderWithoutReturn, test } from '../support/fixtures.ts';
import { openHostPage, scriptTag } from '../support/host-page.ts';
import { eventsOf, watch } from '../support/record-events.ts';

// The events of a page: which, in what order, and how often.

test('events report each stage, and paid once', async ({ page, stack }) => {
  await watch(page);
  const id = await orderWithoutReturn(stack);
  await openHostPage(page, stack, {
    head: scriptTag(stack),
    body: `<crypto-checkout server="${stack.publicUrl}" checkout="${id}"></crypto-checkout>`,
  });
  const buyer = new Buyer(page);
  await buyer.reaches('choose');
  await buyer.choose('LTC');
  const { invoice_id, due } = await buyer.payment();
  await stack.sandbox('pay', { invoice_id, amount: (Number(due) / 2).toFixed(8) });
  await buyer.reaches('underpaid');
  await stack.sandbox('pay', { invoice_id });
  await buyer.reaches('seen');
  await stack.sandbox('mine', { kind: 'LTC', blocks: 1 });
  await buyer.reaches('paid');
  // Reversed by the network and paid again: the page has had its event.
  await stack.sandbox('reorg', { kind: 'LTC', depth: 1 });
  await expect.poll(async () => (await buyer.view())?.stage).not.toBe('paid');
  await stack.sandbox('mine', { kind: 'LTC', blocks: 1 });
  await buyer.reaches('paid');
  await stack.sandbox('mine', { kind: 'LTC', blocks: 12 });
  await buyer.reaches('complete');
  const events = await eventsOf(page);
  expect(events.slice(0, 6)).toEqual([
    'ready',
    'change choose pay',
    'change pay underpaid',
    'change underpaid seen',
    'change seen paid',
    'paid',
  ]);
  expect(events.filter((one) => one === 'paid')).toHaveLength(1);
  expect(events.at(-1)).toBe('change paid complete');
  expect(events.filter((one) => one.startsWith('error'))).toEqual([]);
  // Each change starts at the stage where the previous one ended.
  const changes = events
    .filter((one) => one.startsWith('change'))
    .map((one) => one.split(' ').slice(1));
  for (const [index, [from]] of changes.entries())
    if (index) expect(from).toBe(changes[index - 1]?.[1]);
});

test('live updates arrive one by one although the stream is compressed', async ({
  page,
  stack,
}) => {
  const id = await orderWithoutReturn(stack);
  await page.goto(`${stack.publicUrl}/pay/${id}/`);
  const kinds = page.evaluate(
    (url) =>
      new Promise<(string | null)[]>((resolve, reject) => {
        const seen: (string | null)[] = [];
        const source = new EventSource(url);
        source.addEventListener('error', () =>
          reject(new Error(`the stream ended: ${seen.join()}`)),
        );
        source.addEventListener('message', ({ data }) => {
          const view = JSON.parse(data as string) as { payment: { kind: string } | null };
          seen.push(view.payment?.kind ?? null);
          document.body.dataset['views'] = String(seen.length);
          if (seen.at(-1) === 'DOGE') resolve(seen);
        });
      }),
    `/checkouts/${id}/events`,
  );
  await expect(page.locator('body')).toHaveAttribute('data-views', '1');
  for (const kind of ['LTC', 'DOGE']) await stack.asShop(`/checkouts/${id}/payment`, { kind });
  expect(await kinds).toEqual([null, 'LTC', 'DOGE']);
  const answer = await fetch(`${stack.publicUrl}/checkouts/${id}/events`);
  expect(answer.headers.get('content-encoding')).toBe('gzip');
  await answer.body?.cancel();
});

test('the close event carries the stage; a later payment is still reported', async ({
  page,
  stack,
}) => {
  await watch(page);
  const id = await orderWithoutReturn(stack);
  await openHostPage(page, stack, {
    head: scriptTag(stack),
    body: `<crypto-checkout-button server="${stack.publicUrl}" checkout="${id}"></crypto-checkout-button>`,
  });
  const button = page.locator('crypto-checkout-button [part~="button"]');
  await button.click();
  const dialog = page.getByRole('dialog');
  await dialog.locator('label:has([value="BTC"])').click();
  await expect(dialog.locator('crypto-qr').first()).toBeVisible();
  await dialog.locator('[part~="close"]').click();
  await expect(dialog).toBeHidden();
  expect((await eventsOf(page)).at(-1)).toBe('close pay');
  const { payment } = (await (await fetch(`${stack.publicUrl}/checkouts/${id}`)).json()) as {
    payment: { invoice_id: string };
  };
  await stack.sandbox('pay', { invoice_id: payment.invoice_id });
  await stack.sandbox('mine', { kind: 'BTC', blocks: 2 });
  await expect.poll(() => eventsOf(page), { timeout: 15_000 }).toContain('paid');
  await button.click();
  await expect(dialog).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  expect((await eventsOf(page)).at(-1)).toMatch(/^close (?:paid|complete)$/);
  expect((await eventsOf(page)).filter((one) => one === 'paid')).toHaveLength(1);
});

test('a page with the framed checkout receives the same events', async ({ page, stack }) => {
  await watch(page);
  const id = await orderWithoutReturn(stack);
  await stack.asShop(`/checkouts/${id}/payment`, { kind: 'LTC' });
  await openHostPage(page, stack, {
    head: scriptTag(stack),
    body: `<crypto-checkout server="${stack.publicUrl}" checkout="${id}" mode="frame"></crypto-checkout>`,
  });
  await expect(page.frameLocator('iframe').locator('crypto-qr').first()).toBeVisible();
  const { payment } = (await (await fetch(`${stack.publicUrl}/checkouts/${id}`)).json()) as {
    payment: { invoice_id: string };
  };
  await stack.sandbox('pay', { invoice_id: payment.invoice_id });
  await expect.poll(() => eventsOf(page), { timeout: 15_000 }).toContain('change pay seen');
  await stack.sandbox('mine', { kind: 'LTC', blocks: 12 });
  await expect.poll(() => eventsOf(page), { timeout: 15_000 }).toContain('paid');
  expect((await eventsOf(page)).filter((one) => one === 'paid' || one === 'ready')).toEqual([
    'ready',
    'paid',
  ]);
});
