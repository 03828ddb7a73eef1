import { afterAll, beforeAll } from 'vitest';
import { describeFacts } from '../../../test/contract.ts';
import { describeOnLitecoind } from '../../../test/support/litecoind.ts';
import {
  startLightningNetwork,
  type LightningNetwork,
} from '../../../test/support/lightning/lightning-network.ts';
import { startLndChain } from '../../../test/support/lightning/lnd-chain.ts';
import { NOT_OVER_LIGHTNING } from '../../../test/support/lightning/node-chain.ts';

describeOnLitecoind('LND', () => {
  let network: LightningNetwork;
  beforeAll(async () => {
    network = await startLightningNetwork();
  }, 120_000);
  afterAll(() => network.stop());

  describeFacts('BTC over LND', {
    create: () => startLndChain(network),
    except: NOT_OVER_LIGHTNING,
  });
});
