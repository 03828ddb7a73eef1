import { createHmac } from 'node:crypto';
import { EVENTS, resourceOf, type Event } from '@crypto-checkout/protocol/event';
import type { Hono } from 'hono';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callbackToken } from '../account/callback-token.ts';
import { createApp } from '../app.ts';
import type { Env } from '../http/env.ts';
import { call, testAccount, type TestAccount, testConfig } from '../../test/support/call.ts';
import { ADDRESS, payoutShop, type PayoutShop } from '../../test/support/payouts.ts';
import { sentBody } from './stored-body.ts';

let shop: PayoutShop;
let app: Hono<Env>;
let account: TestAccount;

beforeAll(async () => {
  const config = testConfig({ LOG_LEVEL: 'silent' });
  shop = await payoutShop({ chains: ['bitcoin'], overrides: { config } });
  account = await testAccount(shop.context);
  app = createApp(shop.context);
  await shop.fund('BTC', '10');
  await sql`update profile_currency set zero_conf_max_amount = 1 where kind = 'BTC'`.execute(
    shop.context.db,
  );
});
afterAll(() => shop.close());

interface Driven {
  id: string;
  /** Continues to the end of the resource's life, where the event must not be sent again. */
  goOn?: () => Promise<unknown>;
}

const deep = () => shop.mine('BTC', 7);

/** A pending payment; the callback carries the caller's passthrough. */
async function payment(
  payload: Record<string, unknown> = {},
  how: Parameters<PayoutShop['pay']>[1] = {},
) {
  const invoice = await shop.create({ passthrough: 'order 1', ...payload });
  const txid = await shop.pay(invoice.id, how);
  const [transaction] = await shop.transactions(invoice.id);
  return { invoice: invoice.id, id: transaction!.id, txid, goOn: deep };
}

const ofInvoice = ({ invoice, goOn }: Awaited<ReturnType<typeof payment>>): Driven => ({
  id: invoice,
  goOn,
});

/** A payment after the quote expired. */
async function latePayment(): Promise<Driven> {
  const { id: invoiceId } = await shop.create();
  await shop.advance(24 * 3_600);
  await shop.pay(invoiceId);
  const [transaction] = await shop.transactions(invoiceId);
  return { id: transaction!.id };
}

/** A refund of late money; the BFF asked for it. */
async function refund(isApproved?: boolean): Promise<Driven> {
  const late = await latePayment();
  await deep();
  const asked = { transaction_id: late.id, address: ADDRESS.BTC };
  const { body } = await call(app, account.bff, 'POST', '/v1/refunds/', asked);
  const { id } = body.result;
  if (isApproved !== undefined)
    await call(app, account.approve, 'PUT', `/v1/refunds/${id}/`, { is_approved: isApproved });
  if (isApproved === true) {
    await shop.work();
    await deep();
  }
  return { id, goOn: deep };
}

async function payout(blocks?: number): Promise<Driven & { txid: string }> {
  const { id } = await shop.payOut({ reference_id: shop.context.ids.uuid() });
  await shop.work();
  if (blocks !== undefined) await shop.mine('BTC', blocks);
  return { id, txid: (await shop.payout(id)).txid, goOn: deep };
}

/** Brings a resource to the moment right after the event. */
const DRIVE: Readonly<Record<Event, () => Promise<Driven>>> = {
  transaction_pending: () => payment(),
  async transaction_confirmed() {
    const paid = await payment({ min_confirmations: 2 });
    await shop.mine('BTC', 2);
    return paid;
  },
  async transaction_complete() {
    const paid = await payment();
    await shop.mine('BTC', 6);
    return paid;
  },
  async transaction_replaced() {
    const paid = await payment();
    await shop.replace(paid.txid);
    return paid;
  },
  async transaction_failed() {
    const paid = await payment();
    await shop.fail(paid.txid);
    return paid;
  },
  transaction_quarantined: () => payment({}, { risk: 'critical' }),
  transaction_zero_conf_confirmed: () => payment({ zero_conf_enabled: true }),
  async transaction_late_accepted() {
    const { id } = await latePayment();
    const accept = () => call(app, account.bff, 'POST', `/v1/transactions/${id}/accept-late/`);
    await accept();
    return {
      id,
      async goOn() {
        await accept();
        await deep();
      },
    };
  },
  invoice_pending: async () => ofInvoice(await payment()),
  async invoice_confirmed() {
    const paid = await payment();
    await shop.mine('BTC');
    return ofInvoice(paid);
  },
  async invoice_complete() {
    const paid = await payment();
    await shop.mine('BTC', 6);
    return ofInvoice(paid);
  },
  async invoice_incomplete() {
    const paid = await payment({}, { amount: '0.001' });
    await shop.advance(24 * 3_600);
    return ofInvoice(paid);
  },
  payout_pending: () => payout(),
  payout_confirmed: () => payout(1),
  payout_complete: () => payout(6),
  async payout_failed() {
    const sent = await payout();
    await shop.fail(sent.txid);
    return sent;
  },
  async payout_rejected() {
    const limited = { accountId: shop.accountId, key: { id: account.api_key_id, maxPayout: '1' } };
    const { id } = await shop.payOut({ reference_id: 'draft' }, limited);
    await call(app, account.approve, 'PUT', `/v1/payouts/${id}/`, { approve: false });
    return { id, goOn: deep };
  },
  refund_requested: () => refund(),
  refund_paid: () => refund(true),
  refund_rejected: () => refund(false),
};

describe('the callback', () => {
  it.each(EVENTS)(
    '%s equals the GET at that moment, under both names, and is sent once',
    async (event) => {
      const { id, goOn } = await DRIVE[event]();
      const resource = resourceOf(event);
      const { db } = shop.context;
      const of = () =>
        sql<{
          id: string;
          body: string;
        }>`select id, body from callback where resource_id = ${id} and event = ${event}`.execute(
          db,
        );
      const { rows } = await of();
      expect(rows).toHaveLength(1);
      const body = JSON.parse(sentBody(rows[0]!.body)) as Record<string, unknown>;
      const got = await call(app, account.api, 'GET', `/v1/${resource}s/${id}/`);
      const token = await callbackToken(shop.context, db, shop.accountId);
      expect(got.status).toBe(200);
      expect(body).toEqual({
        callback_id: rows[0]!.id,
        callback_status: event,
        signature: createHmac('sha256', token).update(rows[0]!.id).digest('hex'),
        result: got.body.result,
        [resource]: got.body.result,
      });
      expect(Object.keys(body)).toEqual([
        'callback_id',
        'callback_status',
        'signature',
        'result',
        resource,
      ]);
      await goOn?.();
      expect((await of()).rows).toEqual(rows);
    },
  );
});
