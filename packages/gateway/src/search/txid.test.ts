import { CHAINS, type ChainId } from '@crypto-checkout/protocol/kind';
import { expect, it } from 'vitest';
import { randomTxid } from '../sandbox/identifier.ts';
import { testIds } from '../../test/support/context.ts';
import { txidForms } from './txid.ts';

const ids = testIds();
const CHAIN_IDS = Object.keys(CHAINS) as ChainId[];

it.each(CHAIN_IDS.filter((chain) => chain !== 'solana'))(
  'finds an id of %s in either case',
  (chain) => {
    const txid = randomTxid(chain, ids);
    for (const text of [txid, txid.toLowerCase(), txid.toUpperCase()])
      expect(txidForms(text)).toContain(txid);
  },
);

it.each([
  '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW',
  'NCr7jP3a1Kyk9M0Y4EGtWxrLpvDgcbMbZ4mCTVQyKdo=',
])('is case-sensitive for the non-hex id %s', (txid) => {
  expect(txidForms(txid)).toEqual([txid]);
});
