import { afterAll, beforeAll } from 'vitest';
import { describeFacts } from '../../test/contract.ts';
import {
  openBitcoinChain,
  startBitcoinPayer,
  type BitcoinPayer,
} from '../../test/support/bitcoin-chain.ts';
import { describeOnLitecoind } from '../../test/support/litecoind.ts';

const except = {
  failed: 'a block contains no transaction that fails',
  largest: 'a test chain has fewer coins; its amounts are exact: adapter.test.ts',
};

describeOnLitecoind('On the code of Bitcoin Core', () => {
  let payer: BitcoinPayer;
  beforeAll(async () => {
    payer = await startBitcoinPayer();
  });
  afterAll(() => payer?.stop());
  for (const chain of ['bitcoin', 'litecoin', 'dogecoin'] as const)
    describeFacts(chain, { create: () => openBitcoinChain(payer, chain), except });
});
