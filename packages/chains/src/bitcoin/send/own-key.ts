import { HDKey } from '@scure/bip32';
import { receivingKey } from '../../hd-keys.ts';
import type { PublicKeys } from '../../keys.ts';
import { utxoAccount } from '../account.ts';
import { bitcoinAddress, type BitcoinFormat, utxoParameters } from '../address.ts';
import type { BitcoinNetwork } from '../network.ts';

export type UtxoKeys = Pick<PublicKeys, 'bitcoin' | 'utxo'>;

export interface OwnKey {
  branch: 0 | 1;
  index: number;
}

/** The forms of this wallet's addresses; the first one is that of its change. */
export const formatsOf = ({ chain }: Pick<BitcoinNetwork, 'chain'>): readonly BitcoinFormat[] =>
  chain === 'bitcoin' ? ['bech32', 'p2sh'] : [utxoParameters(chain).addressFormat];

/** The address of a key of this wallet in one form. */
export function ownAddress(
  keys: UtxoKeys,
  { chain, versions }: Pick<BitcoinNetwork, 'chain' | 'versions'>,
  { branch, index }: OwnKey,
  format: BitcoinFormat,
): string {
  const publicKey = ownPublicKey(keys, { chain }, { branch, index }, format);
  return bitcoinAddress(versions, format, publicKey);
}

/** The compressed public key of one form of this wallet's addresses. */
export function ownPublicKey(
  keys: UtxoKeys,
  { chain }: Pick<BitcoinNetwork, 'chain'>,
  { branch, index }: OwnKey,
  format: BitcoinFormat,
): Uint8Array {
  const account = utxoAccount(keys, chain, format);
  return branch === 0 ? receivingKey(account, index) : changeKey(account, index);
}

function changeKey(account: string, index: number): Uint8Array {
  const { publicKey } = HDKey.fromExtendedKey(account).deriveChild(1).deriveChild(index);
  if (publicKey === null) throw new Error('The extended key has no change branch');
  return publicKey;
}

/** The form in which a key derives an address; null when it does not. */
export const formatOf = (
  keys: UtxoKeys,
  network: BitcoinNetwork,
  key: OwnKey,
  address: string,
): BitcoinFormat | null =>
  formatsOf(network).find((format) => ownAddress(keys, network, key, format) === address) ?? null;

/** The key of the address that an operator sends coins for payouts to; no change goes there. */
export const FUNDING_KEY: OwnKey = { branch: 1, index: 0 };

/** An address of this wallet that stays the same, for coins that an operator sends. */
export const fundingAddress = (keys: UtxoKeys, network: BitcoinNetwork): string =>
  changeAddress(keys, network, FUNDING_KEY.index);

/** The address that the change of a transaction goes to. */
export const changeAddress = (keys: UtxoKeys, network: BitcoinNetwork, index: number): string =>
  ownAddress(keys, network, { branch: 1, index }, formatsOf(network)[0]!);
