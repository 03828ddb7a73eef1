import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refund as schema } from '@crypto-checkout/protocol/schema/refund';
import { BUYER, OTHER_BUYER, refundShop, type RefundShop } from '../../test/support/refunds.ts';

let shop: RefundShop;
beforeAll(async () => {
  shop = await refundShop();
});
afterAll(() => shop.close());

/** Approves a refund and mines its payout. */
async function payBack(id: string): Promise<void> {
  expect((await shop.decide(id, true)).status).toBe(200);
  await shop.settle();
  await shop.mine('BTC', 6);
}

describe('POST /v1/refunds/', () => {
  it('answers 201 with the refund that a GET returns, and moves no money', async () => {
    const { transaction, invoice } = await shop.late();
    const before = await shop.holdings('BTC');
    const { status, body } = await shop.ask(transaction.id, { reason: 'too slow' });
    expect(status).toBe(201);
    expect(schema.parse(body.result)).toEqual(body.result);
    expect(body.result).toMatchObject({
      status: 'requested',
      cause: 'late',
      transaction_id: transaction.id,
      invoice_id: invoice.id,
      payout_id: null,
      amount: { amount: transaction.amount.paid.amount, currency: 'BTC' },
      received: { amount: '0.0019791', currency: 'BTC' },
      network_fee_pays: 'recipient',
      is_proven: false,
      txid: null,
    });
    expect(await shop.refund(body.result.id)).toEqual(body.result);
    expect(await shop.holdings('BTC')).toEqual(before);
    expect(await shop.events(body.result.id)).toEqual(['refund_requested']);
    const list = await shop.send('GET', '/v1/refunds/', { transaction_id: transaction.id });
    expect(list.body.result).toEqual([body.result]);
  });

  it('answers 200 for the same request, and 409 for another', async () => {
    const { transaction } = await shop.late();
    const first = await shop.ask(transaction.id);
    const again = await shop.ask(transaction.id, { address: ` ${BUYER} ` });
    expect([again.status, again.body]).toEqual([200, first.body]);
    const other = await shop.ask(transaction.id, { address: OTHER_BUYER });
    expect([other.status, other.body.reason]).toEqual([409, 'AlreadyExists']);
    expect(await shop.events(first.body.result.id)).toEqual(['refund_requested']);
  });

  it('makes one refund of twenty equal requests at once', async () => {
    const { transaction } = await shop.late();
    const answers = await Promise.all(Array.from({ length: 20 }, () => shop.ask(transaction.id)));
    const created = answers.filter(({ status }) => status === 201);
    const repeated = answers.filter(({ status }) => status === 200);
    expect([created.length, repeated.length]).toEqual([1, 19]);
    expect(new Set(answers.map(({ body }) => body.result.id)).size).toBe(1);
  });

  it('answers 200 for a reference that was used, and 409 with other parameters', async () => {
    const { transaction } = await shop.late();
    const { body } = await shop.ask(transaction.id, { reference_id: 'return-1' });
    await shop.decide(body.result.id, false);
    const again = await shop.ask(transaction.id, { reference_id: 'return-1' });
    expect([again.status, again.body.result.id]).toEqual([200, body.result.id]);
    const other = await shop.ask(transaction.id, {
      reference_id: 'return-1',
      address: OTHER_BUYER,
    });
    expect([other.status, other.body.reason]).toEqual([409, 'DuplicateReference']);
  });

  it('refuses an address of another coin or network', async () => {
    const { transaction } = await shop.late();
    for (const address of [
      'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
      '0x52908400098527886E0F7030069857D2E4169EE7',
      'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsy',
    ]) {
      const { status, body } = await shop.ask(transaction.id, { address });
      expect([status, body.reason, body.errors?.[0].field]).toEqual([
        400,
        'InvalidAddress',
        'address',
      ]);
    }
    const tagged = await shop.ask(transaction.id, { destination_tag: '1' });
    expect([tagged.body.reason, tagged.body.errors[0].field]).toEqual([
      'ValidationError',
      'destination_tag',
    ]);
  });

  it('refuses with the figure if the fee or the dust limit leaves too little', async () => {
    const { transaction } = await shop.paid({ amount: '0.00002' }, { amount: '100' });
    await shop.advance(3_600);
    const fee = await shop.ask(transaction.id);
    expect(fee.body).toMatchObject({
      reason: 'PayoutNetworkFeeTooHigh',
      message: 'The network fee of 0.0000209 BTC leaves nothing of the 0.00002.',
    });
    const small = await shop.paid({ amount: '0.000023' });
    await shop.advance(3_600);
    const dust = await shop.ask(small.transaction.id);
    expect(dust.body).toMatchObject({
      reason: 'ValidationError',
      errors: [{ field: 'amount', message: expect.stringContaining('0.0000021 BTC') }],
    });
    expect(
      (await shop.send('GET', '/v1/refunds/', { invoice_id: small.invoice.id })).body.result,
    ).toEqual([]);
  });

  it('answers an estimate and stores nothing', async () => {
    const { transaction } = await shop.late();
    const { status, body } = await shop.ask(transaction.id, { estimate_only: true });
    expect([status, body.result.id, body.result.received.amount]).toEqual([200, null, '0.0019791']);
    expect((await shop.transactions(transaction.invoice.id))[0]!.amount).not.toHaveProperty(
      'refunded',
    );
  });

  it('lets a key with payouts:write pay at once, within its limit', async () => {
    const { transaction } = await shop.late();
    const made = await shop.ask(transaction.id, {}, shop.account.api);
    expect(made.body.result).toMatchObject({ status: 'approved', payout_id: expect.any(String) });
    await shop.settle();
    await shop.mine('BTC', 6);
    expect(await shop.refund(made.body.result.id)).toMatchObject({ status: 'paid' });
    expect(await shop.events(made.body.result.id)).toEqual(['refund_requested', 'refund_paid']);
    const again = await shop.ask(transaction.id, {}, shop.account.api);
    expect([again.status, again.body.result.id]).toEqual([200, made.body.result.id]);
  });
});

