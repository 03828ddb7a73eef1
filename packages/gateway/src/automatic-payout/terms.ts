import { CHAINS, kindOf, KINDS, type Kind } from '@crypto-checkout/protocol/kind';
import { AmountError, type Amount } from '@crypto-checkout/protocol/amount';
import { AddressError } from '../chain/derive/address-error.ts';
import { parseAddress } from '../chain/derive/target.ts';
import { ServiceError } from '../http/error.ts';
import { readCoins } from '../exchange/pair.ts';
import { invalid, invalidAddress, shown } from '../http/invalid.ts';
import { isDuplicate } from '../database/database.ts';
import { ONE_FOR_EACH, type RuleWallet } from './store.ts';

/** What a rule says, as it was given. */
export interface Terms {
  /** Null for the own coin of the wallet's chain. */
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

/** @throws ServiceError for what does not fit the wallet, its coin or its network */
export function readTerms(terms: Terms, { chain, is_testnet }: Pick<RuleWallet, 'chain' | 'is_testnet'>): ReadTerms {
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
  if (kind === undefined) throw invalid('kind', `must be one of the coin kinds, not ${shown(name ?? '')}`);
  if (kind.chain === 'lightning')
    throw invalid('kind', `must be a coin that is paid to an address, and ${kind.kind} is paid to requests; use ${own.kind}`);
  const held = CHAINS[kind.chain].walletChain;
  if (held === walletChain) return kind;
  throw invalid('kind', `must be held by the wallet: ${kind.kind} is held by the wallet of ${CHAINS[held].name}`);
}

function requireAddress(text: string, { chain }: Kind, network: 'mainnet' | 'testnet'): void {
  try {
    parseAddress(chain, network, text);
  } catch (cause) {
    if (!(cause instanceof AddressError) && !(cause instanceof AmountError)) throw cause;
    throw invalidAddress('recipient_address', `The address is not one of ${CHAINS[chain].name} on ${network}: ${shown(text)}`, cause);
  }
}

/**
 * §2.10: one for each wallet and kind. The forms of a coin have one balance, so they are one kind here.
 * @param kind what is written, known by the time that it is refused
 */
export async function oneForEach<T>(kind: () => Kind | null, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isDuplicate(error, ONE_FOR_EACH)) throw error;
    const { asset = 'this kind' } = kind() ?? {};
    throw new ServiceError('AlreadyExists', `The wallet has an automatic payout for ${asset} already: one is allowed for each kind.`, {
      errors: [{ field: 'kind', message: 'has an automatic payout in this wallet' }],
    });
  }
}
