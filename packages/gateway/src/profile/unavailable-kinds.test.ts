import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import { type ChainId, kindOf } from '@crypto-checkout/protocol/kind';
import type { Profile } from '@crypto-checkout/protocol/schema/profile';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { call, testAccount } from '../../test/support/call.ts';
import { testShop, type TestShop } from '../../test/support/shop.ts';
import { createApp } from '../app.ts';
import { saveScanFailure } from '../engine/standstill.ts';

let shop: TestShop;
let app: ReturnType<typeof createApp>;
let asked: number;
beforeEach(async () => {
  shop = await testShop({ chains: ['bitcoin', 'litecoin', 'lightning'] });
  await shop.settle();
  app = createApp(shop.context);
  asked = 0;
});
afterEach(() => shop.close());

/** The adapter with other members. Its node counts how often it is asked. */
function change(chain: ChainId, members: Partial<ChainAdapter>): void {
  const chains = shop.context.chains as Map<ChainId, ChainAdapter>;
  const count = async (): Promise<never> => {
    asked += 1;
    throw new Error('The node was asked');
  };
  chains.set(chain, { ...chains.get(chain)!, health: count, liquidity: count, ...members });
}

/** Lets minutes pass without a scan of the chain. */
async function pass(chain: ChainId, minutes: number): Promise<void> {
  shop.context.clock.advance(minutes * 60_000);
  await sql`
    update chain_cursor set scanned_at_real = scanned_at_real - make_interval(mins => ${minutes})
    where chain = ${chain}`.execute(shop.context.db);
}

/** Chains of the marked coins, as a reader of the profile sees them. */
async function unavailable(path = `/v1/profiles/${shop.profileId}/`): Promise<string[]> {
  const { body } = await call(app, (await testAccount(shop.context)).api, 'GET', path);
  const [first] = [body.result as Profile | Profile[]].flat();
  const marked = first!.currencies.filter((currency) => currency.unavailable === true);
  return [...new Set(marked.map(({ kind }) => kindOf(kind)?.chain ?? kind))];
}

it('marks no coin while all chains are read', async () => {
  expect(await unavailable()).not.toContain('bitcoin');
  expect(await unavailable()).not.toContain('lightning');
});

it('marks the coins of a chain whose node did not answer yet, without asking it', async () => {
  change('litecoin', { kinds: [] });
  for (const path of [undefined, '/v1/profiles/'])
    expect(await unavailable(path)).toContain('litecoin');
  expect(await unavailable()).not.toContain('bitcoin');
  expect(asked).toBe(0);
});

it('marks lightning while its channels can receive nothing', async () => {
  change('lightning', { kinds: [] });
  expect(await unavailable()).toContain('lightning');
  expect(asked).toBe(0);
});

it('marks the coins of a chain whose scan stands still, until it goes on', async () => {
  await pass('litecoin', 4);
  expect(await unavailable()).not.toContain('litecoin');
  await pass('litecoin', 2);
  expect(await unavailable()).toContain('litecoin');
  expect(await unavailable()).not.toContain('bitcoin');
  await shop.settle();
  expect(await unavailable()).not.toContain('litecoin');
});

it('marks lightning a minute after its node failed, for the node makes the requests', async () => {
  await pass('lightning', 2);
  expect(await unavailable()).not.toContain('lightning');
  await saveScanFailure(shop.context.db, 'lightning', 'The node does not answer');
  expect(await unavailable()).toContain('lightning');
  await shop.settle();
  expect(await unavailable()).not.toContain('lightning');
});

it('is read before a write: an answer of 500 means that nothing was written', async () => {
  const { api } = await testAccount(shop.context);
  const path = `/v1/profiles/${shop.profileId}/`;
  const write = { name: 'Second', currencies: [] };
  const { body } = await call(app, api, 'POST', '/v1/profiles/', write);
  const second = `/v1/profiles/${(body.result as Profile).id}/`;
  const list = async () => (await call(app, api, 'GET', '/v1/profiles/')).body;
  const before = await list();
  await sql`alter table scan_failure rename to scan_failure_elsewhere`.execute(shop.context.db);
  for (const [method, to] of [
    ['POST', '/v1/profiles/'],
    ['PUT', path],
    ['DELETE', second],
  ] as const)
    expect((await call(app, api, method, to, { ...write, name: 'Third' })).status).toBe(500);
  await sql`alter table scan_failure_elsewhere rename to scan_failure`.execute(shop.context.db);
  expect(await list()).toEqual(before);
});
