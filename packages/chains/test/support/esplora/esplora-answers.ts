import type { CoreBlock, CoreOutput, EsploraIndex, Place } from './esplora-index.ts';

/** Answers in the form of Esplora's HTTP interface. */

const satoshi = (coins: number): number => Math.round(coins * 1e8);

const TYPES: Readonly<Record<string, string>> = {
  pubkey: 'p2pk',
  pubkeyhash: 'p2pkh',
  scripthash: 'p2sh',
  witness_v0_keyhash: 'v0_p2wpkh',
  witness_v0_scripthash: 'v0_p2wsh',
  witness_v1_taproot: 'v1_p2tr',
  nulldata: 'op_return',
  multisig: 'multisig',
};

const outputAnswer = ({ scriptPubKey, value }: CoreOutput): object => {
  const [address] = scriptPubKey.addresses ?? [];
  return {
    scriptpubkey: scriptPubKey.hex,
    scriptpubkey_asm: scriptPubKey.asm,
    scriptpubkey_type: TYPES[scriptPubKey.type] ?? 'unknown',
    ...(address === undefined ? {} : { scriptpubkey_address: address }),
    value: satoshi(value),
  };
};

export const statusAnswer = ({ block }: Pick<Place, 'block'>): object =>
  block === null
    ? { confirmed: false }
    : {
        confirmed: true,
        block_height: block.height,
        block_hash: block.hash,
        block_time: block.time,
      };

export function transactionAnswer(index: EsploraIndex, { transaction, block }: Place): object {
  const { txid, version, locktime, size, weight, vin, vout } = transaction;
  const inputs = vin.map((input) => {
    const isCoinbase = input.coinbase !== undefined;
    const previous = isCoinbase ? null : index.outputAt(input.txid!, input.vout!);
    return {
      answer: {
        txid: input.txid ?? '0'.repeat(64),
        vout: input.vout ?? 0xffff_ffff,
        prevout: previous && outputAnswer(previous),
        scriptsig: input.coinbase ?? input.scriptSig?.hex ?? '',
        scriptsig_asm: input.scriptSig?.asm ?? '',
        ...(input.txinwitness === undefined ? {} : { witness: input.txinwitness }),
        is_coinbase: isCoinbase,
        sequence: input.sequence,
      },
      value: previous === null ? 0 : satoshi(previous.value),
      isCoinbase,
    };
  });
  const spent = inputs.reduce((sum, { value }) => sum + value, 0);
  const paid = vout.reduce((sum, { value }) => sum + satoshi(value), 0);
  return {
    txid,
    version,
    locktime,
    vin: inputs.map(({ answer }) => answer),
    vout: vout.map(outputAnswer),
    size,
    weight,
    fee: inputs.some(({ isCoinbase }) => isCoinbase) ? 0 : spent - paid,
    status: statusAnswer({ block }),
  };
}

export const blockAnswer = (block: CoreBlock): object => ({
  id: block.hash,
  height: block.height,
  version: block.version,
  timestamp: block.time,
  tx_count: block.tx.length,
  size: block.size,
  weight: block.weight,
  merkle_root: block.merkleroot,
  previousblockhash: block.previousblockhash ?? null,
  nonce: block.nonce,
  bits: Number.parseInt(block.bits, 16),
  difficulty: block.difficulty,
});

export function outspendAnswer(outpoint: string, spender: Place | null): object {
  if (spender === null) return { spent: false };
  const { txid, vin } = spender.transaction;
  const at = vin.findIndex((input) => `${input.txid}:${input.vout}` === outpoint);
  return { spent: true, txid, vin: at, status: statusAnswer(spender) };
}
