import type { ChainAdapter, MempoolFacts } from '@crypto-checkout/chains/adapter';
import type { Db } from '../database/database.ts';
import { describe, expect, it } from 'vitest';
import { openChecks } from './open.ts';
import type { PaymentFacts } from './check.ts';

const SAFE: MempoolFacts = { replaceable: false, unconfirmedParents: 0, feeRate: 12 };
const payment = { chain: 'bitcoin', txid: 'aa' } as PaymentFacts;
const none = new AbortController().signal;

function checkWith(adapter: Partial<ChainAdapter>) {
  const chains = new Map([['bitcoin', adapter as ChainAdapter]] as const);
  return openChecks({ config: { riskRules: [] }, db: {} as Db, chains }).zeroConf;
}
const isSafe = (facts: MempoolFacts | null): Promise<boolean> =>
  checkWith({ mempoolFacts: async () => facts }).isSafe(payment, none);

describe('a payment without a confirmation', () => {
  it.each<[string, Partial<MempoolFacts>, boolean]>([
    ['final in the mempool', {}, true],
    ['without a fee by size', { feeRate: null }, true],
    ['replaceable', { replaceable: true }, false],
    ['from unconfirmed money', { unconfirmedParents: 1 }, false],
    ['below the fee that nodes relay', { feeRate: 0.9 }, false],
    ['with the fee of the next block', { nextBlockRate: 12 }, true],
    ['below the fee of the next block', { nextBlockRate: 12.1 }, false],
    ['on a quiet chain without an estimate', { nextBlockRate: null }, true],
  ])('%s', async (_, facts, safe) => {
    expect(await isSafe({ ...SAFE, ...facts })).toBe(safe);
  });

  it('is not decided while the mempool does not have it', async () => {
    await expect(isSafe(null)).rejects.toThrow('The mempool of bitcoin does not have aa');
  });

  it('is covered only where the chain shows its mempool', () => {
    expect(checkWith({}).covers!('bitcoin')).toBe(false);
    expect(checkWith({ mempoolFacts: async () => SAFE }).covers!('bitcoin')).toBe(true);
  });
});
