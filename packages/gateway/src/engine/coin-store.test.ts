import type { BitcoinPlan } from '@crypto-checkout/chains/sender';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testDatabase, type TestDatabase } from '../../test/support/database.ts';
import { transact } from '../database/database.ts';
import {
  changeKeysAmong,
  nextChangeIndex,
  releaseChangeKey,
  takenInputs,
  watchFunding,
} from './coin-store.ts';
import { savePlan } from './sending/outgoing-store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database?.close());

it('the funding address stays watched when a plan of an earlier version gives its key back', async () => {
  const { db } = database;
  const address = 'bcrt1qfunding';
  await watchFunding(db, 'bitcoin', address);
  // Before there was a funding address, the first plan had its change there.
  const plan: BitcoinPlan = {
    family: 'bitcoin',
    chain: 'bitcoin',
    network: 'regtest',
    inputs: [],
    outputs: [],
    change: { index: 0, address, units: '1' },
    height: 1,
  };
  await transact(db, (trx) => releaseChangeKey(trx, plan));
  expect([...(await changeKeysAmong(db, [`bitcoin:${address}`])).values()]).toEqual([0]);
  expect(await nextChangeIndex(db, 'bitcoin')).toBe(1);
});

it('an output that an open plan spends is in no second one, also of two processes at once', async () => {
  const { db } = database;
  const outpoint = `${'a'.repeat(64)}:0`;
  const plan: BitcoinPlan = {
    family: 'bitcoin',
    chain: 'litecoin',
    network: 'regtest',
    inputs: [{ outpoint, units: '1000', branch: 0, index: 0, address: 'rltc1qowner' }],
    outputs: [],
    change: null,
    height: 1,
  };
  const save = () =>
    transact(db, (trx) =>
      savePlan(trx, {
        id: crypto.randomUUID(),
        purpose: 'payout',
        chain: 'litecoin',
        lane: null,
        nonce: null,
        plan,
        inputs: [outpoint],
      }),
    );
  const results = await Promise.allSettled([save(), save(), save()]);
  expect(results.map(({ status }) => status).toSorted()).toEqual([
    'fulfilled',
    'rejected',
    'rejected',
  ]);
  expect(await takenInputs(db, 'litecoin')).toEqual([outpoint]);
});
