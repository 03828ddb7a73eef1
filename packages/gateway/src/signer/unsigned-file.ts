import { lightningPlan } from '@crypto-checkout/chains/lightning/lnd/broadcast';
import { isUtxoChain, UTXO_CHAINS } from '@crypto-checkout/chains/bitcoin/network';
import { PURPOSES } from '@crypto-checkout/chains/signer';
import { z } from 'zod';
import { isEvmChain } from './policy.ts';

/** Of the files that the service exports and the offline signer prints. */
export const UNSIGNED_VERSION = 1;

const digits = z.string().regex(/^\d{1,78}$/);
const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
const evmPlan = z.strictObject({
  family: z.literal('evm'),
  chainId: z.int().min(1),
  from: z.strictObject({ branch: z.literal([0, 1]), index: z.int().min(0), address }),
  nonce: z.int().min(0),
  to: address,
  token: address.nullable(),
  units: digits,
  memo: z.string().max(4096).nullable(),
  gasLimit: digits,
  maxFeePerGas: digits,
  maxPriorityFeePerGas: digits,
});

/** Below 2^63, as all amounts of these chains. */
const units = z.string().regex(/^\d{1,18}$/);
const utxoAddress = z.string().min(14).max(100);
const index = z
  .int()
  .min(0)
  .max(2 ** 31 - 1);
const bitcoinPlan = z.strictObject({
  family: z.literal('bitcoin'),
  chain: z.enum(UTXO_CHAINS),
  network: z.enum(['main', 'test', 'test4', 'signet', 'regtest']),
  inputs: z
    .array(
      z.strictObject({
        outpoint: z.string().regex(/^[0-9a-f]{64}:\d{1,9}$/),
        units,
        branch: z.literal([0, 1]),
        index,
        address: utxoAddress,
        previous: z
          .string()
          .regex(/^(?:[0-9a-f]{2})+$/)
          .optional(),
      }),
    )
    .min(1)
    .max(500),
  outputs: z.array(z.strictObject({ address: utxoAddress, units })).max(100),
  change: z.strictObject({ index, address: utxoAddress, units }).nullable(),
  height: z.int().min(0),
});

const transaction = z.strictObject({
  /** Printed for people, so it can hold nothing that a terminal obeys. */
  id: z.string().regex(/^[\w-]{1,128}$/),
  purpose: z.enum(PURPOSES),
  recipientIndex: index.nullable(),
});
export const evmTransaction = transaction.extend({
  chain: z.string().refine(isEvmChain, 'is not an EVM chain'),
  plan: evmPlan,
});
export const bitcoinTransaction = transaction.extend({
  chain: z.string().refine(isUtxoChain, 'is not a Bitcoin-like chain'),
  plan: bitcoinPlan,
});
/** A payment by the lightning node, which the signer process alone can begin. */
export const lightningTransaction = transaction.extend({
  chain: z.literal('lightning'),
  plan: lightningPlan,
});
/** One transaction, without an approval. Its plan is strict: nothing unknown is signed. */
const unsignedTransaction = z.union([evmTransaction, bitcoinTransaction]);

export const unsignedFile = z.strictObject({
  version: z.literal(UNSIGNED_VERSION),
  network: z.enum(['mainnet', 'testnet']),
  transactions: z.array(unsignedTransaction).max(10_000),
});

export const signedFile = z.strictObject({
  version: z.literal(UNSIGNED_VERSION),
  signed: z.array(z.strictObject({ id: z.string(), raw: z.string(), txid: z.string() })),
});
export type SignedFile = z.infer<typeof signedFile>;
