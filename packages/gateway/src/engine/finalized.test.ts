import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import { loadConfig } from '../config.ts';
import { payoutFundsAt } from '../settlement/settle-transactions.ts';
import { testShop, type TestShop } from '../../test/support/shop.ts';
import { scanChain } from './scan.ts';

// The chain's own finalized block, where it has one: Ethereum names one long after the final depth,
// Polygon before it.

let shop: TestShop;
/** The block that each chain calls finalized now. */
let finalized: number | undefined;

beforeEach(async () => {
  finalized = undefined;
  const config = loadConfig({
    SECRETS_KEY: '00'.repeat(32),
    LOG_LEVEL: 'silent',
    PAYOUT_FUNDS_AT: 'final',
  });
  shop = await testShop({ chains: ['ethereum', 'polygon'], overrides: { config } });
  for (const chain of ['ethereum', 'polygon'] as const) {
    const sandbox = shop.context.chains.get(chain)!;
    (shop.context.chains as Map<ChainId, ChainAdapter>).set(chain, {
      ...sandbox,
      async scan(...scan) {
        const { finalized: _own, ...result } = await sandbox.scan(...scan);
        return finalized === undefined ? result : { ...result, finalized };
      },
    });
  }
});
afterEach(() => shop.close());

async function heightOf(chain: ChainId): Promise<number> {
  const { rows } = await sql<{ block_height: number }>`
    select block_height from transaction where chain = ${chain}`.execute(shop.context.db);
  return rows[0]!.block_height;
}

async function alarms(): Promise<string[]> {
  const rows = await shop.context.db.selectFrom('alarm').select('reason').execute();
  return rows.map(({ reason }) => reason);
}

it('a complete payment can be paid out when its block is finalized, also without a new block', async () => {
  const invoice = await shop.create({ kind: 'ETH' });
  await shop.pay(invoice.id);
  await shop.mine('ETH', 12);
  expect(await shop.get(invoice.id)).toMatchObject({ status: 'complete' });
  expect(await shop.balance('ETH')).toMatchObject({ available: '0' });
  finalized = (await heightOf('ethereum')) - 1;
  await shop.settle();
  expect(await shop.balance('ETH')).toMatchObject({ available: '0' });
  finalized += 1;
  await shop.settle();
  expect(await shop.balance('ETH')).toMatchObject({ pending: '0', frozen: '0' });
  expect((await shop.balance('ETH')).available).not.toBe('0');
  expect(await shop.events(invoice.id)).toEqual([
    'invoice_pending',
    'invoice_confirmed',
    'invoice_complete',
  ]);
});

it('a payment is complete at its finalized block where the chain names one before its final depth', async () => {
  const invoice = await shop.create({ kind: 'POL' });
  await shop.pay(invoice.id);
  await shop.mine('POL', 3);
  expect(await shop.get(invoice.id)).toMatchObject({ status: 'paid' });
  finalized = await heightOf('polygon');
  await shop.settle();
  expect(await shop.get(invoice.id)).toMatchObject({ status: 'complete' });
  expect((await shop.balance('POL')).available).not.toBe('0');
});

it('a payment that leaves its block before it is finalized is frozen until another one is', async () => {
  const invoice = await shop.create({ kind: 'ETH' });
  await shop.pay(invoice.id);
  await shop.mine('ETH', 12);
  await shop.reorganise('ETH', 12);
  expect(await shop.balance('ETH')).toMatchObject({ available: '0', pending: '0' });
  await shop.mine('ETH', 12);
  expect(await shop.balance('ETH')).toMatchObject({ available: '0', frozen: '0' });
  finalized = await heightOf('ethereum');
  await shop.settle();
  expect(await shop.balance('ETH')).toMatchObject({ pending: '0', frozen: '0' });
  expect((await shop.balance('ETH')).available).not.toBe('0');
});

it('an alarm says that a node has named no new finalized block for two hours', async () => {
  const invoice = await shop.create({ kind: 'ETH' });
  await shop.pay(invoice.id);
  await shop.mine('ETH', 12);
  const late = sql`update chain_cursor set finalized_at_real = clock_timestamp() - interval '121 minutes'`;
  await late.execute(shop.context.db);
  // The block is new, so nothing is late.
  finalized = 1;
  await scanChain(shop.context, 'ethereum');
  expect(await alarms()).toEqual([]);
  await late.execute(shop.context.db);
  await scanChain(shop.context, 'ethereum');
  await scanChain(shop.context, 'ethereum');
  expect(await alarms()).toEqual([
    'The node has named no new finalized block for 120 minutes: payments stay pending (PAYOUT_FUNDS_AT)',
  ]);
  finalized = 2;
  await scanChain(shop.context, 'ethereum');
  expect(await alarms()).toEqual([]);
});

it.each([
  ['mainnet', 'final'],
  ['testnet', 'confirmed'],
] as const)('on a %s money can be paid out when it is %s, without a setting', (network, funds) => {
  const config = loadConfig({ SECRETS_KEY: '00'.repeat(32) });
  expect(payoutFundsAt({ config, network })).toBe(funds);
});
