import { hex } from '@scure/base';
import { RawTx, Transaction } from '@scure/btc-signer';

/** A transaction without a witness that nobody sent. */
export function transactionWith(outputs: readonly { script: Uint8Array; units: bigint }[]): {
  raw: string;
  txid: string;
} {
  const bytes = RawTx.encode({
    segwitFlag: false,
    version: 1,
    lockTime: 0,
    inputs: [
      {
        txid: new Uint8Array(32).fill(7),
        index: 0,
        sequence: 0xffff_ffff,
        finalScriptSig: Uint8Array.of(),
      },
    ],
    outputs: outputs.map(({ script, units }) => ({ script, amount: units })),
  });
  const { id } = Transaction.fromRaw(bytes, {
    allowUnknownInputs: true,
    allowUnknownOutputs: true,
  });
  return { raw: hex.encode(bytes), txid: id };
}
