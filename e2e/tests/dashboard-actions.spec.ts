import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type GatewayFixture,
  announcement,
  createDraft,
  createInvoice,
  HOSTILE,
  heading,
  openView,
  signIn,
  test,
} from '../support/dashboard.ts';
import { expect } from '../support/fixtures.ts';
import { call } from '../support/signed-call.ts';

// Actions of the operator in the dashboard, and hostile texts in every view.

test.use({ baseURL: async ({ gateway }, use) => use(gateway.stack.gatewayUrl) });

test('a draft is approved or rejected after a confirmation; Escape cancels', async ({
  page,
  gateway,
}) => {
  const id = await createDraft(gateway, { reference_id: 'approve-me' });
  await signIn(page, gateway.stack);
  await page.getByRole('link', { name: id.slice(0, 8) }).click();
  const approve = page.getByRole('button', { name: 'Approve …' });
  await approve.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Approve this payout?' });
  await expect(dialog).toContainText('0.001 BTC');
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused();
  // The focus stays inside, or leaves for the browser's own controls.
  for (let press = 0; press < 6; press += 1) {
    await page.keyboard.press('Tab');
    expect(
      await page.evaluate(
        () =>
          document.activeElement === document.body ||
          document.activeElement?.closest('dialog') !== null,
      ),
    ).toBe(true);
  }
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(approve).toBeFocused();
  await expect(page.locator('.facts .badge').first()).toHaveText('draft');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Approve' }).click();
  await expect(announcement(page)).toHaveText('The payout was approved.');
  await expect(page.getByText('by ada@example.com')).toBeVisible();
  await expect(approve).toHaveCount(0);

  const other = await createDraft(gateway, { reference_id: 'reject-me' });
  await openView(page, `payouts/${other}/`);
  // Another user was faster: the gateway's message, and the current state.
  const { status } = await call(
    { gatewayUrl: gateway.stack.gatewayUrl, credentials: approver(gateway) },
    'PUT',
    `/v1/payouts/${other}/`,
    {
      approve: false,
    },
  );
  expect(status).toBe(200);
  await page.getByRole('button', { name: 'Reject …' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
  await expect(page.getByRole('alert')).toHaveText(
    /^The payout is rejected: only a draft, .* can be rejected\.$/,
  );
  await expect(page.locator('.facts .badge').first()).toHaveText('rejected');
});

const approver = ({ stack }: GatewayFixture) => ({
  api_key: stack.credentials.approve_key,
  api_secret: stack.credentials.approve_secret,
});

/** A buyer's request for what was paid too much, as a BFF sends it; the refund's id. */
async function requestRefund(gateway: GatewayFixture): Promise<string> {
  const { stack } = gateway;
  const invoice = await createInvoice(gateway, { amount: '0.002', currency: 'BTC' });
  await stack.sandbox('pay', { invoice_id: invoice, amount: '0.003' });
  await stack.sandbox('mine', { kind: 'BTC', blocks: 6 });
  const { body } = await call(stack, 'GET', `/v1/invoices/${invoice}/`);
  const bff = JSON.parse(readFileSync(join(stack.dataDir, 'bff.json'), 'utf8')) as {
    api_key: string;
    api_secret: string;
  };
  const asked = await call(
    { gatewayUrl: stack.gatewayUrl, credentials: bff },
    'POST',
    '/v1/refunds/',
    {
      transaction_id: body.result.transactions[0].id,
      address: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
    },
  );
  expect(asked.body.result, JSON.stringify(asked.body)).toMatchObject({ status: 'requested' });
  return asked.body.result.id as string;
}

test('a refund is approved or rejected once, after a confirmation that names who asked', async ({
  page,
  gateway,
}) => {
  const [id, other] = [await requestRefund(gateway), await requestRefund(gateway)];
  await signIn(page, gateway.stack);
  const waiting = page.getByRole('table', { name: 'Refunds to approve' });
  await waiting.getByRole('link', { name: id.slice(0, 8) }).click();
  await expect(heading(page)).toHaveText(`Refund ${id.slice(0, 8)}`);
  await expect(page.getByText('It is not proven that the buyer of the order asked')).toBeVisible();
  const approve = page.getByRole('button', { name: 'Approve …' });
  await approve.click();
  const dialog = page.getByRole('dialog', { name: 'Approve this refund?' });
  await expect(dialog).toContainText('0.001 BTC go back to tb1qw508d6qejxtdg4y5r3zarvary0c5xw7');
  await expect(dialog).toContainText(
    /0\.000\d+ BTC will arrive, after a network fee of 0\.0000\d+/,
  );
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(page.locator('.facts .badge').first()).toHaveText('requested');
  await approve.click();
  await dialog.getByRole('button', { name: 'Approve' }).click();
  await expect(announcement(page)).toHaveText('The refund was approved.');
  await expect(page.locator('.facts .badge').first()).toHaveText(/approved|paid/);
  await expect(approve).toHaveCount(0);

  await openView(page, `refunds/${other}/`);
  await page.getByRole('button', { name: 'Reject …' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
  await expect(announcement(page)).toHaveText('The refund was rejected.');
  await expect(page.locator('.facts .badge').first()).toHaveText('rejected');
  await openView(page);
  await expect(waiting).toHaveCount(0);
});

test('a test transaction shows its callbacks; each can be resent', async ({ page, gateway }) => {
  await signIn(page, gateway.stack);
  await openView(page, 'test/');
  await page.getByLabel('Kind').selectOption('ETH');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.getByRole('heading', { name: 'What became of it' })).toBeVisible();
  await expect(page.getByText('being sent …')).toHaveCount(0, { timeout: 20_000 });
  const bodies = page.getByRole('region', { name: /^Request body of/ });
  await expect(bodies.filter({ hasText: '"callback_status": "transaction_complete"' })).toHaveCount(
    1,
  );
  await expect(bodies.filter({ hasText: '"callback_status": "invoice_complete"' })).toHaveCount(1);
  await page.getByRole('link', { name: 'transaction complete' }).click();
  await expect(heading(page)).toHaveText('Callback transaction complete');
  const shown = await page.getByRole('region', { name: 'Request body' }).textContent();
  const { callback_id } = JSON.parse(shown ?? '') as { callback_id: string };
  expect(
    gateway.received
      .filter((body) => body.includes(callback_id))
      .map((body) => JSON.parse(body) as unknown),
  ).toEqual([JSON.parse(shown ?? '')]);
  gateway.answer.status = 503;
  gateway.answer.text = HOSTILE[0] ?? '';
  await page.getByRole('button', { name: 'Send again' }).click();
  await expect(announcement(page)).toHaveText('The receiver answered 503.');
  await expect(page.getByRole('alert')).toHaveText('The receiver answered 503.');
  await expect(page.getByRole('region', { name: 'Answer' }).first()).toHaveText(HOSTILE[0] ?? '');
  gateway.answer.status = 200;
  await page.getByRole('button', { name: 'Send again' }).click();
  await expect(announcement(page)).toHaveText('The receiver took the callback.');
  await expect(page.getByRole('article')).toHaveCount(3);
  const [first, ...again] = gateway.received.filter((body) => body.includes(callback_id));
  expect(again).toEqual([first, first]);
});

test('a quarantined transaction is released', async ({ page, gateway }) => {
  const id = await createInvoice(gateway);
  await gateway.stack.sandbox('pay', { invoice_id: id, risk: 'high' });
  await signIn(page, gateway.stack);
  await page
    .getByRole('table', { name: 'Quarantined transactions' })
    .getByRole('link')
    .first()
    .click();
  await expect(
    page.getByText('The risk analysis held it, because it found the risk high.'),
  ).toBeVisible();
  await expect(page.getByRole('definition').filter({ hasText: 'sandbox' })).toBeVisible();
  await page.getByRole('button', { name: 'Release …' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Release' }).click();
  await expect(announcement(page)).toHaveText('The transaction was released.');
  await expect(page.getByRole('button', { name: 'Release …' })).toHaveCount(0);
});

test('user-supplied text is never interpreted as markup', async ({ page, gateway }) => {
  const { stack } = gateway;
  const ids = [];
  for (const text of HOSTILE)
    ids.push(await createInvoice(gateway, { notes: text, passthrough: text }));
  await stack.sql('update profile set name = $1', [HOSTILE[1] ?? '']);
  await stack.sql('update account set name = $1', [HOSTILE[4] ?? '']);
  const payout = await createDraft(gateway, { passthrough: HOSTILE[1], reference_id: HOSTILE[4] });
  gateway.answer.text = HOSTILE[1] ?? '';
  await stack.sandbox('pay', { invoice_id: ids[0] });
  await signIn(page, gateway.stack);
  await openView(page, 'invoices/');
  for (const text of HOSTILE)
    await expect(page.getByRole('cell').filter({ hasText: text }).first()).toBeVisible();
  for (const index of [0, 4]) {
    const id = ids[index]!;
    await openView(page, `invoices/${id}/`);
    await expect(page.locator('.untrusted').filter({ hasText: HOSTILE[index] ?? '' })).toHaveCount(
      2,
    );
    await expect(page).toHaveTitle(`Invoice ${id.slice(0, 8)} – Dashboard`);
    const buyerPage = `${gateway.stack.publicUrl}/invoice/${id}/`;
    await expect(page.getByRole('link', { name: buyerPage })).toHaveAttribute('href', buyerPage);
  }
  await openView(page, `payouts/${payout}/`);
  await expect(page.locator('.untrusted').filter({ hasText: HOSTILE[1] ?? '' })).toHaveCount(1);
  await expect(page.locator('.untrusted').filter({ hasText: HOSTILE[0] ?? '' })).toHaveCount(1);
  await openView(page, 'test/');
  await expect(page.getByLabel('Profile').locator('option')).toHaveText([HOSTILE[1] ?? '']);
  await expect(page.locator('.account')).toContainText(HOSTILE[4] ?? '');
  expect(await page.locator('main :is(img, script, iframe, svg[onload])').count()).toBe(0);
  await stack.sql("update profile set name = 'Default profile'");
  await stack.sql("update account set name = 'Default account'");
});
