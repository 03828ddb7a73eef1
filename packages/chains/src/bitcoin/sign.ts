import { hex } from '@scure/base';
import { p2pkh, p2sh, p2wpkh, RawTx, Transaction } from '@scure/btc-signer';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { BitcoinPlan, SignedTransaction } from '../sender.ts';
import { type BitcoinFormat, scriptOf, utxoParameters } from './address.ts';
import { bitcoinNetwork, type BitcoinNetwork } from './network.ts';
import { formatsOf } from './send/own-key.ts';

/** BIP 125: each transaction of ours can be replaced by one with a higher fee. */
export const SEQUENCE = 0xffff_fffd;
const PURPOSE: Readonly<Record<BitcoinFormat, number>> = { bech32: 84, p2sh: 49, p2pkh: 44 };

type KeyAt = (path: string) => Uint8Array;

export const OPTIONS = {
  version: 2,
  lockTime: 0,
  allowUnknownOutputs: true,
  // Older forms of signatures do not cover amounts; those of Dogecoin come from the blocks' bytes.
  allowLegacyWitnessUtxo: true,
};

/**
 * Signs a plan with the keys of a wallet, deterministically (RFC 6979). Every input must belong to
 * the wallet, and so must the change.
 * @param keyAt private key at a path (BIP32)
 * @throws Error when an address is not derived from these keys
 */
export function signBitcoin(plan: BitcoinPlan, keyAt: KeyAt): SignedTransaction {
  const network = bitcoinNetwork(plan.chain, plan.network);
  requireOwnChange(plan, network, keyAt);
  const transaction = new Transaction(OPTIONS);
  const keys = plan.inputs.map((input) => {
    const key = requireOwnKey(network, input, keyAt);
    const payment = paymentOf(key, network);
    const [txid = '', index] = input.outpoint.split(':');
    transaction.addInput({
      txid,
      index: Number(index),
      sequence: SEQUENCE,
      witnessUtxo: { script: payment.script, amount: BigInt(input.units) },
      ...('redeemScript' in payment && payment.redeemScript !== undefined
        ? { redeemScript: payment.redeemScript }
        : {}),
    });
    return key.privateKey;
  });
  for (const { address, units } of outputsOf(plan))
    transaction.addOutput({
      script: scriptOf(network.versions, address),
      amount: BigInt(units),
    });
  for (const [at, key] of keys.entries()) transaction.signIdx(key, at);
  transaction.finalize();
  return { raw: transaction.hex, txid: transaction.id };
}

/** The outputs in their order; the change is the last one. */
export const outputsOf = ({
  outputs,
  change,
}: Pick<BitcoinPlan, 'outputs' | 'change'>): { address: string; units: string }[] =>
  change === null ? [...outputs] : [...outputs, change];

interface PublicKey {
  /** Compressed. */
  publicKey: Uint8Array;
  format: BitcoinFormat;
}
interface PrivateKey extends PublicKey {
  privateKey: Uint8Array;
}

function requireOwnKey(
  network: BitcoinNetwork,
  { branch, index, address }: { branch: number; index: number; address: string },
  keyAt: KeyAt,
): PrivateKey {
  const script = hex.encode(scriptOf(network.versions, address));
  for (const format of formatsOf(network)) {
    const account = accountPath(network, format).map((step) => `${step}'`);
    const privateKey = keyAt(['m', ...account, branch, index].join('/'));
    const publicKey = secp256k1.getPublicKey(privateKey, true);
    if (hex.encode(paymentOf({ publicKey, format }, network).script) === script)
      return { format, privateKey, publicKey };
  }
  throw new Error(`No key of this wallet derives the address ${address}`);
}

/** SLIP-44: all test networks. */
const TEST_COIN_TYPE = 1;

/** The steps of the account's path, all of them hardened. */
export const accountPath = (network: BitcoinNetwork, format: BitcoinFormat): number[] => [
  PURPOSE[format],
  network.account === 'mainnet' ? utxoParameters(network.chain).coinType : TEST_COIN_TYPE,
  0,
];

function requireOwnChange(plan: BitcoinPlan, network: BitcoinNetwork, keyAt: KeyAt): void {
  if (plan.change !== null) requireOwnKey(network, { branch: 1, ...plan.change }, keyAt);
}

export function paymentOf({ publicKey, format }: PublicKey, { versions }: BitcoinNetwork) {
  const network = { ...versions, bech32: versions.bech32 ?? 'none' };
  if (format === 'p2pkh') return p2pkh(publicKey, network);
  const segwit = p2wpkh(publicKey, network);
  return format === 'bech32' ? segwit : p2sh(segwit, network);
}

