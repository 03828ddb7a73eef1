import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import { UnavailableError } from '@crypto-checkout/chains/error';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import { sql } from 'kysely';
import type { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { raiseAlarmAbout } from '../alarm/raise.ts';
import { Deliverer } from '../callback/deliver.ts';
import { ForbiddenDestinationError } from '../outbound/outbound.ts';
import { createApp } from '../app.ts';
import type { Env } from '../http/env.ts';
import { createAutomaticPayout } from '../automation/payout/create.ts';
import { declaredRoutes } from '../http/routing.ts';
import { ADDRESS, type PayoutShop, payoutShop } from '../../test/support/payouts.ts';
import { listWallets } from '../wallet/store.ts';
import { type Browser, signedIn } from '../../test/support/dashboard.ts';
import { testConfig } from '../../test/support/call.ts';

let shop: PayoutShop;
let app: Hono<Env>;
let operator: Browser;
let stranger: Browser;
let answer = { status: 200, text: 'thanks' };
let refusal: Error | null = null;
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

beforeAll(async () => {
  const config = testConfig({ LOG_LEVEL: 'silent' });
  const outbound = async () => {
    if (refusal) throw refusal;
    return new Response(answer.text, { status: answer.status });
  };
  shop = await payoutShop({
    chains: ['bitcoin', 'ethereum', 'lightning'],
    overrides: { config, outbound },
  });
  app = createApp(shop.context);
  await enter();
  const { db, ids, secrets } = shop.context;
  const id = ids.uuid();
  const at = '2026-11-21T06:00:00.000000+00:00';
  await db
    .insertInto('account')
    .values({
      id,
      name: 'Stranger',
      is_testnet: true,
      callback_token_sealed: secrets.seal('x', id),
      created_at: at,
    })
    .execute();
  stranger = await signedIn(app, shop.context, id);
});
afterAll(() => shop.close());

/** Signs in again after the clock was moved, which ends every session. */
const enter = async () =>
  (operator = await signedIn(app, shop.context, shop.accountId, 'ada@example.com'));
const get = async (path: string, by = operator) => {
  const { status, body } = await by.ask('GET', path);
  expect([path, status, body.message]).toEqual([path, 200, undefined]);
  return body;
};
/** Created by a key whose limit is lower, so it needs approval. */
const draft = async (payload: Record<string, unknown> = {}) => {
  const key = {
    id: shop.context.ids.uuid(),
    accountId: shop.accountId,
    permissions: new Set<string>(),
    maxPayout: '1',
    isIntegratorKey: false,
  };
  const { id, status } = await shop.payOut(payload, { accountId: shop.accountId, key });
  expect(status).toBe('draft');
  return id;
};

/** @returns its id */
const alarm = async (
  about: { chain?: string; resource_id?: string },
  reason = 'Look here',
): Promise<string> => {
  const id = shop.context.ids.uuid();
  await shop.context.db
    .insertInto('alarm')
    .values({ id, reason, raised_at: '2026-11-21T06:00:00.000000+00:00', ...about })
    .execute();
  return id;
};

/**
 * A deposit without an invoice.
 * @returns its id
 */
const automaticPayout = async (): Promise<string> => {
  const editor = { accountId: shop.accountId, name: 'operator', overApi: false };
  const wallets = await listWallets(shop.context.db, shop.accountId, null);
  const { id: wallet } = wallets.find(({ chain }) => chain === 'bitcoin')!;
  const recipient_address = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx';
  const terms = { wallet, recipient_address, keep_amount: '1' };
  return (await createAutomaticPayout(shop.context, editor, terms)).id;
};

const lost = async (): Promise<string> => {
  const { rows } = await sql<{ id: string }>`
    insert into unassigned (chain, observation_key, txid, asset, address, amount, reason, seen_at)
    values ('bitcoin', gen_random_uuid(), 'T', 'BTC', 'somewhere', 0.5, 'no tag', '2026-11-21T06:00:00Z') returning id`.execute(
    shop.context.db,
  );
  return rows[0]!.id;
};

describe('the operator’s view', () => {
  it('shows an invoice with its transactions and callbacks', async () => {
    const invoice = await shop.create({ notes: '<b>x</b>', passthrough: '"><script>' });
    await shop.pay(invoice.id);
    const { result, callbacks, buyer_page } = await get(`invoices/${invoice.id}/`);
    expect(buyer_page).toBe(`${shop.context.config.publicUrl}/invoice/${invoice.id}/`);
    expect(result).toMatchObject({
      id: invoice.id,
      status: 'pending',
      notes: '<b>x</b>',
      passthrough: '"><script>',
    });
    expect(result.transactions).toMatchObject([{ status: 'pending', invoice: { id: invoice.id } }]);
    expect(callbacks.map(({ event }: { event: string }) => event).toSorted()).toEqual([
      'invoice_pending',
      'transaction_pending',
    ]);
    const transaction = await get(`transactions/${result.transactions[0].id}/`);
    expect([transaction.result.id, transaction.callbacks.length]).toEqual([
      result.transactions[0].id,
      1,
    ]);
  });

  it('shows each list in pages, with the filters of the API', async () => {
    const { id } = await shop.create();
    const list = await get('invoices/?status=new');
    expect([list.pagination.per_page, list.result[0].id]).toEqual([25, id]);
    expect((await get('invoices/?status=complete')).result).toEqual([]);
    expect((await get('transactions/?risk_level=null')).result.length).toBeGreaterThan(0);
    expect((await get('payouts/?reference_id=none')).result).toEqual([]);
    expect((await get('callbacks/?state=pending')).result[0]).toMatchObject({
      state: 'pending',
      attempts: 0,
    });
    const events = (list: { event: string }[]): string[] => list.map(({ event }) => event);
    expect(new Set(events((await get('callbacks/?event=invoice_pending')).result))).toEqual(
      new Set(['invoice_pending']),
    );
    expect((await get('callbacks/?event=payout_rejected')).pagination.count).toBe(0);
    // A lightning payment is seen, confirmed and final at once: the newest event is the last one.
    const lightning = await shop.create({ kind: 'BTC_LIGHTNING', amount: '1' });
    await shop.pay(lightning.id);
    expect(events((await get(`callbacks/?resource_id=${lightning.id}`)).result)).toEqual([
      'invoice_complete',
      'invoice_confirmed',
      'invoice_pending',
    ]);
    expect((await get('profiles/')).result).toMatchObject([
      { id: shop.profileId, name: 'Default profile' },
    ]);
    for (const path of [
      'invoices/?status=lost',
      'callbacks/?state=lost',
      'callbacks/?event=lost',
      'balances/?days=2',
      'balances/?days=toString',
      'payouts/?p=0',
    ]) {
      const { status, body } = await operator.ask('GET', path);
      expect([path, status, body.reason]).toEqual([path, 400, 'ValidationError']);
    }
  });

  it('shows nothing of another account: its ids are 404', async () => {
    await shop.fund('BTC', '1');
    const invoice = await shop.create();
    await shop.pay(invoice.id);
    const [transaction] = await shop.transactions(invoice.id);
    const {
      rows: [callback],
    } = await sql<{ id: string }>`select id from callback limit 1`.execute(shop.context.db);
    const ours: Record<string, string> = {
      invoices: invoice.id,
      transactions: transaction!.id,
      payouts: await draft(),
      callbacks: callback!.id,
      alarms: await alarm({ resource_id: invoice.id }),
      unassigned: await lost(),
      'automatic-payouts': await automaticPayout(),
      'automatic-conversions': UNKNOWN,
      'automatic-funding': UNKNOWN,
    };
    const paths = declaredRoutes(app).filter(({ path }) => /^\/dashboard\/api\/.*:id/.test(path));
    expect(paths.length).toBeGreaterThan(5);
    for (const { method, path } of paths) {
      const id = ours[path.split('/')[3]!]!;
      const ask = (by: Browser, id: string) =>
        by.ask(
          method,
          path.replace('/dashboard/api/', '').replace(':id', id),
          method === 'POST' ? { approve: true, reason: 'x' } : undefined,
        );
      const [foreign, unknown, odd] = await Promise.all([
        ask(stranger, id),
        ask(operator, UNKNOWN),
        ask(operator, 'x'),
      ]);
      expect([path, foreign.status, unknown.status, odd.status]).toEqual([path, 404, 404, 404]);
      expect(foreign.body.message).toBe(unknown.body.message);
    }
    for (const list of ['invoices/', 'transactions/', 'payouts/', 'callbacks/', 'profiles/'])
      expect((await get(list, stranger)).result).toEqual([]);
    expect((await get('balances/', stranger)).result.wallets).toEqual([]);
    expect((await get('rules/', stranger)).result).toMatchObject({
      payouts: [],
      conversions: [],
      fundings: [],
      coins: [],
    });
    expect((await get('funding/', stranger)).result).toEqual([]);
    expect((await get(`transactions/?invoice_id=${invoice.id}`, stranger)).result).toEqual([]);
    expect((await get(`callbacks/?resource_id=${invoice.id}`, stranger)).result).toEqual([]);
    const seen = await get('attention/', stranger);
    expect(Object.values<{ count: number }>(seen.result).map(({ count }) => count)).toEqual([
      0, 0, 0, 0, 0, 0, 0, 0,
    ]);
    await operator.ask('POST', `alarms/${ours['alarms']}/dismiss/`);
    await operator.ask('POST', `unassigned/${ours['unassigned']}/dismiss/`, { reason: 'x' });
  });
});

describe('a draft', () => {
  it('is approved once, with the approver’s name', async () => {
    await shop.fund('BTC', '1');
    const id = await draft();
    const first = await operator.ask('POST', `payouts/${id}/decide/`, { approve: true });
    expect([first.status, first.body.result.status, first.body.result.approved_by]).toEqual([
      200,
      'new',
      { username: 'ada@example.com', email: 'ada@example.com' },
    ]);
    const second = await operator.ask('POST', `payouts/${id}/decide/`, { approve: false });
    expect([second.status, second.body.reason]).toEqual([409, 'InvalidState']);
  });

  it('is rejected', async () => {
    await shop.fund('BTC', '1');
    const id = await draft();
    expect(
      (await operator.ask('POST', `payouts/${id}/decide/`, { approve: false })).body.result.status,
    ).toBe('rejected');
  });

  it.each([[{}], [{ approve: 'true' }], [{ approve: null }], ['{']])(
    'is not decided by %j',
    async (body) => {
      const { status, body: refused } = await operator.ask(
        'POST',
        `payouts/${UNKNOWN}/decide/`,
        body,
      );
      expect([status, refused.reason]).toEqual([400, 'ValidationError']);
    },
  );
});

describe('a waiting payout', () => {
  it('is found by its status, shows its date, and is rejected once', async () => {
    const scheduled_at = new Date(shop.context.clock.now() + 3_600_000).toISOString();
    const { id } = await shop.payOut({ scheduled_at });
    const listed = async (status: string) =>
      (await get(`payouts/?status=${status}`)).result.map((payout: { id: string }) => payout.id);
    expect(await listed('scheduled')).toContain(id);
    expect(await listed('rejected')).not.toContain(id);
    expect(Date.parse((await get(`payouts/${id}/`)).result.scheduled_at)).toBe(
      Date.parse(scheduled_at),
    );
    const stopped = await operator.ask('POST', `payouts/${id}/decide/`, { approve: false });
    expect([stopped.status, stopped.body.result.status]).toEqual([200, 'rejected']);
    expect((await operator.ask('POST', `payouts/${id}/decide/`, { approve: false })).status).toBe(
      409,
    );
    expect([await listed('scheduled'), (await listed('rejected')).includes(id)]).toEqual([
      [],
      true,
    ]);
    expect((await operator.ask('GET', 'payouts/?status=lost')).body.message).toContain(
      'must be one of draft,',
    );
  });
});

describe('a draft with a future date', () => {
  it('is new after approval, waits for its date, and can be rejected', async () => {
    await shop.fund('BTC', '1');
    const id = await draft({
      scheduled_at: new Date(shop.context.clock.now() + 3_600_000).toISOString(),
    });
    const decided = (approve: boolean) =>
      operator.ask('POST', `payouts/${id}/decide/`, { approve });
    const waits = async () => (await get(`payouts/${id}/`)).result.is_waiting;
    expect((await decided(true)).body.result.status).toBe('new');
    expect(await waits()).toBe(true);
    expect((await get('payouts/?status=waiting')).result[0].id).toBe(id);
    expect((await decided(false)).body.result.status).toBe('rejected');
    expect([
      await waits(),
      (await get('payouts/?status=waiting')).result.some(
        (payout: { id: string }) => payout.id === id,
      ),
    ]).toEqual([false, false]);
  });
});

describe('a payout that waits for its block', () => {
  it('can be bumped and cancelled, and shows it', async () => {
    await shop.fund('BTC', '1');
    const { id } = await shop.payOut();
    const shown = async () => (await get(`payouts/${id}/`)).result;
    expect(await shown()).toMatchObject({ is_replaceable: false, is_cancelling: false });
    const early = await operator.ask('POST', `payouts/${id}/cancel/`, {});
    expect([early.status, early.body.reason]).toEqual([409, 'InvalidState']);
    await shop.work();
    expect(await shown()).toMatchObject({ is_replaceable: true, is_cancelling: false });
    expect((await operator.ask('POST', `payouts/${id}/bump/`, {})).status).toBe(200);
    expect((await operator.ask('POST', `payouts/${id}/cancel/`, {})).body.result.id).toBe(id);
    expect(await shown()).toMatchObject({ is_replaceable: true, is_cancelling: true });
    await shop.work();
    await shop.mine('BTC', 6);
    await shop.work();
    expect(await shown()).toMatchObject({ status: 'failed', is_replaceable: false });
  });
});

describe('a quarantined transaction', () => {
  it('needs attention until it is released, once', async () => {
    const invoice = await shop.create();
    await shop.pay(invoice.id, { risk: 'high' });
    const [transaction] = await shop.transactions(invoice.id);
    const held = async () => (await get(`transactions/${transaction!.id}/`)).result;
    expect(await held()).toMatchObject({
      held_by: { analysis: true },
      risk_data: { source: 'sandbox' },
    });
    const quarantined = async () => (await get('attention/')).result.quarantined;
    expect(await quarantined()).toMatchObject({
      count: 1,
      items: [{ id: transaction!.id, currency: 'BTC', risk_level: 'high' }],
    });
    const released = await operator.ask('POST', `transactions/${transaction!.id}/release/`);
    expect([released.status, released.body.result.status]).toEqual([200, 'pending']);
    expect(released.body.result).toHaveProperty('order_id');
    expect((await held()).held_by).toBeNull();
    expect((await quarantined()).count).toBe(0);
    const again = await operator.ask('POST', `transactions/${transaction!.id}/release/`);
    expect([again.status, again.body.reason]).toEqual([409, 'InvalidState']);
  });
});

describe('Needs attention', () => {
  it('counts and lists items', async () => {
    await shop.fund('BTC', '1');
    const id = await draft();
    const { db, ids } = shop.context;
    await sql`update callback set state = 'failed' where id = (select id from callback limit 1)`.execute(
      db,
    );
    await db
      .insertInto('alarm')
      .values({
        id: ids.uuid(),
        resource_id: id,
        reason: 'Look here',
        raised_at: '2026-11-21T06:00:00.000000+00:00',
      })
      .execute();
    await db
      .insertInto('alarm')
      .values({
        id: ids.uuid(),
        chain: 'bitcoin',
        reason: 'A chain',
        raised_at: '2026-11-21T05:00:00.000000+00:00',
      })
      .execute();
    await sql`insert into unassigned (chain, observation_key, txid, asset, address, amount, reason, seen_at)
      values ('xrp', 'k', 'T', 'XRP', 'r', 5, 'no tag', '2026-11-21T06:00:00Z')`.execute(db);
    const { result } = await get('attention/');
    expect(result.drafts.items.find((item: { id: string }) => item.id === id)).toMatchObject({
      amount: '0.1',
      currency: 'BTC',
      status: 'draft',
      recipients: 1,
      recipient: expect.stringMatching(/^(tb1|[2mn])/),
      worth_usd: expect.stringMatching(/^\d+(\.\d+)?$/),
      is_covered: expect.any(Boolean),
    });
    expect(result.callbacks).toMatchObject({ count: 1, items: [{ event: expect.any(String) }] });
    expect(result.alarms).toMatchObject({
      count: 2,
      items: [
        { reason: 'Look here', resource: 'payout' },
        { reason: 'A chain', resource: null },
      ],
    });
    expect(result.unassigned).toMatchObject({
      count: 1,
      items: [{ id: expect.any(String), amount: '5', currency: 'XRP', reason: 'no tag' }],
    });
    // Alarms about chains and unassigned money are for the operator's account only.
    const theirs = await get('attention/', stranger);
    expect([theirs.result.alarms.count, theirs.result.unassigned.count]).toEqual([0, 0]);
  });
});

describe('payouts to approve', () => {
  const found = async (id: string) =>
    (await get('attention/')).result.drafts.items.find((item: { id: string }) => item.id === id);
  const to = (amount: string, currency: string) => ({ amount, currency, address: ADDRESS.BTC });

  it('show the requested amount and its value to the nearest cent', async () => {
    const { rates } = shop.context;
    const set = await rates.current();
    const odd = { ...set, usd: new Map(set.usd).set('BTC', parseAmount('61234.56')) };
    shop.context.rates = { current: async () => odd };
    const id = await draft({ recipients: [to('11', 'USD')] });
    // 0.00017963 BTC are 10.9996 dollars.
    expect(await found(id)).toMatchObject({
      amount: '0.00017963',
      requested: { amount: '11', currency: 'USD' },
      worth_usd: '11.00',
    });
    const two = await found(await draft({ recipients: [to('1.5', 'EUR'), to('2', 'EUR')] }));
    expect(two.requested).toEqual({ amount: '3.5', currency: 'EUR' });
    expect(
      (await found(await draft({ recipients: [to('1.5', 'EUR'), to('2', 'USD')] }))).requested,
    ).toBeNull();
    shop.context.rates = rates;
  });
});

describe('an alarm', () => {
  const alarms = async (by = operator): Promise<{ id: string; resource_id: string | null }[]> =>
    (await get('attention/', by)).result.alarms.items;

  it('disappears when dismissed, and returns when raised again', async () => {
    const invoice = await shop.create();
    const id = await alarm({ resource_id: invoice.id });
    expect((await alarms()).map((one) => one.id)).toContain(id);
    expect((await stranger.ask('POST', `alarms/${id}/dismiss/`)).status).toBe(404);
    const dismissed = await operator.ask('POST', `alarms/${id}/dismiss/`);
    expect([dismissed.status, dismissed.body.result]).toMatchObject([
      200,
      { id, resource: 'invoice', reason: 'Look here' },
    ]);
    expect((await alarms()).map((one) => one.id)).not.toContain(id);
    expect((await operator.ask('POST', `alarms/${id}/dismiss/`)).status).toBe(404);
    await raiseAlarmAbout(shop.context, invoice.id, 'Look here');
    expect((await alarms()).filter((one) => one.resource_id === invoice.id)).toHaveLength(1);
  });

  it('about a rule or a conversion is visible to its account only', async () => {
    const { db, ids } = shop.context;
    const { id: account } = await db
      .selectFrom('account')
      .select('id')
      .where('name', '=', 'Stranger')
      .executeTakeFirstOrThrow();
    const at = '2026-11-21T06:00:00.000000+00:00';
    const wallet = async (chain: string): Promise<string> => {
      const id = ids.uuid();
      await db
        .insertInto('wallet')
        .values({ account_id: account, id, name: chain, chain, created_at: at })
        .execute();
      return id;
    };
    const [from, to] = [await wallet('bitcoin'), await wallet('litecoin')];
    const rule = ids.uuid();
    await sql`insert into automatic_rule (account_id, id, type, created_at, created_by, from_wallet_id, from_kind, from_asset, to_wallet_id,
        to_kind, to_asset, exchange, keep_amount, min_amount, max_amount, is_enabled, updated_at)
      values (${account}, ${rule}, 'conversion', ${at}, 'a key', ${from}, 'BTC', 'BTC', ${to}, 'LTC', 'LTC', 'built-in', 0, 0, 1, true, ${at})`.execute(
      db,
    );
    const id = await alarm({ resource_id: rule }, 'In a circle');
    expect(await alarms(stranger)).toMatchObject([
      { id, resource: 'automatic conversion', reason: 'In a circle' },
    ]);
    expect((await alarms()).map((one) => one.id)).not.toContain(id);
    expect((await operator.ask('POST', `alarms/${id}/dismiss/`)).status).toBe(404);
    expect((await stranger.ask('POST', `alarms/${id}/dismiss/`)).status).toBe(200);
  });
});

describe('a failing receiver', () => {
  const receivers = async (by = operator) => (await get('attention/', by)).result.receivers;

  it('needs attention while it fails: URL without secrets, waiting callbacks, since when, last answer', async () => {
    const { db } = shop.context;
    const retry = async (status: number) => {
      answer = { status, text: '' };
      await sql`update callback set next_at_real = created_at_real where state = 'pending'`.execute(
        db,
      );
      await new Deliverer(shop.context).deliverDue();
    };
    await retry(200);
    expect(await receivers()).toEqual({ count: 0, items: [] });
    const invoice = await shop.create();
    await shop.pay(invoice.id);
    await sql`update callback set url = 'https://user:secret@shop.example:8443/hook?secret=1' where state = 'pending'`.execute(
      db,
    );
    const { rows } = await sql<{
      since: string;
    }>`select created_at_real as since from callback where state = 'pending' order by 1`.execute(
      db,
    );
    await retry(500);
    await retry(503);
    expect(await receivers()).toMatchObject({
      count: 1,
      items: [
        {
          address: 'https://shop.example:8443/hook',
          waiting: rows.length,
          more: false,
          status_code: 503,
          error: null,
          since: rows[0]!.since,
        },
      ],
    });
    expect(JSON.stringify(await receivers())).not.toContain('secret');
    expect((await receivers(stranger)).count).toBe(0);
    await retry(200);
    expect((await receivers()).count).toBe(0);
  });

  it('is listed with any number of waiting callbacks, up to the counting limit', async () => {
    const { db } = shop.context;
    const add = (host: string, count: number) =>
      sql`
      insert into callback (account_id, id, resource, resource_id, event, profile_id, url, body, attempts, created_at_real, next_at_real)
      select ${shop.accountId}::uuid, gen_random_uuid(), 'invoice', gen_random_uuid(), 'invoice_pending', ${shop.profileId}::uuid,
        'https://' || ${host}::text || '/hook', '{}', 2, now(), now() + interval '1 day' from generate_series(1, ${count}::int)`.execute(
        db,
      );
    for (const [host, count] of [
      ['many.example', 1_200],
      ['few.example', 3],
    ] as const)
      await add(host, count);
    await sql`insert into callback_delivery (account_id, callback_id, attempt, at_real, duration_ms, status_code, url)
      select account_id, id, attempts, now(), 5, 503, url from callback where url in ('https://many.example/hook', 'https://few.example/hook')`.execute(
      db,
    );
    expect((await receivers()).items).toMatchObject([
      { address: 'https://many.example/hook', waiting: 1_000, more: true },
      { address: 'https://few.example/hook', waiting: 3, more: false },
    ]);
    await sql`delete from callback_delivery where url like 'https://%.example/hook'`.execute(db);
    await sql`delete from callback where url like 'https://%.example/hook'`.execute(db);
  });

  it('does not need attention for a single failure', async () => {
    const { db } = shop.context;
    const invoice = await shop.create();
    await shop.pay(invoice.id);
    await sql`update callback set state = 'delivered' where state = 'pending' and event <> 'invoice_pending'`.execute(
      db,
    );
    answer = { status: 503, text: '' };
    await new Deliverer(shop.context).deliverDue();
    expect((await get('attention/')).result.receivers.count).toBe(0);
    answer = { status: 200, text: 'thanks' };
  });
});

describe('unassigned funds', () => {
  const waiting = async (): Promise<number> => (await get('attention/')).result.unassigned.count;

  it('are assigned to a wallet or dismissed, with name and reason', async () => {
    const before = await waiting();
    const [one, two] = [await lost(), await lost()];
    const assigned = await operator.ask('POST', `unassigned/${one}/assign/`, {
      reason: 'The buyer wrote to us',
    });
    expect([assigned.status, assigned.body.result]).toMatchObject([
      200,
      {
        id: one,
        account_id: shop.accountId,
        amount: '0.5',
        currency: 'BTC',
        settled_by: 'ada@example.com',
      },
    ]);
    expect(
      (await operator.ask('POST', `unassigned/${one}/assign/`, { reason: 'Again' })).body,
    ).toEqual(assigned.body);
    const dismissed = await operator.ask('POST', `unassigned/${two}/dismiss/`, {
      reason: 'Sent back',
    });
    expect([dismissed.status, dismissed.body.result.account_id]).toEqual([200, null]);
    expect(
      (await operator.ask('POST', `unassigned/${two}/assign/`, { reason: 'x' })).body.reason,
    ).toBe('InvalidState');
    expect(await waiting()).toBe(before);
  });

  it.each([
    [{}],
    [{ reason: ' ' }],
    [{ reason: 1 }],
    [{ reason: 'a\0' }],
    [{ reason: 'x'.repeat(501) }],
  ])('stay unassigned for %j', async (body) => {
    const id = await lost();
    const before = await waiting();
    const { status, body: refused } = await operator.ask('POST', `unassigned/${id}/assign/`, body);
    expect([status, refused.reason, refused.errors[0].field]).toEqual([
      400,
      'ValidationError',
      'reason',
    ]);
    expect(await waiting()).toBe(before);
    await operator.ask('POST', `unassigned/${id}/dismiss/`, { reason: 'x' });
  });
});

describe('automatic rules', () => {
  const ADDRESS = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx';
  const rulesNow = async () => (await get('rules/')).result;

  it('of payouts are created, changed and deleted, with the limits of no key', async () => {
    await sql`delete from automatic_payout`.execute(shop.context.db);
    const { coins, intervals } = await rulesNow();
    expect(intervals).toContain(15);
    const { wallet_id: wallet, kind } = coins.find(
      (coin: { currency: string; network: string }) =>
        coin.currency === 'BTC' && coin.network === 'Bitcoin',
    );
    const terms = { wallet, kind, recipient_address: ADDRESS, keep_amount: '0.5', interval: 15 };
    const made = await operator.ask('POST', 'automatic-payouts/', terms);
    expect([made.status, made.body.result]).toMatchObject([201, { is_enabled: false, kind }]);
    expect((await rulesNow()).payouts).toMatchObject([{ keep_amount: '0.5', every_minutes: 15 }]);
    const again = await operator.ask('POST', 'automatic-payouts/', terms);
    expect([again.status, again.body.reason]).toEqual([409, 'AlreadyExists']);
    const { id } = made.body.result;
    const changed = await operator.ask('POST', `automatic-payouts/${id}/`, { is_enabled: true });
    expect(changed.body.result).toMatchObject({ is_enabled: true, keep_amount: '0.5' });
    const odd = await operator.ask('POST', `automatic-payouts/${id}/`, { recipient_address: 'x' });
    expect([odd.status, odd.body.reason]).toEqual([400, 'InvalidAddress']);
    expect((await operator.ask('POST', `automatic-payouts/${id}/delete/`)).status).toBe(200);
    expect((await operator.ask('POST', `automatic-payouts/${id}/delete/`)).status).toBe(404);
    expect((await rulesNow()).payouts).toEqual([]);
    const { rows } = await sql`
      select created_by from automatic_payout where id = ${id}`.execute(shop.context.db);
    expect(rows).toEqual([]);
  });

  it.each(['automatic-conversions', 'automatic-funding'])('of %s, too', async (path) => {
    const { coins } = await rulesNow();
    const coin = (currency: string) =>
      coins.find((each: { currency: string }) => each.currency === currency);
    const [from, to] = [coin('BTC'), coin('ETH')];
    const made = await operator.ask('POST', `${path}/`, {
      from_wallet: from.wallet_id,
      from_kind: from.kind,
      to_wallet: to.wallet_id,
      to_kind: to.kind,
      keep_amount: '1',
      min_amount: '0.1',
      max_amount: '2',
    });
    expect([made.status, made.body.message]).toEqual([201, undefined]);
    const { id } = made.body.result;
    const worse = await operator.ask('POST', `${path}/${id}/`, { max_amount: '0.01' });
    expect([worse.status, worse.body.errors[0].field]).toEqual([400, 'max_amount']);
    expect((await operator.ask('POST', `${path}/${id}/`, { max_amount: '3' })).status).toBe(200);
    const { conversions, fundings } = await rulesNow();
    expect([...conversions, ...fundings]).toMatchObject([{ id, max_amount: '3' }]);
    expect((await operator.ask('POST', `${path}/${id}/delete/`)).status).toBe(200);
  });

  it('of a session that is not the page’s own are refused', async () => {
    const answer = await app.request('/dashboard/api/automatic-payouts/', {
      method: 'POST',
      headers: { origin: 'https://shop.example', 'x-dashboard': '1' },
      body: '{}',
    });
    expect(answer.status).toBe(403);
  });
});

describe('balances', () => {
  interface Balance {
    wallet_id: string;
    kind: string;
    total: string;
    worth: string | null;
    points: { at: string; amount: string }[];
  }
  const balanceOf = async (kind: string, days: number): Promise<Balance | undefined> =>
    ((await get(`balances/?days=${days}`)).result.wallets as Balance[]).find(
      (each) => each.kind === kind,
    );
  const amountsOf = async (days: number): Promise<string[]> =>
    (await balanceOf('ETH', days))!.points.map(({ amount }) => amount);

  it('have a point for each change, from the first one on, and end with the present balance', async () => {
    expect(await balanceOf('ETH', 7)).toBeUndefined();
    await shop.fund('BTC', '1');
    await shop.fund('ETH', '2');
    expect(await amountsOf(7)).toEqual(['2']);
    await shop.advance(24 * 60 * 60);
    await enter();
    await shop.fund('ETH', '0.5');
    const { days, from, to } = (await get('balances/?days=7')).result;
    expect([days, Date.parse(to) - Date.parse(from)]).toEqual([7, 7 * 24 * 3_600_000]);
    const eth = await balanceOf('ETH', 7);
    expect(eth).toMatchObject({ available: '2.5', pending: '0', reserved: '0', total: '2.5' });
    expect(await amountsOf(7)).toEqual(['2', '2.5']);
    const [first, second] = eth!.points;
    expect(Date.parse(second!.at) - Date.parse(first!.at)).toBeGreaterThanOrEqual(24 * 3_600_000);
    expect(first!.at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/);
    await shop.advance(12 * 60 * 60);
    await enter();
    // An older balance begins the span.
    expect(await amountsOf(1)).toEqual(['2', '2.5']);
    await shop.advance(24 * 60 * 60);
    await enter();
    expect(await amountsOf(1)).toEqual(['2.5']);
    expect((await balanceOf('ETH', 1))!.points[0]!.at).toBe(
      (await get('balances/?days=1')).result.from,
    );
    const year = (await get('balances/?days=365')).result;
    expect(year.wallets.length).toBeGreaterThan(1);
    for (const { points, total } of year.wallets as Balance[])
      expect(points.at(-1)?.amount ?? '0').toBe(total);
  });

  it('have a worth in the currency that invoices ask for most, and a total', async () => {
    await shop.create();
    const { currency, worth, wallets } = (await get('balances/')).result;
    expect(currency).toBe('USD');
    const cents = (text: string): number => Math.round(Number(text) * 100);
    const known = (wallets as Balance[]).flatMap((one) => one.worth ?? []);
    expect(known.length).toBeGreaterThan(1);
    for (const text of [...known, worth]) expect(text).toMatch(/^\d+\.\d\d$/);
    expect(cents(worth)).toBe(known.reduce((sum, text) => sum + cents(text), 0));
    const { db } = shop.context;
    await sql`update invoice set requested_currency = 'JPY' where account_id = ${shop.accountId}`.execute(
      db,
    );
    const inYen = (await get('balances/')).result;
    expect([inYen.currency, inYen.worth]).toEqual(['JPY', expect.stringMatching(/^\d+$/)]);
    await sql`update invoice set requested_currency = 'USD' where account_id = ${shop.accountId}`.execute(
      db,
    );
  });

  it('have no worth without rates', async () => {
    const { rates } = shop.context;
    const { current } = rates;
    rates.current = () => Promise.reject(new Error('no rates'));
    const { worth, wallets } = (await get('balances/')).result;
    rates.current = current;
    expect([worth, ...new Set((wallets as Balance[]).map((one) => one.worth))]).toEqual([
      null,
      null,
    ]);
  });

  it('have the order of wallets', async () => {
    const { wallets } = (await get('balances/')).result;
    const order = (await listWallets(shop.context.db, shop.accountId, null)).map(({ id }) => id);
    const ids = [...new Set((wallets as Balance[]).map(({ wallet_id }) => wallet_id))];
    expect(ids.length).toBeGreaterThan(1);
    expect(ids).toEqual(order.filter((id) => ids.includes(id)));
  });
});

describe('the channels of a lightning node', () => {
  const { name, currency } = { name: 'Lightning', currency: 'BTC' };
  const withNode = async (liquidity: ChainAdapter['liquidity']): Promise<unknown> => {
    const chains = shop.context.chains as Map<string, ChainAdapter>;
    const before = chains.get('lightning');
    chains.set('lightning', {
      ...chains.get('bitcoin')!,
      chain: 'lightning',
      liquidity: liquidity!,
    });
    try {
      return (await get('balances/')).result.channels;
    } finally {
      if (before) chains.set('lightning', before);
      else chains.delete('lightning');
    }
  };

  it('are shown with what they can receive and send now', async () => {
    const read = { channels: 2, receivable: parseAmount('0.5'), sendable: parseAmount('0.25') };
    expect(await withNode(async () => read)).toEqual([
      {
        chain: 'lightning',
        name,
        currency,
        open: { channels: 2, receivable: '0.5', sendable: '0.25' },
      },
    ]);
  });

  it('are unknown, and not empty, while the node does not answer', async () => {
    const silent = async (): Promise<never> => {
      throw new UnavailableError('The node does not answer');
    };
    expect(await withNode(silent)).toEqual([{ chain: 'lightning', name, currency, open: null }]);
  });

  it('are not shown without a node', async () => {
    expect((await get('balances/')).result.channels).toEqual([]);
  });
});

describe('a test transaction', () => {
  beforeAll(async () => void (await enter()));

  it('is paid on the sandbox, with all callbacks', async () => {
    const sent = await operator.ask('POST', 'test-transactions/', {
      profile_id: shop.profileId,
      kind: 'ETH',
      complete: true,
    });
    expect([sent.status, sent.body.result.paid]).toEqual([201, true]);
    const { result, callbacks } = await get(`invoices/${sent.body.result.invoice_id}/`);
    expect([result.status, result.amount.requested]).toEqual([
      'complete',
      { amount: '10', currency: 'USD' },
    ]);
    expect(callbacks.map(({ event }: { event: string }) => event)).toContain(
      'transaction_complete',
    );
    const callback = await get(`callbacks/${callbacks[0].id}/`);
    expect(JSON.parse(callback.result.body).callback_id).toBe(callbacks[0].id);
    const resent = await operator.ask('POST', `callbacks/${callbacks[0].id}/resend/`);
    expect(resent.body.result).toMatchObject({ status: 'success', delivery: { status_code: 200 } });
    answer = { status: 500, text: '<script>alert(1)</script>' };
    const refused = await operator.ask('POST', `callbacks/${callbacks[0].id}/resend/`);
    expect(refused.body.result).toMatchObject({
      status: 'error',
      message: 'The receiver answered 500.',
    });
    const { deliveries } = (await get(`callbacks/${callbacks[0].id}/`)).result;
    expect(deliveries).toMatchObject([
      { answer: 'thanks' },
      { answer: '<script>alert(1)</script>', status_code: 500 },
    ]);
  });

  it('with a blocked receiver explains which setting opens it', async () => {
    const { body } = await operator.ask('POST', 'test-transactions/', {
      profile_id: shop.profileId,
      kind: 'BTC',
    });
    const { callbacks } = await get(`invoices/${body.result.invoice_id}/`);
    refusal = new ForbiddenDestinationError(
      'https://127.0.0.1 is refused: 127.0.0.1 is not public',
      '127.0.0.1/32:443',
    );
    const { body: resent } = await operator.ask('POST', `callbacks/${callbacks[0].id}/resend/`);
    refusal = null;
    const [{ error }] = (await get(`callbacks/${callbacks[0].id}/`)).result.deliveries;
    expect(error).toMatch(
      /^https:\/\/127\.0\.0\.1 is refused: .*; 127\.0\.0\.1\/32:443 in OUTBOUND_ALLOW of the service opens it$/,
    );
    expect(resent.result).toMatchObject({
      status: 'error',
      error: 'callback_failed',
      message: `It was not delivered: ${error}.`,
    });
  });

  it('waits for its blocks unless it should complete, and works over lightning', async () => {
    for (const [kind, status] of [
      ['BTC', 'pending'],
      ['BTC_LIGHTNING', 'complete'],
    ]) {
      const { body } = await operator.ask('POST', 'test-transactions/', {
        profile_id: shop.profileId,
        kind,
      });
      expect((await get(`invoices/${body.result.invoice_id}/`)).result.status).toBe(status);
    }
  });

  it.each([
    [400, { profile_id: 'x' }],
    [400, { kind: 'COIN' }],
    [400, { amount: '-1' }],
    [400, { amount: 10 }],
    [400, { currency: 'DOUBLOON' }],
    [404, { profile_id: UNKNOWN }],
    [400, { kind: 'DOGE' }],
  ])('is refused with %i: %j', async (status, members) => {
    const body = { profile_id: shop.profileId, kind: 'BTC', ...members };
    const refused = await operator.ask(
      'POST',
      'test-transactions/',
      'profile_id' in members && status === 400 ? { kind: 'BTC' } : body,
    );
    expect([refused.status, typeof refused.body.reason]).toEqual([status, 'string']);
  });

  it('is refused on a main network', async () => {
    await sql`update account set is_testnet = false where id = ${shop.accountId}`.execute(
      shop.context.db,
    );
    const { status, body } = await operator.ask('POST', 'test-transactions/', {
      profile_id: shop.profileId,
      kind: 'BTC',
    });
    expect([status, body.reason]).toEqual([409, 'InvalidState']);
    expect((await get('session/')).result.can_test).toBe(false);
    await sql`update account set is_testnet = true where id = ${shop.accountId}`.execute(
      shop.context.db,
    );
  });
});
