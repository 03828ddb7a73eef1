import { afterAll, beforeAll } from 'vitest';
import {
  startLightningNetwork,
  type LightningNetwork,
} from '../../../chains/test/support/lightning/lightning-network.ts';
import { describeOnLitecoind } from '../../../chains/test/support/litecoind.ts';
import { describeMoney, type MoneyCase } from '../../test/contract.ts';
import { startClnMoney, startLndMoney } from '../../test/support/lightning-money.ts';

const ONE_REQUEST = 'a lightning payment pays one request, once';
const NO_BLOCKS = 'a settled lightning payment is final, and in no block';
const except: Partial<Record<MoneyCase, string>> = {
  under: 'the node refuses less than the request asks for',
  smallest: 'the invoices of these cases ask for more; chains/src/lightning/lnd has the case',
  dust: 'a channel carries every amount, and an invoice is paid whole',
  largest: 'no channel is that large',
  late: 'the node refuses a payment after the request ran out',
  twice_in_a_block: ONE_REQUEST,
  several_outputs_to_one: ONE_REQUEST,
  outputs_to_several: ONE_REQUEST,
  dropped: NO_BLOCKS,
  replaced_away: NO_BLOCKS,
  replaced_to_us: NO_BLOCKS,
  failed: NO_BLOCKS,
  reorganised_by_one: NO_BLOCKS,
  reorganised_by_three: NO_BLOCKS,
  reorganised_away: NO_BLOCKS,
  reorganised_while_stopped: NO_BLOCKS,
  payout_to_invoice: 'a node does not pay itself',
  bump: NO_BLOCKS,
  cancel: NO_BLOCKS,
  expired: NO_BLOCKS,
  expired_twice: NO_BLOCKS,
};

describeOnLitecoind('lightning nodes', () => {
  let network: LightningNetwork;
  beforeAll(async () => {
    network = await startLightningNetwork();
  }, 120_000);
  afterAll(() => network.stop());

  describeMoney('BTC over LND', { create: () => startLndMoney(network), except });
  describeMoney('BTC over Core Lightning', { create: () => startClnMoney(network), except });
});
