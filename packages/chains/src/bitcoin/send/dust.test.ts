import { hex } from '@scure/base';
import { afterEach, expect, it } from 'vitest';
import { startBitcoinPayer, type BitcoinPayer } from '../../../test/support/bitcoin-chain.ts';
import { describeOnLitecoind } from '../../../test/support/litecoind.ts';
import { dustOf } from './wallet.ts';

/** The form of an address with the highest limit: P2PKH. */
const SCRIPT = hex.decode(`76a914${'ab'.repeat(20)}88ac`);

describeOnLitecoind('the least amount of an output', () => {
  let payer: BitcoinPayer;
  afterEach(() => payer?.stop());

  it.each([
    { chain: 'litecoin', options: [], node: 'by default' },
    // The default of Bitcoin Core.
    { chain: 'bitcoin', options: ['-dustrelayfee=0.00003'], node: "with Bitcoin Core's default" },
  ] as const)(
    'of $chain is that of a node $node',
    async ({ chain, options }) => {
      payer = await startBitcoinPayer(options);
      const units = dustOf({ chain });
      await expect(payer.send([{ script: SCRIPT, units: units - 1n }])).rejects.toThrow(/dust/);
      await payer.send([{ script: SCRIPT, units }]);
    },
    60_000,
  );
});
