import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Hono } from 'hono';
import { createApp } from '../app.ts';
import { loadConfig } from '../config.ts';
import { timestamp } from '../database/database.ts';
import type { Env } from '../http/env.ts';
import { call, testAccount, type TestAccount, type TestAnswer } from '../../test/support/call.ts';
import { testShop, type TestShop } from '../../test/support/shop.ts';
import { getCallback, listCallbacks } from './list.ts';
import { resendCallbackById } from './resend.ts';
import { trimCallbacks } from './trim.ts';

let shop: TestShop;
let app: Hono<Env>;
let account: TestAccount;
let seen: { id: string; body: string }[] = [];

beforeAll(async () => {
  const outbound = (async (_: string, init: RequestInit) => {
    seen.push({ id: new Headers(init.headers).get('webhook-id')!, body: init.body as string });
    return new Response('thanks');
  }) as unknown as typeof fetch;
  const config = loadConfig({ SECRETS_KEY: '00'.repeat(32), LOG_LEVEL: 'silent' });
  shop = await testShop({ chains: ['bitcoin'], overrides: { outbound, config } });
  account = await testAccount(shop.context);
  app = createApp(shop.context);
  await shop.context.db
    .updateTable('profile')
    .set({ callback_url: 'https://shop.example/now' })
    .where('id', '=', shop.profileId)
    .execute();
});
afterAll(() => shop.close());

const resend = (id: string): Promise<TestAnswer> =>
  call(app, account.api, 'POST', `/v1/invoices/${id}/resend-callback/`);

async function paid(): Promise<string> {
  const { id } = await shop.create();
  await shop.pay(id);
  await shop.mine('BTC');
  return id;
}

describe('callbacks that ended long ago', () => {
  const sizes = async (id: string) =>
    (
      await sql<{ event: string; size: number; deliveries: number }>`
        select event, length(body)::int as size,
          (select count(*)::int from callback_delivery d where d.callback_id = c.id) as deliveries
        from callback c where resource_id = ${id} order by created_at_real, event`.execute(
        shop.context.db,
      )
    ).rows;
  const endedDaysAgo = (days: number) => {
    const at = timestamp(shop.context.clock.real() - days * 86_400_000);
    return sql`update callback set finished_at_real = ${at} where state <> 'pending'`.execute(
      shop.context.db,
    );
  };

  it('lose their body and deliveries, and are still resent, once each', async () => {
    const id = await paid();
    await resend(id);
    const before = await sizes(id);
    expect(before.some(({ deliveries }) => deliveries > 0)).toBe(true);
    await endedDaysAgo(89);
    expect(await trimCallbacks(shop.context)).toBe(false);
    expect(await sizes(id)).toEqual(before);

    await endedDaysAgo(91);
    await trimCallbacks(shop.context);
    const after = await sizes(id);
    // Pending ones keep theirs.
    expect(after.filter(({ size }) => size > 0).length).toBeLessThan(before.length);
    const { rows } = await listCallbacks(shop.context.db, shop.accountId, { resourceId: id });
    const last = rows.find(({ state }) => state === 'delivered')!;
    expect(await getCallback(shop.context.db, shop.accountId, last.id)).toMatchObject({
      body: '',
      deliveries: [],
    });
    await expect(resendCallbackById(shop.context, shop.accountId, last.id)).rejects.toMatchObject({
      reason: 'InvalidState',
      message: expect.stringContaining('CALLBACK_RETENTION_DAYS'),
    });
    seen = [];
    expect((await resend(id)).body).toMatchObject({ status: 'success' });
    expect(seen).toMatchObject([{ id: last.id }]);
    expect(JSON.parse(seen[0]!.body)).toMatchObject({
      callback_id: last.id,
      callback_status: last.event,
      result: { id },
      invoice: { id },
    });
    // Nothing is queued anew.
    expect((await sizes(id)).length).toBe(before.length);
  });

  it('are kept with CALLBACK_RETENTION_DAYS=0', async () => {
    const id = await paid();
    const before = await sizes(id);
    await endedDaysAgo(10_000);
    const config = { ...shop.context.config, callbackRetentionDays: null };
    await trimCallbacks({ ...shop.context, config });
    expect(await sizes(id)).toEqual(before);
  });
});