describe('the amount', () => {
  it('of too much is the excess at the quote of the payment', async () => {
    const { transaction, invoice } = await shop.paid({ amount: '0.0029' });
    expect(invoice.status).toBe('complete');
    const { body } = await shop.ask(transaction.id);
    expect(body.result).toMatchObject({ cause: 'excess', amount: { amount: '0.0009' } });
    await payBack(body.result.id);
    expect((await shop.get(invoice.id)).amount.paid?.amount).toBe('0.002');
    const more = await shop.ask(transaction.id, { address: OTHER_BUYER });
    expect([more.status, more.body.reason]).toEqual([409, 'InvalidState']);
  });

  it('of a full second payment is that payment, and nothing of the first', async () => {
    const first = await shop.paid();
    await shop.advance(1);
    await shop.pay(first.invoice.id, { amount: '0.002' });
    const [one, two] = await shop.transactions(first.invoice.id);
    const early = await shop.ask(two!.id);
    expect([early.status, early.body.reason]).toEqual([409, 'InvalidState']);
    await shop.mine('BTC', 6);
    expect((await shop.ask(one!.id)).body.reason).toBe('InvalidState');
    expect((await shop.ask(two!.id)).body.result).toMatchObject({
      cause: 'excess',
      amount: { amount: '0.002' },
    });
  });

  it('of too much is listed before it is final, and cannot be asked for until then', async () => {
    const { id } = await shop.create();
    await shop.pay(id, { amount: '0.0029' });
    const [transaction] = await shop.transactions(id);
    const listed = async () =>
      (await shop.send('GET', `/v1/invoices/${id}/refundable/`)).body.result;
    const entry = {
      transaction_id: transaction!.id,
      kind: 'BTC',
      cause: 'excess',
      amount: { amount: '0.0009', currency: 'BTC' },
    };
    expect(await listed()).toMatchObject([{ ...entry, is_ready: false }]);
    const early = await shop.ask(transaction!.id);
    expect([early.status, early.body.reason]).toEqual([409, 'InvalidState']);
    await shop.mine('BTC', 6);
    expect(await listed()).toMatchObject([{ ...entry, is_ready: true }]);
  });

  it('of a final payment waits for an earlier one, and ends with it', async () => {
    const { id } = await shop.create();
    const first = await shop.pay(id, { amount: '0.002' });
    await shop.advance(1);
    await shop.pay(id, { amount: '0.002' });
    const [, second] = await shop.transactions(id);
    const listed = async () =>
      (await shop.send('GET', `/v1/invoices/${id}/refundable/`)).body.result;
    expect(await listed()).toMatchObject([
      { transaction_id: second!.id, amount: { amount: '0.002' }, is_ready: false },
    ]);
    await shop.replace(first);
    await shop.mine('BTC', 6);
    expect(await listed()).toEqual([]);
  });

  it('of a payment within the tolerance is nothing', async () => {
    const { transaction } = await shop.paid({ amount: '0.002005' });
    expect((await shop.ask(transaction.id)).body.reason).toBe('InvalidState');
  });

  it('is never named by the BFF', async () => {
    const { transaction } = await shop.late();
    const { body } = await shop.ask(transaction.id, { amount: '0.0019' });
    expect(body.errors).toEqual([{ field: 'amount', message: 'must be 0.002, or be left out' }]);
    const free = await shop.ask(transaction.id, { network_fee_pays: 'merchant' });
    expect(free.body.errors[0].field).toBe('network_fee_pays');
  });

  it('that is null is refused: the mistake of a client would send all of it', async () => {
    const { transaction } = await shop.late();
    const { status, body } = await shop.ask(transaction.id, { amount: null }, shop.account.api);
    expect([status, body.reason, body.errors[0].field]).toEqual([400, 'ValidationError', 'amount']);
  });

  it('of an order that was paid is what the shop offers', async () => {
    const { transaction } = await shop.paid();
    expect((await shop.ask(transaction.id)).body.reason).toBe('InvalidState');
    const offer = (amount: string) => shop.offer(transaction.id, amount);
    expect((await offer('0.0021')).body.errors[0].field).toBe('amount');
    expect((await offer('0.0015')).status).toBe(200);
    const list = await shop.send('GET', `/v1/invoices/${transaction.invoice.id}/refundable/`);
    expect(list.body.result).toEqual([
      {
        transaction_id: transaction.id,
        kind: 'BTC',
        cause: 'offered',
        amount: { amount: '0.0015', currency: 'BTC' },
        network_fee: null,
        is_ready: true,
        replaces: null,
      },
    ]);
    const { body } = await shop.ask(transaction.id);
    expect(body.result).toMatchObject({ cause: 'offered', amount: { amount: '0.0015' } });
    await payBack(body.result.id);
    expect((await shop.ask(transaction.id, { address: OTHER_BUYER })).body.reason).toBe(
      'InvalidState',
    );
  });

  it('that a shop names is at most what came less earlier refunds', async () => {
    const { transaction } = await shop.paid();
    const name = (amount: string) => shop.ask(transaction.id, { amount }, shop.account.api);
    expect((await name('0.00200001')).body.errors[0].field).toBe('amount');
    const first = (await name('0.0015')).body.result;
    await shop.settle();
    await shop.mine('BTC', 6);
    expect(await shop.refund(first.id)).toMatchObject({ status: 'paid', cause: 'offered' });
    expect((await name('0.0006')).body.errors[0].field).toBe('amount');
    expect((await name('0.0005')).status).toBe(201);
  });
});

