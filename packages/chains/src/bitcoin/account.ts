import type { ChainId } from '@crypto-checkout/protocol/kind';
import type { PublicKeys } from '../keys.ts';
import type { BitcoinFormat } from './address.ts';

/**
 * The extended public key whose addresses have this format.
 * @throws RangeError for a chain or a format without an account
 */
export function utxoAccount(
  { bitcoin, utxo }: Pick<PublicKeys, 'bitcoin' | 'utxo'>,
  chain: ChainId,
  format: BitcoinFormat,
): string {
  const account = chain === 'bitcoin' && format !== 'p2pkh' ? bitcoin[format] : utxo[chain];
  if (account === undefined) throw new RangeError(`There are no keys for ${chain}`);
  return account;
}
