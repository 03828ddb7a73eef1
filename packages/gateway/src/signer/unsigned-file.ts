import { z } from 'zod';
import { isEvmChain } from './policy.ts';

/** Of the files that the service exports and the offline signer prints. */
export const UNSIGNED_VERSION = 1;

const digits = z.string().regex(/^\d{1,78}$/);
const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
const plan = z.strictObject({
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

/** One transaction, without an approval. Its plan is strict: nothing unknown is signed. */
export const unsignedTransaction = z.strictObject({
  id: z.string().min(1).max(128),
  purpose: z.enum(['payout', 'sweep', 'top_up']),
  chain: z.string().refine(isEvmChain, 'is not an EVM chain'),
  plan,
  recipientIndex: z.int().min(0).nullable(),
});

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
