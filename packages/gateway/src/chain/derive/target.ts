import { CHAINS, type ChainId } from '@crypto-checkout/protocol/kind';
import type { DeriveOptions, DepositTarget } from '../adapter.ts';
import type { PublicKeys } from '../keys.ts';
import { lightningTarget } from '../lightning/request.ts';
import { AddressError, type ParsedAddress } from './address-error.ts';
import { bitcoinAddress, parseBitcoinAddress } from './bitcoin.ts';
import { evmAddress, parseEvmAddress } from './evm.ts';
import { receivingKey, uncompressedReceivingKey } from './hd.ts';
import { liquidAddress, parseLiquidAddress, plainLiquidAddress } from './liquid.ts';
import { parseSolanaAddress, solanaAddress } from './solana.ts';
import { parseTonAddress, tonAddress } from './ton.ts';
import { parseTronAddress, tronAddress } from './tron.ts';
import { parseXrpAddress, tagOf, xAddress } from './xrp.ts';

type Derive = (keys: PublicKeys, options: DeriveOptions) => DepositTarget | Promise<DepositTarget>;

const evm =
  (chain: ChainId): Derive =>
  ({ evm: account }, { index }) =>
    plain(chain, evmAddress(uncompressedReceivingKey(account, index)));

const DERIVE: Readonly<Record<ChainId, Derive>> = {
  bitcoin: (keys, options) => plain('bitcoin', bitcoinTarget(keys, options)),
  litecoin: ({ network, litecoin }, { index }) =>
    plain('litecoin', bitcoinAddress('litecoin', network, 'bech32', receivingKey(litecoin, index))),
  dogecoin: ({ network, dogecoin }, { index }) =>
    plain('dogecoin', bitcoinAddress('dogecoin', network, 'p2pkh', receivingKey(dogecoin, index))),
  liquid: (keys, { index }) => liquidTarget(keys, index),
  xrp: (keys, { index }) => xrpTarget(keys, index),
  ton: ({ network, ton }, { index }) => plain('ton', tonAddress(network, ton, index)),
  solana: async ({ solana }, { index }) => plain('solana', solanaAddress(await solana.publicKey(index))),
  tron: ({ tron }, { index }) => plain('tron', tronAddress(uncompressedReceivingKey(tron, index))),
  lightning: lightningTarget,
  ethereum: evm('ethereum'),
  base: evm('base'),
  arbitrum: evm('arbitrum'),
  polygon: evm('polygon'),
  bsc: evm('bsc'),
  celo: evm('celo'),
};

/** Where target number `options.index` of a chain is paid; the same for a sandbox and for a node, from public material only. */
export async function deriveTarget(keys: PublicKeys, chain: ChainId, options: DeriveOptions): Promise<DepositTarget> {
  return DERIVE[chain](keys, options);
}

type Parse = (network: 'mainnet' | 'testnet', text: string) => ParsedAddress;

const parseEvm: Parse = (_, text) => parseEvmAddress(text);

const PARSE: Readonly<Record<ChainId, Parse>> = {
  bitcoin: (network, text) => parseBitcoinAddress('bitcoin', network, text),
  litecoin: (network, text) => parseBitcoinAddress('litecoin', network, text),
  dogecoin: (network, text) => parseBitcoinAddress('dogecoin', network, text),
  liquid: parseLiquidAddress,
  xrp: parseXrpAddress,
  ton: parseTonAddress,
  solana: (_, text) => parseSolanaAddress(text),
  tron: (_, text) => parseTronAddress(text),
  lightning: (_, text) => {
    throw new AddressError(`"${text}": lightning has requests, not addresses`);
  },
  ethereum: parseEvm,
  base: parseEvm,
  arbitrum: parseEvm,
  polygon: parseEvm,
  bsc: parseEvm,
  celo: parseEvm,
};

/**
 * Checks an address as a payer or a payout would give it, and brings it into the form in which it is stored.
 * @throws AddressError when form, checksum or network is wrong
 * @example parseAddress('xrp', 'mainnet', 'rHsMGQEkVNJmpGWs8XUBoTBiAAbwxZN5v3:12345') // {address: 'rHs…', tag: '12345'}
 */
export function parseAddress(chain: ChainId, network: 'mainnet' | 'testnet', text: string): ParsedAddress {
  return PARSE[chain](network, text);
}

/**
 * The key under which a payment to an address is found; EVM chains share one, and addresses differ by case only in their checksum. On
 * Liquid it is the plain address, also of a confidential one.
 */
export function watchKeyOf(chain: ChainId, address: string, tag: string | null = null): string {
  const { keyGroup, family } = CHAINS[chain];
  const normal = family === 'evm' ? address.toLowerCase() : family === 'liquid' ? plainLiquidAddress(address) : address;
  return tag === null ? `${keyGroup}:${normal}` : `${keyGroup}:${normal}:${tag}`;
}

function plain(chain: ChainId, address: string): DepositTarget {
  return { watchKeys: [watchKeyOf(chain, address)], address, tag: null, xAddress: null, publicAddress: null, lightning: null };
}

function bitcoinTarget(keys: PublicKeys, { kind, index, format: setting }: DeriveOptions): string {
  const format = kind === 'BTC_P2SH' ? 'p2sh' : kind === 'BTC_BECH32' ? 'bech32' : (setting ?? keys.bitcoinFormat);
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
