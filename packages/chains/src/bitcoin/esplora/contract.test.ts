import { afterAll, beforeAll } from 'vitest';
import { describeFacts } from '../../../test/contract.ts';
import { startBitcoinPayer, type BitcoinPayer } from '../../../test/support/bitcoin-chain.ts';
import { openEsploraChain } from '../../../test/support/esplora/esplora-chain.ts';
import { describeOnLitecoind } from '../../../test/support/litecoind.ts';

const except = {
  failed: 'a block contains no transaction that fails',
  largest: 'a test chain has fewer coins; its amounts are exact: adapter.test.ts',
};

const CHAINS = ['bitcoin', 'litecoin', 'dogecoin'] as const;
/** `npm test` draws one of the chains; `npm run nightly` runs all. */
const seed = process.env['SAMPLE_SEED'];
const sample = seed === undefined ? CHAINS : [CHAINS[Number(seed) % CHAINS.length]!];

describeOnLitecoind('Through a service with the interface of Esplora', () => {
  let payer: BitcoinPayer;
  beforeAll(async () => {
    payer = await startBitcoinPayer();
  });
  afterAll(() => payer?.stop());
  for (const chain of sample)
    describeFacts(chain, { create: () => openEsploraChain(payer, chain), except });
});
