import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BUYER, OTHER_BUYER, refundShop, type RefundShop } from '../../../test/support/refunds.ts';
import type { Io } from '../io.ts';
import { createProgram } from '../program.ts';

let shop: RefundShop;
let out: string[];
let notes: string[];
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

beforeAll(async () => {
  shop = await refundShop();
});
afterAll(() => shop.close());
beforeEach(() => {
  [out, notes] = [[], []];
});

const io: Io = {
  config: () => shop.context.config,
  open: async () => ({ context: shop.context, close: async () => {} }),
  input: () => Buffer.alloc(0),
  out: (line) => out.push(line),
  note: (line) => notes.push(line),
  progress: () => {},
  resolve: async () => [],
};
const run = (...words: string[]): Promise<unknown> =>
  createProgram(io).parseAsync(['refunds', ...words], { from: 'user' });
/** The result with `--json`. */
const ask = async (...words: string[]) => {
  out = [];
  await run(...words, '--json');
  return JSON.parse(out.join('\n'));
};
/** A buyer's request; its refund's id. */
async function request(address = BUYER): Promise<string> {
  const { transaction } = await shop.late({ order_id: 'A-1042' });
  return (await shop.ask(transaction.id, { address })).body.result.id;
}

describe('refunds', () => {
  it('lists what waits for the shop, approves it once, and its money is sent', async () => {
    await run('list');
    expect(notes).not.toEqual([]);
    const id = await request();
    const [waiting] = await ask('list');
    expect(waiting).toMatchObject({
      id,
      status: 'requested',
      order_id: 'A-1042',
      cause: 'late',
      txid: null,
      address: BUYER,
      destination_tag: null,
      is_proven: false,
    });
    const { amount, received } = await shop.refund(id);
    expect(waiting.amount).toBe(`${amount.amount} BTC`);
    expect(waiting.received).toBe(`${received.amount} BTC`);
    expect(received.amount).not.toBe(amount.amount);
    expect(await ask('approve', id)).toMatchObject({ id, status: 'approved', order_id: 'A-1042' });
    await expect(run('approve', id)).rejects.toThrow('The refund is approved: only one');
    expect(await ask('list')).toEqual([]);
    await shop.settle();
    await shop.mine('BTC', 6);
    const [paid] = await ask('list', '--status', 'paid');
    expect(paid.id).toBe(id);
    expect(await shop.payout(paid.payout_id)).toMatchObject({
      approved_by: { username: 'command line', email: null },
    });
    const sent = (await shop.sent(BUYER)).map(({ txid }) => txid);
    expect(sent).toEqual([(await shop.refund(id)).txid]);
    expect(paid.txid).toBe(sent[0]);
  });

  it('rejects a refund, and its transaction counts again', async () => {
    const id = await request(OTHER_BUYER);
    expect(await ask('reject', id)).toMatchObject({
      id,
      status: 'rejected',
      received: null,
      payout_id: null,
    });
    await expect(run('approve', id)).rejects.toThrow(/rejected/);
    await shop.settle();
    expect(await shop.sent(OTHER_BUYER)).toEqual([]);
    const [rejected] = await ask('list', '--status', 'rejected');
    const { transaction_id } = rejected;
    expect((await shop.ask(transaction_id)).status).toBe(201);
  });

  it('says that an id is unknown, and lists no refund of a status that there is not', async () => {
    for (const id of [UNKNOWN, 'nonsense'])
      await expect(run('approve', id)).rejects.toThrow(`No refund has the id ${id}.`);
    await expect(run('list', '--status', 'payed')).rejects.toThrow(/paid/);
  });
});
