import { CHAINS, kindOf, KINDS, type Kind } from '@crypto-checkout/protocol/kind';
import { AmountError, type Amount } from '@crypto-checkout/protocol/amount';
import { AddressError } from '@crypto-checkout/chains/parsed-address';
import { parseAddress } from '@crypto-checkout/chains/deposit-target';
import { ServiceError } from '../../http/error.ts';
import { readCoins } from '../../exchange/pair.ts';
import { invalid, invalidAddress, shown, unknownKind } from '../../http/invalid.ts';
import { isDuplicate } from '../../database/database.ts';
import { UNIQUE_RULE_CONSTRAINT, type RuleWallet } from './store.ts';

/** Terms of a rule, not validated. */
export interface Terms {
  /** Null for the native coin of the wallet's chain. */
  kind: string | null;
  recipient_address: string;
  keep_amount: string;
  min_amount: string;
}

export interface ReadTerms {
  kind: Kind;
  recipient_address: string;
  keep: Amount;
  min: Amount;
}

/** @throws ServiceError for terms that do not match the wallet, its coin or its network */
export function readTerms(
  terms: Terms,
  { chain, is_testnet }: Pick<RuleWallet, 'chain' | 'is_testnet'>,
): ReadTerms {
  const kind = readKind(terms.kind, chain);
  const recipient_address = terms.recipient_address.trim();
  requireAddress(recipient_address, kind, is_testnet ? 'testnet' : 'mainnet');
  return {
    kind,
    recipient_address,
    keep: readCoins(terms.keep_amount, kind, 'keep_amount'),
    min: readCoins(terms.min_amount, kind, 'min_amount'),
  };
}

function readKind(name: string | null, walletChain: string): Kind {
  const own = KINDS.find(({ chain }) => chain === walletChain)!;
  const kind = name === null ? own : kindOf(name);
  if (kind === undefined) throw unknownKind('kind', name ?? '');
  if (kind.chain === 'lightning')
    throw invalid(
      'kind',
      `must be a coin that is paid to an address; ${kind.kind} is paid to requests, use ${own.kind}`,
    );
  const holder = CHAINS[kind.chain].walletChain;
  if (holder === walletChain) return kind;
  throw invalid(
    'kind',
    `must be held by the wallet: ${kind.kind} is held by the wallet of ${CHAINS[holder].name}`,
  );
}

function requireAddress(text: string, { chain }: Kind, network: 'mainnet' | 'testnet'): void {
  try {
    parseAddress(chain, network, text);
  } catch (cause) {
    if (!(cause instanceof AddressError) && !(cause instanceof AmountError)) throw cause;
    throw invalidAddress(
      'recipient_address',
      `The address is not one of ${CHAINS[chain].name} on ${network}: ${shown(text)}`,
      cause,
    );
  }
}

/**
 * Maps the unique constraint (one rule per wallet and kind) to `AlreadyExists`. Kinds of one coin
 * share a balance and count as one kind.
 * @param kind returns the kind that was written
 */
export async function onePerWalletAndKind<T>(
  kind: () => Kind | null,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isDuplicate(error, UNIQUE_RULE_CONSTRAINT)) throw error;
    const { asset = 'this kind' } = kind() ?? {};
    throw new ServiceError(
      'AlreadyExists',
      `The wallet already has an automatic payout for ${asset}; only one per kind is allowed.`,
      {
        errors: [{ field: 'kind', message: 'has an automatic payout in this wallet' }],
      },
    );
  }
}
