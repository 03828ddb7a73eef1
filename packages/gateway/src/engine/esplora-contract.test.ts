import { afterAll, beforeAll } from 'vitest';
import {
  startBitcoinPayer,
  type BitcoinPayer,
} from '../../../chains/test/support/bitcoin-chain.ts';
import { openEsploraChain } from '../../../chains/test/support/esplora/esplora-chain.ts';
import { describeOnLitecoind } from '../../../chains/test/support/litecoind.ts';
import { describeMoney } from '../../test/contract.ts';
import { startBitcoinMoney } from '../../test/support/bitcoin-money.ts';

const except = {
  failed: 'a block contains no transaction that fails',
  expired: 'transactions of these chains do not run out',
  expired_twice: 'transactions of these chains do not run out',
  largest: 'a test chain has fewer coins; its amounts are exact: chains/src/bitcoin',
};

describeOnLitecoind('Through a service with the interface of Esplora', () => {
  let payer: BitcoinPayer;
  beforeAll(async () => {
    payer = await startBitcoinPayer();
  });
  afterAll(() => payer?.stop());
  describeMoney('bitcoin', {
    create: () => startBitcoinMoney(payer, 'bitcoin', undefined, openEsploraChain),
    except,
  });
});
