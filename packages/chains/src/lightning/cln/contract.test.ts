import { afterAll, beforeAll } from 'vitest';
import { describeFacts } from '../../../test/contract.ts';
import { startClnChain } from '../../../test/support/lightning/cln-chain.ts';
import {
  startLightningNetwork,
  type LightningNetwork,
} from '../../../test/support/lightning/lightning-network.ts';
import { NOT_OVER_LIGHTNING } from '../../../test/support/lightning/node-chain.ts';
import { describeOnLitecoind } from '../../../test/support/litecoind.ts';

describeOnLitecoind('Core Lightning', () => {
  let network: LightningNetwork;
  beforeAll(async () => {
    network = await startLightningNetwork();
  }, 120_000);
  afterAll(() => network.stop());

  describeFacts('BTC over Core Lightning', {
    create: () => startClnChain(network),
    except: NOT_OVER_LIGHTNING,
  });
});
