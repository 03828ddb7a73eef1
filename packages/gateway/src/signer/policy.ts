import { parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { CHAINS, KINDS, type EvmChainId, type Kind } from '@crypto-checkout/protocol/kind';
import { parseBitcoinAddress } from '@crypto-checkout/chains/bitcoin/address';
import { isUtxoChain, type UtxoChainId } from '@crypto-checkout/chains/bitcoin/network';
import { EVM_TRAITS } from '@crypto-checkout/chains/evm/traits';
import { ConfigError } from '@crypto-checkout/chains/error';
import { parseJsonFile, readNamedFile } from '@crypto-checkout/chains/read-file';
import { z } from 'zod';
import { describeProblem } from '../http/problem.ts';

export const decimal = z
  .string()
  .regex(/^\d{1,18}(\.\d{1,18})?$/, 'must be a decimal string such as "0.5"');
const amount = decimal.transform(parseAmount);
/** Checked for its chain later. */
const address = z.string().min(1).max(100);

const limits = z.strictObject({
  /** The largest amount of one transaction, in the coin. */
  per_transaction: amount,
  /** The largest sum of 24 hours, in the coin. */
  per_day: amount,
});

/** Limits by kind. A kind that is not listed always needs an approval. */
const kinds = z.record(z.string(), limits);
/**
 * Payouts to other addresses, over lightning to other nodes, or with a memo need an approval.
 * Default: all are allowed.
 */
const destinations = z.array(address).min(1).nullish();

const purposePolicy = z.strictObject({ limits: kinds, destinations });
export type PurposePolicy = z.infer<typeof purposePolicy>;

const chainPolicy = z.strictObject({
  /** Largest fee of one transaction, in the chain's coin. */
  fee_per_transaction: amount,
  /** Largest sum of fees of 24 hours, in the chain's coin. */
  fee_per_day: amount,
  /**
   * Base and Celo: counted as the fee for the data of each transaction, which no plan names.
   * Default: `DATA_FEE`.
   */
  data_fee: amount.nullish(),
  /** Payouts that need no approval. */
  payouts: kinds.default({}),
  destinations,
  /** Refunds that need no approval. Default: they count as payouts. */
  refunds: purposePolicy.nullish(),
  /** Automatic payouts that need no approval. Default: they count as payouts. */
  automatic_payouts: purposePolicy.nullish(),
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

/** Many times the usual fee for the data of a transfer; in the chain's coin. */
const DATA_FEE: Partial<Record<EvmChainId, Amount>> = {
  base: parseAmount('0.0001'),
  celo: parseAmount('0.01'),
};

/** The fee that counts for the data of a transaction; nothing where it is part of the gas. */
export const dataFeeOf = (chain: EvmChainId, { data_fee }: Pick<ChainPolicy, 'data_fee'>): Amount =>
  EVM_TRAITS[chain].hasDataFee ? (data_fee ?? DATA_FEE[chain] ?? 0n) : 0n;

export type ChainPolicy = z.infer<typeof chainPolicy>;
export type Policy = z.infer<typeof policyFile>;

/**
 * Reads the limits within which the signer signs without an approval.
 * @throws ConfigError with one sentence for each mistake
 */
export const readPolicy = (path: string): Policy =>
  parsePolicy(path, readNamedFile(POLICY, path).toString('utf8'));

export const POLICY = 'The policy';

/**
 * The same, from the text of the file.
 * @throws ConfigError with one sentence for each mistake
 */
export function parsePolicy(path: string, text: string): Policy {
  const json = parseJsonFile(POLICY, path, text);
  const { data, error } = policyFile.safeParse(json, { error: describeProblem });
  if (error !== undefined)
    throw new ConfigError(
      error.issues
        .flatMap(mistakes)
        .map((mistake) => `The policy ${path}: ${mistake}.`)
        .join('\n'),
    );
  const chains = Object.entries(data.chains).map(([chain, rules]) => {
    requireKnown(path, chain, rules);
    return [chain, withNormalAddresses(path, chain as SignedChainId, data.network, rules)] as const;
  });
  return { ...data, chains: Object.fromEntries(chains) };
}

/** One for each member: zod reports all unknown members in one issue. */
function mistakes(issue: z.core.$ZodIssue): string[] {
  const at = (...names: PropertyKey[]): string => [...issue.path, ...names].join('.');
  return issue.code === 'unrecognized_keys'
    ? issue.keys.map((key) => `${at(key)} is no member of a policy`)
    : [`${at() || 'it'} ${issue.message}`];
}

/** A misspelled chain or kind would be a limit that nobody set. */
function requireKnown(path: string, chain: string, rules: ChainPolicy): void {
  const { payouts, refunds, automatic_payouts, tokens, data_fee } = rules;
  const listed = { ...payouts, ...refunds?.limits, ...automatic_payouts?.limits, ...tokens };
  if (!isSignedChain(chain))
    throw new ConfigError(`The policy ${path}: the signer does not know the chain ${chain}.`);
  if (data_fee != null && !(isEvmChain(chain) && EVM_TRAITS[chain].hasDataFee))
    throw new ConfigError(
      `The policy ${path}: chains.${chain}.data_fee: only base and celo take a fee for data beside the gas.`,
    );
  const kinds = KINDS.filter((kind) => kind.chain === chain).map(({ kind }) => kind);
  for (const kind of Object.keys(listed))
    if (!kinds.includes(kind))
      throw new ConfigError(
        `The policy ${path}: ${chain} has no kind ${kind}; it has ${kinds.join(', ')}.`,
      );
}

/** @throws ConfigError for an address of another chain or network */
function withNormalAddresses(
  path: string,
  chain: SignedChainId,
  network: Policy['network'],
  rules: ChainPolicy,
): ChainPolicy {
  if (!isEvmChain(chain) && rules.sweep_to != null)
    throw new ConfigError(`The policy ${path}: ${chain} has no sweeps, so no sweep_to.`);
  const normal = (member: string, text: string): string => {
    try {
      return normalAddress(chain, network, text);
    } catch {
      throw new ConfigError(
        `The policy ${path}: chains.${chain}.${member}: ${text} is not an address of ${chain} on the ${network}.`,
      );
    }
  };
  const all = (member: string, texts: PurposePolicy['destinations']) =>
    texts?.map((text) => normal(member, text));
  const ofPurpose = (member: string, one: PurposePolicy | null | undefined) =>
    one == null ? null : { ...one, destinations: all(`${member}.destinations`, one.destinations) };
  return {
    ...rules,
    destinations: all('destinations', rules.destinations),
    refunds: ofPurpose('refunds', rules.refunds),
    automatic_payouts: ofPurpose('automatic_payouts', rules.automatic_payouts),
    sweep_to: rules.sweep_to == null ? null : normal('sweep_to', rules.sweep_to),
    tokens: Object.fromEntries(
      Object.entries(rules.tokens).map(([kind, text]) => [kind, normal('tokens', text)]),
    ),
  };
}

/**
 * The form in which addresses are compared.
 * @throws Error for an address of another chain or network
 */
export function normalAddress(
  chain: SignedChainId,
  network: Policy['network'],
  text: string,
): string {
  if (isUtxoChain(chain)) return parseBitcoinAddress(chain, network, text).address;
  if (chain === 'lightning') return nodeKey(text);
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) throw new RangeError(`${text} is not an EVM address`);
  return text.toLowerCase();
}

/** The public key of a lightning node: a compressed point (BOLT 7). */
function nodeKey(text: string): string {
  if (!/^0[23][0-9a-f]{64}$/i.test(text)) throw new RangeError(`${text} is no key of a node`);
  return text.toLowerCase();
}

/** The chains that this signer signs for. */
export type SignedChainId = EvmChainId | UtxoChainId | 'lightning';
const isSignedChain = (chain: string): chain is SignedChainId =>
  isEvmChain(chain) || isUtxoChain(chain) || chain === 'lightning';

export const isEvmChain = (chain: string): chain is EvmChainId =>
  Object.hasOwn(CHAINS, chain) && CHAINS[chain as EvmChainId].family === 'evm';

/** The kind that a plan moves; null for a token that is not in the policy. */
export function kindOfToken(
  { network, chains }: Policy,
  chain: SignedChainId,
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
