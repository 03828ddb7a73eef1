import { z } from 'zod';

/**
 * The published description of Esplora's HTTP interface (API.md of Blockstream/esplora), as strict
 * schemas: a member that it does not name is a mistake of the server under test.
 */

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const digits = z.string().regex(/^(?:[0-9a-f]{2})*$/);
const count = z.number().int().min(0);
const height = count;

const status = z.union([
  z.strictObject({ confirmed: z.literal(false) }),
  z.strictObject({
    confirmed: z.literal(true),
    block_height: height,
    block_hash: hash,
    block_time: count,
  }),
]);
const output = z.strictObject({
  scriptpubkey: digits,
  scriptpubkey_asm: z.string(),
  scriptpubkey_type: z.enum([
    'p2pk',
    'p2pkh',
    'p2sh',
    'v0_p2wpkh',
    'v0_p2wsh',
    'v1_p2tr',
    'op_return',
    'multisig',
    'empty',
    'unknown',
  ]),
  scriptpubkey_address: z.string().optional(),
  value: count,
});
const input = z.strictObject({
  txid: hash,
  vout: count,
  is_coinbase: z.boolean(),
  scriptsig: digits,
  scriptsig_asm: z.string(),
  inner_redeemscript_asm: z.string().optional(),
  inner_witnessscript_asm: z.string().optional(),
  sequence: count,
  witness: z.array(digits).optional(),
  prevout: output.nullable(),
});
const transaction = z.strictObject({
  txid: hash,
  version: z.number().int(),
  locktime: count,
  size: count,
  weight: count,
  fee: count,
  vin: z.array(input).min(1),
  vout: z.array(output).min(1),
  status,
});
const block = z.strictObject({
  id: hash,
  height,
  version: z.number().int(),
  timestamp: count,
  bits: count,
  nonce: count,
  difficulty: z.number(),
  merkle_root: hash,
  tx_count: count,
  size: count,
  weight: count,
  previousblockhash: hash.nullable(),
});
const outspend = z.union([
  z.strictObject({ spent: z.literal(false) }),
  z.strictObject({ spent: z.literal(true), txid: hash, vin: count, status }),
]);

const TARGETS = ['1', '2', '3', '4', '5', '6', '10', '20', '25', '144', '504', '1008'];
const estimates = z.partialRecord(z.enum(TARGETS as [string, ...string[]]), z.number().min(0));

/** Answers of 50 unconfirmed and 25 confirmed transactions at most. */
const history = z.array(transaction).max(75);

const JSON_ROUTES: readonly [RegExp, z.ZodType][] = [
  [/^\/tx\/[0-9a-f]{64}$/, transaction],
  [/^\/tx\/[0-9a-f]{64}\/status$/, status],
  [/^\/tx\/[0-9a-f]{64}\/outspend\/\d+$/, outspend],
  [/^\/tx\/[0-9a-f]{64}\/outspends$/, z.array(outspend)],
  [/^\/block\/[0-9a-f]{64}$/, block],
  [
    /^\/block\/[0-9a-f]{64}\/status$/,
    z.strictObject({
      in_best_chain: z.boolean(),
      height: height.optional(),
      next_best: hash.nullable(),
    }),
  ],
  [/^\/block\/[0-9a-f]{64}\/txids$/, z.array(hash).min(1)],
  [/^\/blocks(?:\/\d+)?$/, z.array(block).min(1).max(10)],
  [/^\/(?:address|scripthash)\/\w+\/txs\/mempool$/, z.array(transaction).max(50)],
  [/^\/(?:address|scripthash)\/\w+\/txs(?:\/chain(?:\/\w+)?)?$/, history],
  [/^\/fee-estimates$/, estimates],
];

const TEXT_ROUTES: readonly [RegExp, RegExp][] = [
  [/^\/blocks\/tip\/hash$/, /^[0-9a-f]{64}$/],
  [/^\/blocks\/tip\/height$/, /^\d+$/],
  [/^\/block-height\/\d+$/, /^[0-9a-f]{64}$/],
  [/^\/tx\/[0-9a-f]{64}\/hex$/, /^(?:[0-9a-f]{2})+$/],
  [/^\/tx$/, /^[0-9a-f]{64}$/],
];

/** @throws Error for an answer that the description does not allow */
export function requireDescribed(path: string, body: string | Buffer): void {
  if (Buffer.isBuffer(body)) {
    if (/^\/(?:block|tx)\/[0-9a-f]{64}\/(?:raw|header)$/.test(path)) return;
    throw new Error(`${path} has no answer in bytes`);
  }
  const text = TEXT_ROUTES.find(([route]) => route.test(path));
  if (text !== undefined) {
    if (text[1].test(body)) return;
    throw new Error(`${path} answers with a text that is not described`);
  }
  const found = JSON_ROUTES.find(([route]) => route.test(path));
  if (found === undefined) throw new Error(`${path} is not described`);
  found[1].parse(JSON.parse(body));
}
