import { afterAll, beforeAll, expect, it } from 'vitest';
import type { UnlistedTransfer } from '@crypto-checkout/chains/adapter';
import { testContext, type TestContext } from '../../test/support/context.ts';
import { transact } from '../database/database.ts';
import { listUnlisted, saveUnlisted } from './unlisted-tokens.ts';

let context: TestContext;
beforeAll(async () => {
  context = await testContext();
});
afterAll(() => context?.close());

const transfer = (number: number): UnlistedTransfer => ({
  key: `0x${number}:0`,
  txid: `0x${number}`,
  contract: '0x00000000000000000000000000000000000000aa',
  watchKey: 'evm:0x00000000000000000000000000000000000000bb',
  units: 2n ** 255n,
  height: number,
});
const save = (transfers: UnlistedTransfer[]) =>
  transact(context.db, (trx) =>
    saveUnlisted(trx, 'ethereum', transfers, '2026-11-21T06:00:00.000Z'),
  );

it('unlisted tokens are kept once each, and the newest 1,000 of a chain', async () => {
  const all = Array.from({ length: 1_200 }, (_, number) => transfer(number));
  await save(all.slice(0, 600));
  await save(all.slice(0, 600));
  expect(await listUnlisted(context.db, 2_000)).toHaveLength(600);
  await save(all.slice(600));
  const kept = await listUnlisted(context.db, 2_000);
  expect(kept).toHaveLength(1_000);
  expect(kept[0]).toMatchObject({
    chain: 'ethereum',
    contract: transfer(0).contract,
    units: (2n ** 255n).toString(),
    address: '0x00000000000000000000000000000000000000bb',
    txid: '0x1199',
  });
  expect(kept.at(-1)!.txid).toBe('0x200');
});
