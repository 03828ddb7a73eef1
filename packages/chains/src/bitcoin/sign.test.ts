import { hex } from '@scure/base';
import { mnemonicToSeedSync } from '@scure/bip39';
import { RawTx, Transaction } from '@scure/btc-signer';
import { describe, expect, it } from 'vitest';
import { keys, words } from '../../test/support/bitcoin-chain.ts';
import type { BitcoinPlan, SignedTransaction } from '../sender.ts';
import { createSigner } from '../signer.ts';
import type { BitcoinFormat } from './address.ts';
import { bitcoinNetwork, type UtxoChainId } from './network.ts';
import { ownAddress } from './send/own-key.ts';
import { isSignedBitcoinPlan } from './sign.ts';

const signer = createSigner(mnemonicToSeedSync(words));
const UNCHECKED = { allowUnknownOutputs: true, disableScriptCheck: true };

/** Pays an address of the wallet itself. */
function planOf(chain: UtxoChainId, format: BitcoinFormat): BitcoinPlan {
  const network = bitcoinNetwork(chain, 'regtest');
  const address = ownAddress(keys, network, { branch: 0, index: 0 }, format);
  const input = { units: '200000000', branch: 0, index: 0, address } as const;
  return {
    family: 'bitcoin',
    chain,
    network: 'regtest',
    inputs: [0, 1].map((index) => ({ ...input, outpoint: `${'a'.repeat(64)}:${index}` })),
    outputs: [{ address, units: '300000000' }],
    change: null,
    height: 1,
  };
}

type Parts = ReturnType<typeof RawTx.decode>;

function changed(raw: string, change: (parts: Parts) => Partial<Parts>): SignedTransaction {
  const parts = RawTx.decode(hex.decode(raw));
  const bytes = RawTx.encode({ ...parts, ...change(parts) });
  return { raw: hex.encode(bytes), txid: Transaction.fromRaw(bytes, UNCHECKED).id };
}

const withScripts = (change: (script: Uint8Array) => Uint8Array) => (parts: Parts) => ({
  inputs: parts.inputs.map((input) => ({
    ...input,
    finalScriptSig: change(input.finalScriptSig),
  })),
});

describe.each([
  ['bitcoin', 'bech32'],
  ['bitcoin', 'p2sh'],
  ['litecoin', 'bech32'],
  ['dogecoin', 'p2pkh'],
] as const)('a signed plan of %s from %s addresses', (chain, format) => {
  const plan = planOf(chain, format);
  const sign = () => signer.sign({ id: 'a', purpose: 'payout', plan });

  it('is the plan', async () => {
    expect(isSignedBitcoinPlan(plan, await sign())).toBe(true);
  });

  it('is refused with more or less in its scripts, which the network would refuse', async () => {
    const { raw } = await sign();
    const longer = changed(
      raw,
      withScripts((script) => Uint8Array.from([...script, 0x51])),
    );
    expect(isSignedBitcoinPlan(plan, longer)).toBe(false);
    if (format === 'bech32') return;
    const empty = changed(
      raw,
      withScripts(() => new Uint8Array()),
    );
    expect(isSignedBitcoinPlan(plan, empty)).toBe(false);
  });

  if (format === 'p2pkh') return;
  it('is refused with more in its witness', async () => {
    const { raw } = await sign();
    const longer = changed(raw, ({ witnesses = [] }) => ({
      witnesses: witnesses.map((items) => [...items, Uint8Array.of(1)]),
    }));
    expect(isSignedBitcoinPlan(plan, longer)).toBe(false);
  });
});
