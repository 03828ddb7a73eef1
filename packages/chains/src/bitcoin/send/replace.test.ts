import { afterAll, beforeAll, expect, it } from 'vitest';
import { keys } from '../../../test/support/bitcoin-chain.ts';
import {
  describeOnLitecoind,
  jsonRpcOf,
  startLitecoind,
  type Litecoind,
} from '../../../test/support/litecoind.ts';
import type { BitcoinPlan } from '../../sender.ts';
import { bitcoinNetwork } from '../network.ts';
import type { Coin } from './coins.ts';
import { changeAddress, ownAddress } from './own-key.ts';
import { replaceBitcoin } from './replace.ts';
import { createBitcoinSendNode } from './send-node.ts';

const network = bitcoinNetwork('bitcoin', 'regtest');
const address = ownAddress(keys, network, { branch: 0, index: 0 }, 'bech32');

describeOnLitecoind('the replacement of a small transaction', () => {
  let node: Litecoind;
  beforeAll(async () => {
    node = await startLitecoind();
  });
  afterAll(() => node?.stop());

  it('cancels it only with an output left, for one without outputs is invalid', async () => {
    const plan: BitcoinPlan = {
      family: 'bitcoin',
      chain: 'bitcoin',
      network: 'regtest',
      inputs: [{ outpoint: `${'a'.repeat(64)}:0`, units: '2500', branch: 0, index: 0, address }],
      outputs: [{ address: changeAddress(keys, network, 7), units: '1500' }],
      change: null,
      height: 1,
    };
    const coins = (): Promise<Coin[]> => Promise.resolve([]);
    const wallet = {
      network,
      keys,
      coins,
      node: createBitcoinSendNode(jsonRpcOf(node), 'bitcoin'),
      minConfirmations: 1,
      nextChange: () => Promise.resolve(0),
    };
    await expect(replaceBitcoin(wallet, { plans: [plan], intent: 'cancel' })).rejects.toThrow(
      'The coins that can be spent now are not enough for a higher fee',
    );
  });
});
