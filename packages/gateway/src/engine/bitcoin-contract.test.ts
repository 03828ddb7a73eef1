import { afterAll, beforeAll } from 'vitest';
import {
  startBitcoinPayer,
  type BitcoinPayer,
} from '../../../chains/test/support/bitcoin-chain.ts';
import { describeOnLitecoind } from '../../../chains/test/support/litecoind.ts';
import { describeMoney } from '../../test/contract.ts';
import { startBitcoinMoney } from '../../test/support/bitcoin-money.ts';

const except = {
  failed: 'a block contains no transaction that fails',
  expired: 'transactions of these chains do not run out',
  expired_twice: 'transactions of these chains do not run out',
  largest: 'a test chain has fewer coins; its amounts are exact: chains/src/bitcoin',
};

const CHAINS = ['bitcoin', 'litecoin', 'dogecoin'] as const;
/** `npm test` draws one of the chains; `npm run nightly` runs all. */
const seed = process.env['SAMPLE_SEED'];
const sample = seed === undefined ? CHAINS : [CHAINS[Number(seed) % CHAINS.length]!];

describeOnLitecoind('On the code of Bitcoin Core', () => {
  let payer: BitcoinPayer;
  beforeAll(async () => {
    payer = await startBitcoinPayer();
  });
  afterAll(() => payer?.stop());
  for (const chain of sample)
    describeMoney(chain, { create: () => startBitcoinMoney(payer, chain), except });
});
