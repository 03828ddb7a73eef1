import type { AddressVersions } from '@crypto-checkout/protocol/chain-details';
import { CHAINS, type ChainFamily, type ChainId } from '@crypto-checkout/protocol/kind';
import type { DeriveOptions, DepositTarget } from './adapter.ts';
import type { PublicKeys } from './keys.ts';
import { lightningTarget } from './lightning/payment-request.ts';
import { AddressError, type ParsedAddress } from './parsed-address.ts';
import { bitcoinAddress, parseBitcoinAddress, utxoParameters } from './bitcoin/address.ts';
import { utxoAccount } from './bitcoin/account.ts';
import { evmAddress, parseEvmAddress } from './evm/address.ts';
import { receivingKey, uncompressedReceivingKey } from './hd-keys.ts';
import { liquidAddress, parseLiquidAddress, plainLiquidAddress } from './liquid/address.ts';
import { parseSolanaAddress, solanaAddress } from './solana/address.ts';
import { parseTonAddress, tonAddress } from './ton/address.ts';
import { parseTronAddress, tronAddress } from './tron/address.ts';
import { parseXrpAddress, tagOf, xAddress } from './xrp/address.ts';

type Derive = (
  keys: PublicKeys,
  chain: ChainId,
  options: DeriveOptions,
) => DepositTarget | Promise<DepositTarget>;

/** By family, so that a further chain of a family needs no code here. */
const DERIVE: Readonly<Record<ChainFamily, Derive>> = {
  utxo: (keys, chain, options) =>
    utxoDepositTarget(keys, chain, options, utxoParameters(chain)[keys.network]),
  liquid: (keys, _, { index }) => liquidTarget(keys, index),
  xrp: (keys, _, { index }) => xrpTarget(keys, index),
  ton: ({ network, ton }, chain, { index }) => plain(chain, tonAddress(network, ton, index)),
  solana: async ({ solana }, chain, { index }) =>
    plain(chain, solanaAddress(await solana.publicKey(index))),
  tron: ({ tron }, chain, { index }) =>
    plain(chain, tronAddress(uncompressedReceivingKey(tron, index))),
  lightning: (keys, _, options) => lightningTarget(keys, options),
  evm: ({ evm }, chain, { index }) =>
    plain(chain, evmAddress(uncompressedReceivingKey(evm, index))),
};

/**
 * Derives the deposit target with index `options.index` from public keys, on the sandbox and on a
 * node alike.
 */
export async function deriveTarget(
  keys: PublicKeys,
  chain: ChainId,
  options: DeriveOptions,
): Promise<DepositTarget> {
  return DERIVE[CHAINS[chain].family](keys, chain, options);
}

type Parse = (chain: ChainId, network: 'mainnet' | 'testnet', text: string) => ParsedAddress;

const PARSE: Readonly<Record<ChainFamily, Parse>> = {
  utxo: parseBitcoinAddress,
  liquid: (_, network, text) => parseLiquidAddress(network, text),
  xrp: (_, network, text) => parseXrpAddress(network, text),
  ton: (_, network, text) => parseTonAddress(network, text),
  solana: (_, __, text) => parseSolanaAddress(text),
  tron: (_, __, text) => parseTronAddress(text),
  lightning: (_, __, text) => {
    throw new AddressError(`"${text}": lightning uses payment requests instead of addresses`);
  },
  evm: (_, __, text) => parseEvmAddress(text),
};

/**
 * Validates an address from a payer or a payout and returns the form that is stored.
 * @throws AddressError when form, checksum or network is wrong
 * @example parseAddress('xrp', 'mainnet', 'rHsMGQEkVNJmpGWs8XUBoTBiAAbwxZN5v3:12345') // {address:
 * 'rHs…', tag: '12345'}
 */
export function parseAddress(
  chain: ChainId,
  network: 'mainnet' | 'testnet',
  text: string,
): ParsedAddress {
  return PARSE[CHAINS[chain].family](chain, network, text);
}

/**
 * The key that identifies payments to an address. EVM chains share one key group and compare
 * addresses in lower case. Liquid uses the unconfidential form of a confidential address.
 */
export function watchKeyOf(chain: ChainId, address: string, tag: string | null = null): string {
  const { keyGroup, family } = CHAINS[chain];
  const normal =
    family === 'evm'
      ? address.toLowerCase()
      : family === 'liquid'
        ? plainLiquidAddress(address)
        : address;
  return tag === null ? `${keyGroup}:${normal}` : `${keyGroup}:${normal}:${tag}`;
}

function plain(chain: ChainId, address: string): DepositTarget {
  return {
    watchKeys: [watchKeyOf(chain, address)],
    address,
    tag: null,
    xAddress: null,
    publicAddress: null,
    lightning: null,
  };
}

/**
 * The deposit target of a UTXO chain on one of its networks.
 * @throws RangeError for a chain without an account
 */
export function utxoDepositTarget(
  keys: PublicKeys,
  chain: ChainId,
  options: DeriveOptions,
  versions: AddressVersions,
): DepositTarget {
  const format =
    chain === 'bitcoin' ? bitcoinFormat(keys, options) : utxoParameters(chain).addressFormat;
  const account = utxoAccount(keys, chain, format);
  return plain(chain, bitcoinAddress(versions, format, receivingKey(account, options.index)));
}

function bitcoinFormat(
  keys: Pick<PublicKeys, 'bitcoinFormat'>,
  { kind, format }: DeriveOptions,
): 'bech32' | 'p2sh' {
  if (kind === 'BTC_P2SH') return 'p2sh';
  return kind === 'BTC_BECH32' ? 'bech32' : (format ?? keys.bitcoinFormat);
}

function liquidTarget({ network, liquid }: PublicKeys, index: number): DepositTarget {
  const address = liquidAddress(
    network,
    receivingKey(liquid.account, index),
    liquid.masterBlindingKey,
  );
  return {
    ...plain('liquid', address.confidential),
    watchKeys: [watchKeyOf('liquid', address.plain)],
    publicAddress: address.plain,
  };
}

function xrpTarget({ network, xrp }: PublicKeys, index: number): DepositTarget {
  const tag = tagOf(index);
  return {
    ...plain('xrp', xrp),
    watchKeys: [watchKeyOf('xrp', xrp, tag)],
    tag,
    xAddress: xAddress(network, xrp, tag),
  };
}
