import { z } from 'zod';

/** The parts of Esplora's answers that are used (its API.md, "Transaction format" and others). */

export const hash = z.string().regex(/^[0-9a-f]{64}$/);
const digits = z.string().regex(/^(?:[0-9a-f]{2})*$/);
const height = z.number().int().min(0);
const uint32 = z.number().int().min(0).max(0xffff_ffff);

/** In satoshi. Numbers above a double's whole ones arrive as text. */
const units = z
  .union([z.number().int().min(0), z.string().regex(/^\d{1,20}$/)])
  .transform((value) => BigInt(value));

/** A rate in satoshi per virtual byte; fractions arrive as text. */
const rate = z
  .union([z.number().min(0), z.string().regex(/^\d{1,12}(?:\.\d{1,20})?(?:e-?\d{1,2})?$/i)])
  .transform(Number);

export const blockInfo = z.object({
  id: hash,
  height,
  // Dogecoin's and test networks' versions have high bits; some services show them as negative.
  version: z.number().int().min(-0x8000_0000).max(0xffff_ffff),
  timestamp: uint32,
  merkle_root: hash,
  previousblockhash: hash.nullish(),
  nonce: uint32,
  bits: uint32,
});
export type BlockInfo = z.output<typeof blockInfo>;

export const status = z.object({
  confirmed: z.boolean(),
  block_height: height.nullish(),
  block_hash: hash.nullish(),
});

export const outspend = z.object({ spent: z.boolean(), txid: hash.nullish() });

const input = z.object({
  txid: hash,
  vout: uint32,
  is_coinbase: z.boolean(),
  sequence: uint32,
});
const output = z.object({ scriptpubkey: digits, value: units });

export const transaction = z.object({
  txid: hash,
  weight: z.number().int().min(1),
  fee: units,
  vin: z.array(input).max(100_000),
  vout: z.array(output).max(100_000),
  status,
});
export type EsploraTransaction = z.output<typeof transaction>;

/** Of one address; Esplora lists at most 50. */
export const transactions = z.array(transaction).max(1_000);

/** Rate by number of blocks. */
export const feeEstimates = z.record(z.string().regex(/^\d{1,4}$/), rate);