describe('counting', () => {
  it('half paid, refunded, other half paid: underpaid', async () => {
    const { transaction, invoice } = await shop.paid({ amount: '0.001' });
    await shop.advance(3_600);
    expect((await shop.get(invoice.id)).status).toBe('expired');
    const { body } = await shop.ask(transaction.id);
    expect(body.result).toMatchObject({ cause: 'expired', amount: { amount: '0.001' } });
    expect((await shop.get(invoice.id)).amount.paid).toBeNull();
    const renewed = await shop.send('POST', `/v1/invoices/${invoice.id}/renew/`);
    expect(renewed.status).toBe(200);
    await shop.pay(invoice.id, { amount: '0.001' });
    await shop.mine('BTC', 6);
    expect(await shop.get(invoice.id)).toMatchObject({
      status: 'pending',
      amount: { paid: { amount: '0.001' } },
    });
    await payBack(body.result.id);
    expect((await shop.get(invoice.id)).status).toBe('pending');
  });

  it('again after a rejection', async () => {
    const { transaction, invoice } = await shop.paid({ amount: '0.001' });
    await shop.advance(3_600);
    const { body } = await shop.ask(transaction.id);
    const [shown] = await shop.transactions(invoice.id);
    expect(shown!.amount.refunded).toEqual({ amount: '0.001', currency: 'BTC' });
    expect((await shop.decide(body.result.id, false)).body.result.status).toBe('rejected');
    expect(await shop.events(body.result.id)).toEqual(['refund_requested', 'refund_rejected']);
    expect((await shop.get(invoice.id)).amount.paid?.amount).toBe('0.001');
    const renewed = await shop.send('POST', `/v1/invoices/${invoice.id}/renew/`);
    expect(renewed.body.reason).toBe('InvalidState');
    const late = await shop.decide(body.result.id, true);
    expect([late.status, late.body.reason]).toEqual([409, 'InvalidState']);
  });

  it('of late money that is accepted and refunded at once: one of both', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { transaction } = await shop.late();
      const accept = () => shop.send('POST', `/v1/transactions/${transaction.id}/accept-late/`);
      const both = [accept(), shop.ask(transaction.id)];
      const answers = await Promise.all(round % 2 === 0 ? both : both.toReversed());
      const isDone = answers.map(({ status }) => status < 300);
      expect(isDone.filter(Boolean)).toHaveLength(1);
      for (const { status, body } of answers)
        if (status >= 300) expect([status, body.reason]).toEqual([409, 'InvalidState']);
      await shop.settle();
    }
  });
});

