import { describe, expect, it } from 'vitest';
import { SHOP_ORIGIN, setUp } from '../../test/support/bench.ts';

const catalogue = {
  mug: { description: 'Mug', amount: '18.50', currency: 'USD', max_quantity: 5 },
  poster: { description: 'Poster', amount: '9', currency: 'USD' },
};
const ask = async (body: object, options: Parameters<typeof setUp>[0] = { catalogue }) =>
  setUp(options).post('/checkouts', body, { origin: SHOP_ORIGIN });

describe('an item of the catalogue', () => {
  it('has the price of the catalogue times the quantity', async () => {
    for (const [body, amount, description] of [
      [{ item: 'mug' }, '18.50', 'Mug'],
      [{ item: 'mug', quantity: 2 }, '37.00', '2 × Mug'],
      [
        { item: 'mug', quantity: null, success_url: `${SHOP_ORIGIN}/thanks`, cart: 7 },
        '18.50',
        'Mug',
      ],
      [{ item: 'poster', quantity: 1 }, '9.00', 'Poster'],
    ] as const) {
      const answer = await ask(body);
      expect([
        answer.status,
        answer.body.order.amount?.amount,
        answer.body.order.description,
      ]).toEqual([201, amount, description]);
    }
  });

  it.each<[body: object, field: string, message: string]>([
    [{ item: 'mugg' }, 'item', 'The catalogue has no item "mugg"; is "mug" meant?'],
    [{ item: 'hat' }, 'item', 'The catalogue has no item "hat".'],
    [{ item: 'toString' }, 'item', 'The catalogue has no item "toString".'],
    [{ item: 5 }, 'item', 'item must be the id of an item in the catalogue, as a text, not 5.'],
    [
      { item: null },
      'item',
      'item is missing, and must be the id of an item in the catalogue, as a text.',
    ],
    [
      { item: 'mug', quantity: 9 },
      'quantity',
      'quantity of "mug" must be a whole number from 1 to 5, not 9.',
    ],
    [
      { item: 'mug', quantity: '2' },
      'quantity',
      'quantity of "mug" must be a whole number from 1 to 5, not "2".',
    ],
    [
      { item: 'mug', quantity: 0 },
      'quantity',
      'quantity of "mug" must be a whole number from 1 to 5, not 0.',
    ],
    [
      { item: 'mug', quantity: 1.5 },
      'quantity',
      'quantity of "mug" must be a whole number from 1 to 5, not 1.5.',
    ],
    [
      { item: 'poster', quantity: 2 },
      'quantity',
      'quantity of "poster" must be 1 (the catalogue has no max_quantity for it), not 2.',
    ],
    [{ item: 'mug', quantiy: 2 }, 'quantiy', 'quantiy is unknown; is quantity meant?'],
    [
      { item: 'mug', sucess_url: 'https://x.test/' },
      'sucess_url',
      'sucess_url is unknown; is success_url meant?',
    ],
    [
      { item: 'mug', amount: '1' },
      'amount',
      'amount is not allowed with an item: its price and terms come from the catalogue. Leave it out.',
    ],
    [
      { item: 'mug', order_id: 'A-1' },
      'order_id',
      'order_id is not allowed with an item: its price and terms come from the catalogue. Leave it out.',
    ],
  ])('%j gets an error that names the mistake', async (body, field, message) => {
    const answer = await ask(body);
    expect([answer.status, answer.body.reason, answer.body.message]).toEqual([
      400,
      'ValidationError',
      message,
    ]);
    expect(answer.body.errors).toEqual([{ field, message }]);
  });

  it('has no success link outside SUCCESS_ORIGINS', async () => {
    const bench = setUp({ catalogue });
    const paid = async (success_url: string) => {
      const { status, body } = await bench.post(
        '/checkouts',
        { item: 'mug', success_url },
        { origin: SHOP_ORIGIN },
      );
      const { payment } = (await bench.post(`/checkouts/${body.id}/payment`, { kind: 'BTC' })).body;
      await bench.call(
        'transaction_confirmed',
        bench.service.pay(payment.invoice_id, { confirmations: 1 }).id,
      );
      const { stage, success_url: followed } = (await bench.get(`/checkouts/${body.id}`)).body;
      return [status, stage, followed];
    };
    expect(await paid(`${SHOP_ORIGIN}/thanks`)).toEqual([201, 'paid', `${SHOP_ORIGIN}/thanks`]);
    expect(await paid('https://evil.test/thanks')).toEqual([201, 'paid', null]);
  });

  it('is rejected without a catalogue, with the name of the setting', async () => {
    const { status, body } = await ask({ item: 'mug' }, {});
    expect([status, body.message]).toEqual([
      400,
      'No catalogue is configured; set CATALOGUE to its file.',
    ]);
  });
});
