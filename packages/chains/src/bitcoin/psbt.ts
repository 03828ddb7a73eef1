import { base64, hex } from '@scure/base';
import { Transaction } from '@scure/btc-signer';
import type { PublicKeys } from '../keys.ts';
import type { BitcoinPlan, BitcoinPlanInput, SignedTransaction } from '../sender.ts';
import { scriptOf } from './address.ts';
import { bitcoinNetwork, type BitcoinNetwork } from './network.ts';
import { formatOf, ownPublicKey, type OwnKey, type UtxoKeys } from './send/own-key.ts';
import { accountPath, OPTIONS, paymentOf, SEQUENCE } from './sign.ts';

type PsbtKeys = UtxoKeys & Pick<PublicKeys, 'masterFingerprint'>;
const HARDENED = 0x8000_0000;

/**
 * The plan as a partially signed transaction (BIP 174), which other wallets with these keys can
 * sign, in base64. It names the path of each key, so that they find it and see their change.
 * @throws Error when an address is not derived from these keys
 */
export function toPsbt(plan: BitcoinPlan, keys: PsbtKeys): string {
  const network = bitcoinNetwork(plan.chain, plan.network);
  const transaction = new Transaction(OPTIONS);
  for (const input of plan.inputs) addInput(transaction, input, network, keys);
  for (const { address, units } of plan.outputs)
    transaction.addOutput({ script: scriptOf(network.versions, address), amount: BigInt(units) });
  if (plan.change !== null) {
    const { address, units, index } = plan.change;
    transaction.addOutput({
      script: scriptOf(network.versions, address),
      amount: BigInt(units),
      ...keyOf({ branch: 1, index }, address, network, keys).origin,
    });
  }
  return base64.encode(transaction.toPSBT(0));
}

function addInput(
  transaction: Transaction,
  input: BitcoinPlanInput,
  network: BitcoinNetwork,
  keys: PsbtKeys,
): void {
  const { outpoint, units, address, previous } = input;
  const [txid = '', index] = outpoint.split(':');
  const { payment, origin } = keyOf(input, address, network, keys);
  transaction.addInput({
    txid,
    index: Number(index),
    sequence: SEQUENCE,
    ...(previous === undefined
      ? { witnessUtxo: { script: payment.script, amount: BigInt(units) } }
      : { nonWitnessUtxo: hex.decode(previous) }),
    ...('redeemScript' in payment && payment.redeemScript !== undefined
      ? { redeemScript: payment.redeemScript }
      : {}),
    ...origin,
  });
}

/**
 * A keys file of an earlier version has no fingerprint; wallets then look for the key themselves.
 */
function keyOf(key: OwnKey, address: string, network: BitcoinNetwork, keys: PsbtKeys) {
  const format = formatOf(keys, network, key, address);
  if (format === null) throw new Error(`No key of this wallet derives the address ${address}`);
  const publicKey = ownPublicKey(keys, network, key, format);
  const payment = paymentOf({ publicKey, format }, network);
  const { masterFingerprint: fingerprint } = keys;
  if (fingerprint === null) return { payment, origin: {} };
  const path = [
    ...accountPath(network, format).map((step) => step + HARDENED),
    key.branch,
    key.index,
  ];
  const bip32Derivation: [Uint8Array, { fingerprint: number; path: number[] }][] = [
    [publicKey, { fingerprint, path }],
  ];
  return { payment, origin: { bip32Derivation } };
}

/**
 * The transaction of a signed PSBT. Compare it with its plan: a wallet could answer anything.
 * @throws Error for bytes that are no PSBT, or that lack a signature
 */
export function fromPsbt(psbt: Uint8Array): SignedTransaction {
  const transaction = Transaction.fromPSBT(psbt, { ...OPTIONS, allowUnknown: true });
  for (let at = 0; at < transaction.inputsLength; at += 1) {
    const { finalScriptSig, finalScriptWitness } = transaction.getInput(at);
    if (finalScriptSig === undefined && finalScriptWitness === undefined)
      transaction.finalizeIdx(at);
  }
  return { raw: transaction.hex, txid: transaction.id };
}
