import { createApp } from '../../src/app.ts';
import {
  call,
  testAccount,
  type TestAccount,
  type TestAnswer,
  type TestKey,
  testConfig,
} from './call.ts';
import { payoutShop, type PayoutShop } from './payouts.ts';
import type { TestShopOptions, ShownInvoice, ShownTransaction } from './shop.ts';

/** An address of a buyer. */
export const BUYER = 'tb1qqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesrxh6hy';
export const OTHER_BUYER = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx';

export interface RefundShop extends PayoutShop {
  account: TestAccount;
  app: ReturnType<typeof createApp>;
  /** Sends a signed request. Default key: the BFF's. */
  send(
    method: string,
    path: string,
    members?: Record<string, unknown>,
    key?: TestKey,
  ): Promise<TestAnswer>;
  /** Asks for a refund as the BFF does. */
  ask(transactionId: string, more?: Record<string, unknown>, key?: TestKey): Promise<TestAnswer>;
  decide(id: string, isApproved: boolean): Promise<TestAnswer>;
  /** Offers a part of a payment for a refund, as the shop does; `0` ends the offer. */
  offer(transactionId: string, amount: string): Promise<TestAnswer>;
  refund(id: string): Promise<TestAnswer['body']>;
  /** A payment that came after the price had expired, final. Default: 100 USD in BTC. */
  late(payload?: Record<string, unknown>): Promise<Paid>;
  /** A payment in time, final. */
  paid(how?: { amount?: string; kind?: string }, payload?: Record<string, unknown>): Promise<Paid>;
}

export interface Paid {
  invoice: ShownInvoice;
  transaction: ShownTransaction;
}

const FINAL = 6;

/** A shop whose BFF asks for refunds, with 10 BTC of other money. */
export async function refundShop(
  settings: Record<string, string> = {},
  options: TestShopOptions = { chains: ['bitcoin'] },
): Promise<RefundShop> {
  const config = testConfig({ LOG_LEVEL: 'silent', ...settings });
  const shop = await payoutShop({ ...options, overrides: { config, ...options.overrides } });
  const account = await testAccount(shop.context);
  const app = createApp(shop.context);
  await shop.fund('BTC', '10');
  const send: RefundShop['send'] = (method, path, members = {}, key = account.bff) =>
    call(app, key, method, path, members);
  const final = async (id: string): Promise<Paid> => {
    await shop.mine('BTC', FINAL);
    return {
      invoice: await shop.get(id),
      transaction: (await shop.transactions(id)).at(-1)!,
    };
  };
  return {
    ...shop,
    account,
    app,
    send,
    ask: (transaction_id, more = {}, key) =>
      send('POST', '/v1/refunds/', { transaction_id, address: BUYER, ...more }, key),
    decide: (id, is_approved) =>
      send('PUT', `/v1/refunds/${id}/`, { is_approved }, account.approve),
    offer: (id, amount) =>
      send('POST', `/v1/transactions/${id}/offer-refund/`, { amount }, account.api),
    refund: async (id) => (await send('GET', `/v1/refunds/${id}/`)).body.result,
    async late(payload = {}) {
      const { id } = await shop.create(payload);
      await shop.advance(3_600);
      await shop.pay(id);
      return final(id);
    },
    async paid(how = {}, payload = {}) {
      const { id } = await shop.create(payload);
      await shop.pay(id, how);
      return final(id);
    },
  };
}
