import { readFileSync } from 'node:fs';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import { CHAINS, KINDS, type EvmChainId, type Kind } from '@crypto-checkout/protocol/kind';
import { ConfigError } from '@crypto-checkout/chains/error';
import { z } from 'zod';

const amount = z
  .string()
  .regex(/^\d{1,18}(\.\d{1,18})?$/, 'must be a decimal string such as "0.5"')
  .transform(parseAmount);
const address = z
  .string()
  .regex(
    /^0x[0-9a-fA-F]{40}$/,
    'must be an address such as 0x52908400098527886E0F7030069857D2E4169EE7',
  )
  .transform((text) => text.toLowerCase());

const limits = z.strictObject({
  /** The largest amount of one transaction, in the coin. */
  per_transaction: amount,
  /** The largest sum of 24 hours, in the coin. */
  per_day: amount,
});

const chainPolicy = z.strictObject({
  /** Largest fee of one transaction, in the chain's coin. */
  fee_per_transaction: amount,
  /** Largest sum of fees of 24 hours, in the chain's coin. */
  fee_per_day: amount,
  /** Payouts by kind that need no approval. A kind that is not listed always needs one. */
  payouts: z.record(z.string(), limits).default({}),
  /** Payouts to other addresses need an approval. Default: all addresses are allowed. */
  destinations: z.array(address).min(1).nullish(),
  /** Sweeps may also go to this address. Default: to the payout address only. */
  sweep_to: address.nullish(),
  /** Contracts by kind, where they differ from the main network's. */
  tokens: z.record(z.string(), address).default({}),
});
const policyFile = z.strictObject({
  network: z.enum(['mainnet', 'testnet']),
  chains: z.record(z.string(), chainPolicy),
  /** Public keys of the approvers: Ed25519, base64url. */
  approvers: z
    .array(z.string().regex(/^[\w-]{43}$/, 'must be an Ed25519 key in base64url'))
    .default([]),
});

export type ChainPolicy = z.infer<typeof chainPolicy>;
export type Policy = z.infer<typeof policyFile>;

/**
 * Reads the limits within which the signer signs without an approval.
 * @throws ConfigError with one sentence for each mistake
 */
export function readPolicy(path: string): Policy {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new ConfigError(`The policy ${path} is not readable as JSON.`, { cause });
  }
  const { data, error } = policyFile.safeParse(content);
  if (error !== undefined)
    throw new ConfigError(
      error.issues
        .map((issue) => `The policy ${path}: ${issue.path.join('.') || 'it'}: ${issue.message}.`)
        .join('\n'),
    );
  for (const [chain, rules] of Object.entries(data.chains)) requireKnown(path, chain, rules);
  return data;
}

/** A misspelled chain or kind would be a limit that nobody set. */
function requireKnown(path: string, chain: string, { payouts, tokens }: ChainPolicy): void {
  if (!isEvmChain(chain))
    throw new ConfigError(`The policy ${path}: the signer does not know the chain ${chain}.`);
  const kinds = KINDS.filter((kind) => kind.chain === chain).map(({ kind }) => kind);
  for (const kind of [...Object.keys(payouts), ...Object.keys(tokens)])
    if (!kinds.includes(kind))
      throw new ConfigError(
        `The policy ${path}: ${chain} has no kind ${kind}; it has ${kinds.join(', ')}.`,
      );
}

export const isEvmChain = (chain: string): chain is EvmChainId =>
  Object.hasOwn(CHAINS, chain) && CHAINS[chain as EvmChainId].family === 'evm';

/** The kind that a plan moves; null for a token that the policy does not know. */
export function kindOfToken(
  { network, chains }: Policy,
  chain: EvmChainId,
  token: string | null,
): Kind | null {
  const kinds = KINDS.filter((kind) => kind.chain === chain);
  if (token === null) return kinds[0] ?? null;
  const listed = chains[chain]?.tokens ?? {};
  return (
    kinds.find(({ kind, contract, token: isToken }) => {
      const known = listed[kind] ?? (network === 'mainnet' ? contract : null);
      return isToken && known?.toLowerCase() === token.toLowerCase();
    }) ?? null
  );
}