/**
 * Whether these bytes are the plan, signed by its keys. A signer elsewhere could answer anything.
 */
export function isSignedBitcoinPlan(plan: BitcoinPlan, { raw, txid }: SignedTransaction): boolean {
  try {
    const signed = Transaction.fromRaw(hex.decode(raw), { ...OPTIONS, disableScriptCheck: true });
    return (
      signed.id === txid &&
      hasContent(plan, signed) &&
      plan.inputs.every((_, at) => isSigned(plan, signed, at))
    );
  } catch {
    return false;
  }
}

function hasContent(plan: BitcoinPlan, signed: Transaction): boolean {
  const { versions } = bitcoinNetwork(plan.chain, plan.network);
  const outputs = outputsOf(plan);
  return (
    signed.version === OPTIONS.version &&
    signed.lockTime === OPTIONS.lockTime &&
    signed.inputsLength === plan.inputs.length &&
    signed.outputsLength === outputs.length &&
    plan.inputs.every(({ outpoint }, at) => {
      const { txid, index, sequence } = signed.getInput(at);
      return (
        txid !== undefined && `${hex.encode(txid)}:${index}` === outpoint && sequence === SEQUENCE
      );
    }) &&
    outputs.every(({ address, units }, at) => {
      const { script, amount } = signed.getOutput(at);
      const wanted = hex.encode(scriptOf(versions, address));
      return script !== undefined && hex.encode(script) === wanted && amount === BigInt(units);
    })
  );
}

const SIGHASH_ALL = 1;

/** Checks the signature of one input against the address that it spends. */
function isSigned(plan: BitcoinPlan, signed: Transaction, at: number): boolean {
  const { versions } = bitcoinNetwork(plan.chain, plan.network);
  const { address, units } = plan.inputs[at]!;
  const script = scriptOf(versions, address);
  const { finalScriptWitness, finalScriptSig } = signed.getInput(at);
  const [signature, publicKey, ...more] =
    finalScriptWitness ?? pushesOf(finalScriptSig ?? new Uint8Array());
  if (signature === undefined || publicKey === undefined || more.length > 0) return false;
  const isLegacy = finalScriptWitness === undefined;
  const network = { ...versions, bech32: versions.bech32 ?? 'none' };
  const legacy = p2pkh(publicKey, network).script;
  const segwit = p2wpkh(publicKey, network);
  const forms = isLegacy ? [legacy] : [segwit.script, p2sh(segwit, network).script];
  if (!forms.some((form) => hex.encode(form) === hex.encode(script))) return false;
  if (signature.at(-1) !== SIGHASH_ALL) return false;
  const isNested = !isLegacy && hex.encode(script) !== hex.encode(segwit.script);
  const pushed = isLegacy ? [signature, publicKey] : isNested ? [segwit.script] : [];
  // The network refuses anything more, and the stored bytes are the only ones that are sent.
  if (hex.encode(finalScriptSig ?? new Uint8Array()) !== hex.encode(pushesScript(pushed)))
    return false;
  const digest = isLegacy
    ? legacyDigest(signed, at, script)
    : signed.preimageWitnessV0(at, legacy, SIGHASH_ALL, BigInt(units));
  return secp256k1.verify(signature.slice(0, -1), digest, publicKey, {
    prehash: false,
    format: 'der',
  });
}

/** The digest that inputs without a witness sign. */
function legacyDigest(signed: Transaction, at: number, script: Uint8Array): Uint8Array {
  const indices = (length: number): number[] => Array.from({ length }, (_, one) => one);
  const bytes = RawTx.encode({
    segwitFlag: false,
    version: signed.version,
    lockTime: signed.lockTime,
    inputs: indices(signed.inputsLength).map((one) => {
      const { txid, index, sequence } = signed.getInput(one);
      const finalScriptSig = one === at ? script : new Uint8Array();
      return { txid: txid!, index: index!, sequence: sequence!, finalScriptSig };
    }),
    outputs: indices(signed.outputsLength).map((one) => {
      const { amount, script: to } = signed.getOutput(one);
      return { amount: amount!, script: to! };
    }),
  });
  return sha256(sha256(Uint8Array.from([...bytes, SIGHASH_ALL, 0, 0, 0])));
}

/** The script of short pushes. */
const pushesScript = (items: readonly Uint8Array[]): Uint8Array =>
  Uint8Array.from(items.flatMap((item) => [item.length, ...item]));

/** The two pushes of a P2PKH input. */
function pushesOf(script: Uint8Array): Uint8Array[] {
  const [length = 0] = script;
  const rest = script.subarray(1 + length);
  return [script.subarray(1, 1 + length), rest.subarray(1, 1 + (rest[0] ?? 0))];
}
