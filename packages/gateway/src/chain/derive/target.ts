import { CHAINS, type ChainId } from '@crypto-checkout/protocol/kind';
import type { DeriveOptions, DepositTarget } from '../adapter.ts';
import type { PublicKeys } from '../keys.ts';
import { lightningTarget } from '../lightning/request.ts';
import { AddressError, type ParsedAddress } from './address-error.ts';
import { bitcoinAddress, parseBitcoinAddress } from './bitcoin.ts';
import { evmAddress, parseEvmAddress } from './evm.ts';
import { receivingKey } from './hd.ts';
import { liquidAddress, parseLiquidAddress } from './liquid.ts';
import { parseSolanaAddress, solanaAddress } from './solana.ts';
import { parseTonAddress, tonAddress } from './ton.ts';
import { parseTronAddress, tronAddress } from './tron.ts';
import { parseXrpAddress, tagOf, xAddress } from './xrp.ts';

/** Where target number `options.index` of a chain is paid; the same for a sandbox and for a node, from public material only. */
export async function deriveTarget(keys: PublicKeys, chain: ChainId, options: DeriveOptions): Promise<DepositTarget> {
  const { network } = keys;
  const { index } = options;
  switch (chain) {
    case 'bitcoin':
      return plain(chain, bitcoinTarget(keys, options));
    case 'litecoin':
      return plain(chain, bitcoinAddress(chain, network, 'bech32', receivingKey(keys.litecoin, index)));
    case 'dogecoin':
      return plain(chain, bitcoinAddress(chain, network, 'p2pkh', receivingKey(keys.dogecoin, index)));
    case 'liquid':
      return liquidTarget(keys, index);
    case 'xrp':
      return xrpTarget(keys, index);
    case 'ton':
      return plain(chain, tonAddress(network, keys.ton, index));
    case 'solana':
      return plain(chain, solanaAddress(await keys.solana.publicKey(index)));
    case 'tron':
      return plain(chain, tronAddress(receivingKey(keys.tron, index)));
    case 'lightning':
      return lightningTarget(keys, options);
    case 'ethereum':
    case 'base':
    case 'arbitrum':
    case 'polygon':
    case 'bsc':
    case 'celo':
      return plain(chain, evmAddress(receivingKey(keys.evm, index)));
  }
}

/**
 * Checks an address as a payer or a payout would give it, and brings it into the form in which it is stored.
 * @throws AddressError when form, checksum or network is wrong
 * @example parseAddress('xrp', 'mainnet', 'rHsMGQEkVNJmpGWs8XUBoTBiAAbwxZN5v3:12345') // {address: 'rHs…', tag: '12345'}
 */
export function parseAddress(chain: ChainId, network: 'mainnet' | 'testnet', text: string): ParsedAddress {
  switch (chain) {
    case 'bitcoin':
    case 'litecoin':
    case 'dogecoin':
      return parseBitcoinAddress(chain, network, text);
    case 'liquid':
      return parseLiquidAddress(network, text);
    case 'xrp':
      return parseXrpAddress(network, text);
    case 'ton':
      return parseTonAddress(network, text);
    case 'solana':
      return parseSolanaAddress(text);
    case 'tron':
      return parseTronAddress(text);
    case 'ethereum':
    case 'base':
    case 'arbitrum':
    case 'polygon':
    case 'bsc':
    case 'celo':
      return parseEvmAddress(text);
    case 'lightning':
      throw new AddressError('Lightning has requests, not addresses');
  }
}

/** The key under which a payment to an address is found; EVM chains share one, and addresses differ by case only in their checksum. */
export function watchKeyOf(chain: ChainId, address: string, tag: string | null = null): string {
  const { keyGroup, family } = CHAINS[chain];
  const normal = family === 'evm' ? address.toLowerCase() : address;
  return tag === null ? `${keyGroup}:${normal}` : `${keyGroup}:${normal}:${tag}`;
}

function plain(chain: ChainId, address: string): DepositTarget {
  return { watchKeys: [watchKeyOf(chain, address)], address, tag: null, xAddress: null, publicAddress: null, lightning: null };
}

function bitcoinTarget(keys: PublicKeys, { kind, index }: DeriveOptions): string {
  const format = kind === 'BTC_P2SH' ? 'p2sh' : kind === 'BTC_BECH32' ? 'bech32' : keys.bitcoinFormat;
  return bitcoinAddress('bitcoin', keys.network, format, receivingKey(keys.bitcoin[format], index));
}

function liquidTarget({ network, liquid }: PublicKeys, index: number): DepositTarget {
  const address = liquidAddress(network, receivingKey(liquid.account, index), liquid.masterBlindingKey);
  return { ...plain('liquid', address.confidential), watchKeys: [watchKeyOf('liquid', address.plain)], publicAddress: address.plain };
}

function xrpTarget({ network, xrp }: PublicKeys, index: number): DepositTarget {
  const tag = tagOf(index);
  return { ...plain('xrp', xrp), watchKeys: [watchKeyOf('xrp', xrp, tag)], tag, xAddress: xAddress(network, xrp, tag) };
}
