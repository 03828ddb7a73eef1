import type { ChainAdapter, Liquidity } from '@crypto-checkout/chains/adapter';
import { UnavailableError } from '@crypto-checkout/chains/error';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { testShop, type TestShop } from '../../test/support/shop.ts';
import { watchLiquidity } from './liquidity.ts';

let shop: TestShop;
let now: Liquidity | null;
beforeAll(async () => {
  shop = await testShop({ chains: ['lightning'] });
  const chains = shop.context.chains as Map<string, ChainAdapter>;
  chains.set('lightning', {
    ...chains.get('lightning')!,
    async liquidity() {
      if (now === null) throw new UnavailableError('The node does not answer');
      return now;
    },
  });
});
afterAll(() => shop.close());
beforeEach(() => void (now = channels('0.5', '0.5')));

const channels = (receivable: string, sendable: string, count = 2): Liquidity => ({
  channels: count,
  receivable: parseAmount(receivable),
  sendable: parseAmount(sendable),
});

/** The alarms after a look, by their beginnings. */
async function alarms(): Promise<string[]> {
  await watchLiquidity(shop.context);
  const rows = await shop.context.db.selectFrom('alarm').select('reason').execute();
  return rows.map(({ reason }) => reason.split(':')[0]!);
}
const RECEIVE = 'The channels can receive less than a tenth of their capacity';
const SEND = 'The channels can send less than a tenth of their capacity';

it('an alarm is raised before nothing can be received, and goes when there is more again', async () => {
  expect(await alarms()).toEqual([]);
  now = channels('0.0999', '0.9001');
  expect(await alarms()).toEqual([RECEIVE]);
  expect(await alarms()).toEqual([RECEIVE]);
  now = channels('0.1', '0.9');
  expect(await alarms()).toEqual([]);
});

it('an alarm is raised before nothing can be sent, where the service pays at all', async () => {
  now = channels('0.95', '0.05');
  expect(await alarms()).toEqual([SEND]);
  const senders = shop.context.senders as Map<string, ChainSender>;
  const sender = senders.get('lightning')!;
  senders.delete('lightning');
  expect(await alarms()).toEqual([]);
  senders.set('lightning', sender);
});

it('an alarm is raised without a usable channel', async () => {
  now = channels('0', '0', 0);
  expect(await alarms()).toEqual(['The lightning node has no usable channel']);
  now = channels('0.5', '0.5');
  expect(await alarms()).toEqual([]);
});

it('a node that does not answer neither raises an alarm nor ends one', async () => {
  now = null;
  expect(await alarms()).toEqual([]);
  now = channels('0.01', '0.99');
  expect(await alarms()).toEqual([RECEIVE]);
  now = null;
  expect(await alarms()).toEqual([RECEIVE]);
});
