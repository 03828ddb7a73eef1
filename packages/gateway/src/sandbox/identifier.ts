import { base58, hex } from '@scure/base';
import { CHAINS, type ChainId } from '@crypto-checkout/protocol/kind';
import type { Ids } from '../context.ts';

/**
 * A transaction id in the chain's format: hex, `0x…` on EVM chains, a base58 signature on Solana,
 * upper case on the XRP Ledger.
 */
export function randomTxid(chain: ChainId, ids: Ids): string {
  if (chain === 'solana') return base58.encode(ids.bytes(64));
  const digits = hex.encode(ids.bytes(32));
  if (CHAINS[chain].family === 'evm') return `0x${digits}`;
  return chain === 'xrp' ? digits.toUpperCase() : digits;
}

/** A block hash in the chain's format; TRON's begins with the height. */
export function randomBlockHash(chain: ChainId, height: number, ids: Ids): string {
  if (chain === 'solana') return base58.encode(ids.bytes(32));
  const digits = hex.encode(ids.bytes(32));
  if (CHAINS[chain].family === 'evm') return `0x${digits}`;
  if (chain === 'tron') return `${height.toString(16).padStart(16, '0')}${digits.slice(16)}`;
  return chain === 'xrp' ? digits.toUpperCase() : digits;
}

/** An input that only one transaction can spend: an outpoint, or a sender's next nonce. */
export function randomInput(chain: ChainId, ids: Ids): string {
  const { family } = CHAINS[chain];
  const spent = hex.encode(ids.bytes(32));
  if (family === 'utxo' || family === 'liquid') return `${spent}:0`;
  return family === 'evm' ? `0x${spent.slice(0, 40)}:0` : `${spent.slice(0, 40)}:0`;
}