describe('a payment that can be undone', () => {
  it('is not refunded after one confirmation, and a double-spend leaves nothing refunded', async () => {
    const { id } = await shop.create();
    await shop.advance(3_600);
    const txid = await shop.pay(id);
    await shop.mine('BTC', 1);
    const [transaction] = await shop.transactions(id);
    const early = await shop.ask(transaction!.id, {}, shop.account.api);
    expect(early.body).toMatchObject({
      reason: 'InvalidState',
      message: "The transaction is confirmed: it has 1 of 6 confirmations; it can't be refunded.",
    });
    await shop.reorganise('BTC', 1, true);
    await shop.replace(txid).catch(() => {});
    await shop.mine('BTC', 6);
    const gone = await shop.ask(transaction!.id, {}, shop.account.api);
    expect(gone.body.reason).toBe('InvalidState');
    const list = await shop.send('GET', '/v1/refunds/', { invoice_id: id });
    expect(list.body.result).toEqual([]);
  });

  it('does not make an earlier payment too much', async () => {
    const { id } = await shop.create();
    await shop.pay(id, { amount: '0.002' });
    await shop.advance(10);
    await shop.pay(id, { amount: '0.002' });
    const [, second] = await shop.transactions(id);
    expect((await shop.ask(second!.id)).body.reason).toBe('InvalidState');
  });

  it('is not refunded after its block was undone, although a refund was asked for', async () => {
    const { transaction } = await shop.late();
    const { body } = await shop.ask(transaction.id);
    await shop.reorganise('BTC', 8, true);
    const decided = await shop.decide(body.result.id, true);
    expect([decided.status, decided.body.reason]).toEqual([409, 'InvalidState']);
    expect(await shop.refund(body.result.id)).toMatchObject({ status: 'requested' });
    await shop.decide(body.result.id, false);
  });
});

