import { afterAll, beforeAll } from 'vitest';
import { describeFacts, type FactCase } from '../../../test/contract.ts';
import { describeOnLitecoind } from '../../../test/support/litecoind.ts';
import {
  startLightningNetwork,
  type LightningNetwork,
} from '../../../test/support/lightning/lightning-network.ts';
import { startLndChain } from '../../../test/support/lightning/lnd-chain.ts';

const ONE_REQUEST = 'a lightning payment pays one request, once';
const NO_BLOCKS = 'a settled lightning payment is final, and in no block';
const except: Partial<Record<FactCase, string>> = {
  largest: 'no channel is that large',
  twice_in_a_block: ONE_REQUEST,
  several_outputs_to_one: ONE_REQUEST,
  outputs_to_several: ONE_REQUEST,
  mempool: NO_BLOCKS,
  dropped: NO_BLOCKS,
  replaced_away: NO_BLOCKS,
  replaced_to_us: NO_BLOCKS,
  failed: NO_BLOCKS,
  reorganised_by_one: NO_BLOCKS,
  reorganised_by_three: NO_BLOCKS,
  reorganised_away: NO_BLOCKS,
  reorganised_while_stopped: NO_BLOCKS,
  in_portions: 'there are no empty blocks; payments: adapter.test.ts',
  behind: NO_BLOCKS,
};

describeOnLitecoind('LND', () => {
  let network: LightningNetwork;
  beforeAll(async () => {
    network = await startLightningNetwork();
  }, 120_000);
  afterAll(() => network.stop());

  describeFacts('BTC over LND', { create: () => startLndChain(network), except });
});