describe('PUT /v1/refunds/<ID>/', () => {
  it('sends the refund, approved once', async () => {
    const { transaction } = await shop.late();
    const { body } = await shop.ask(transaction.id);
    const { id } = body.result;
    const decided = await shop.decide(id, true);
    expect(decided.body.result).toMatchObject({ status: 'approved', txid: null });
    const payout = await shop.payout(decided.body.result.payout_id);
    expect(payout).toMatchObject({ status: 'new', approved_by: { username: 'Approve' } });
    const again = await shop.decide(id, true);
    expect([again.status, again.body.reason]).toEqual([409, 'InvalidState']);
    await shop.settle();
    await shop.mine('BTC', 6);
    const paid = await shop.refund(id);
    expect(paid).toMatchObject({ status: 'paid', txid: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(await shop.sent(BUYER)).toContainEqual(
      expect.objectContaining({ txid: paid.txid, amount: paid.received.amount }),
    );
  });

  it('needs a key that approves and has no limit', async () => {
    const { transaction } = await shop.late();
    const { body } = await shop.ask(transaction.id);
    const put = (key: typeof shop.account.bff) =>
      shop.send('PUT', `/v1/refunds/${body.result.id}/`, { is_approved: true }, key);
    for (const key of [shop.account.bff, shop.account.api])
      expect((await put(key)).body.reason).toBe('PermissionDenied');
    expect(await shop.refund(body.result.id)).toMatchObject({ status: 'requested' });
  });

  it('leaves a refund requested that the wallet cannot pay', async () => {
    const { transaction } = await shop.late();
    const { body } = await shop.ask(transaction.id);
    const { available } = await shop.holdings('BTC');
    const { id } = await shop.payOut({
      network_fee_pays: 'recipient',
      recipients: [{ amount: available, currency: 'BTC', address: OTHER_BUYER }],
      scheduled_at: null,
    });
    const decided = await shop.decide(body.result.id, true);
    expect(decided.body.reason).toBe('InsufficientFunds');
    expect(await shop.refund(body.result.id)).toMatchObject({
      status: 'requested',
      payout_id: null,
    });
    await shop.settle();
    await shop.fund('BTC', '10');
    expect((await shop.payout(id)).status).not.toBe('failed');
    expect((await shop.decide(body.result.id, true)).status).toBe(200);
  });
});

describe('a proven request', () => {
  it('replaces an unproven one', async () => {
    const { transaction } = await shop.late();
    const stranger = (await shop.ask(transaction.id, { address: OTHER_BUYER })).body.result;
    const { status, body } = await shop.ask(transaction.id, { is_proven: true });
    expect([status, body.result.address, body.result.is_proven]).toEqual([201, BUYER, true]);
    expect(await shop.refund(stranger.id)).toMatchObject({
      status: 'rejected',
      error: 'A request by the proven buyer replaced it',
    });
    const other = await shop.ask(transaction.id, { address: OTHER_BUYER, is_proven: true });
    expect(other.body.reason).toBe('AlreadyExists');
  });

  it('finds money under an unproven one, which it can replace', async () => {
    const { transaction, invoice } = await shop.late();
    const { body: listed } = await shop.send('GET', `/v1/invoices/${invoice.id}/refundable/`);
    expect(listed.result).toMatchObject([{ replaces: null }]);
    const stranger = (await shop.ask(transaction.id, { address: OTHER_BUYER })).body.result;
    const refundable = async () =>
      (await shop.send('GET', `/v1/invoices/${invoice.id}/refundable/`)).body.result;
    expect(await refundable()).toEqual([{ ...listed.result[0], replaces: stranger.id }]);
    const estimate = await shop.ask(transaction.id, { is_proven: true, estimate_only: true });
    expect([estimate.status, estimate.body.result.amount]).toEqual([200, stranger.amount]);
    const unproven = await shop.ask(transaction.id, { estimate_only: true });
    expect([unproven.status, unproven.body.reason]).toEqual([409, 'AlreadyExists']);
    expect((await shop.refund(stranger.id)).status).toBe('requested');
    await shop.ask(transaction.id, { is_proven: true });
    expect(await refundable()).toEqual([]);
    const late = await shop.ask(transaction.id, {
      address: OTHER_BUYER,
      is_proven: true,
      estimate_only: true,
    });
    expect([late.status, late.body.reason]).toEqual([409, 'AlreadyExists']);
  });

  it('replaces a part that the shop offered, and no more', async () => {
    const { transaction, invoice } = await shop.paid();
    await shop.offer(transaction.id, '0.0005');
    await shop.ask(transaction.id, { address: OTHER_BUYER });
    const { body } = await shop.send('GET', `/v1/invoices/${invoice.id}/refundable/`);
    expect(body.result).toMatchObject([{ cause: 'offered', amount: { amount: '0.0005' } }]);
    const proven = await shop.ask(transaction.id, { is_proven: true });
    expect(proven.body.result.amount.amount).toBe('0.0005');
    expect((await shop.transactions(invoice.id))[0]!.amount.refunded?.amount).toBe('0.0005');
  });

  it('replaces one after the price was renewed, and after the new price was paid', async () => {
    const { id } = await shop.create();
    await shop.pay(id, { amount: '0.001' });
    await shop.mine('BTC', 6);
    await shop.advance(3_600);
    const [half] = await shop.transactions(id);
    const stranger = (await shop.ask(half!.id, { address: OTHER_BUYER })).body.result;
    expect(stranger).toMatchObject({ cause: 'expired', amount: { amount: '0.001' } });
    const renewed = await shop.send('POST', `/v1/invoices/${id}/renew/`, {}, shop.account.api);
    expect(renewed.status).toBe(200);
    const refundable = async () =>
      (await shop.send('GET', `/v1/invoices/${id}/refundable/`)).body.result;
    const listed = [{ cause: 'expired', amount: { amount: '0.001' }, replaces: stranger.id }];
    expect(await refundable()).toMatchObject(listed);
    await shop.pay(id);
    await shop.mine('BTC', 6);
    expect((await shop.get(id)).status).toBe('complete');
    expect(await refundable()).toMatchObject(listed);
    const { status, body } = await shop.ask(half!.id, { is_proven: true });
    expect([status, body.result.amount.amount]).toEqual([201, '0.001']);
    expect((await shop.get(id)).status).toBe('complete');
    const [first] = await shop.transactions(id);
    expect(first!.amount.refunded?.amount).toBe('0.001');
  });

  it('estimates what it gets, also for the address of the earlier request', async () => {
    const { transaction, invoice } = await shop.paid();
    const offer = (amount: string) => shop.offer(transaction.id, amount);
    const amounts = async (more: Record<string, unknown>) => {
      const estimate = await shop.ask(transaction.id, { ...more, estimate_only: true });
      const asked = await shop.ask(transaction.id, more);
      return [estimate, asked].map(({ body }) => body.result.amount.amount);
    };
    await offer('0.0005');
    await shop.ask(transaction.id);
    await offer('0.0008');
    expect(await amounts({ is_proven: true })).toEqual(['0.0008', '0.0008']);
    await offer('0.001');
    expect(await amounts({ is_proven: true })).toEqual(['0.0008', '0.0008']);
    // More of the payment has to wait for the open refund.
    const { body } = await shop.send('GET', `/v1/invoices/${invoice.id}/refundable/`);
    expect(body.result).toEqual([]);
    expect((await shop.transactions(invoice.id))[0]!.amount.refunded?.amount).toBe('0.0008');
  });

  it('does not replace a refund that was approved', async () => {
    const { transaction, invoice } = await shop.late();
    const first = (await shop.ask(transaction.id, { address: OTHER_BUYER })).body.result;
    expect((await shop.decide(first.id, true)).status).toBe(200);
    const { body } = await shop.send('GET', `/v1/invoices/${invoice.id}/refundable/`);
    expect(body.result).toEqual([]);
    const proven = await shop.ask(transaction.id, { is_proven: true });
    expect([proven.status, proven.body.reason]).toEqual([409, 'AlreadyExists']);
  });

  it('proves an earlier request for the same address', async () => {
    const { transaction } = await shop.late();
    const first = (await shop.ask(transaction.id)).body.result;
    const { status, body } = await shop.ask(transaction.id, { is_proven: true });
    expect([status, body.result.id, body.result.is_proven]).toEqual([200, first.id, true]);
  });
});
