import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { hex, utf8 } from '@scure/base';
import { evmAddress } from '../address.ts';
import type { EvmPlan, SignedTransaction } from '../../sender.ts';

/** ERC-20 `transfer(address,uint256)`. */
const TRANSFER_SELECTOR = 'a9059cbb';
/** EIP-2718 type of EIP-1559 transactions. */
const DYNAMIC_FEE = 2;

/**
 * Returns the recipient, value and call data. A token's memo follows the arguments; contracts
 * ignore the extra bytes.
 */
export function evmCall({
  token,
  to,
  units,
  memo,
}: Pick<EvmPlan, 'token' | 'to' | 'units' | 'memo'>): {
  to: string;
  value: bigint;
  data: string;
} {
  const message = memo === null ? '' : hex.encode(utf8.decode(memo));
  if (token === null) return { to, value: BigInt(units), data: `0x${message}` };
  const recipient = to.slice(2).toLowerCase().padStart(64, '0');
  return {
    to: token,
    value: 0n,
    data: `0x${TRANSFER_SELECTOR}${recipient}${BigInt(units).toString(16).padStart(64, '0')}${message}`,
  };
}

/** The bytes of a transaction without its signature, as 0x hex digits. */
export const unsignedEvm = (plan: UnsignedEvm): string => `0x${hex.encode(typed(fieldsOf(plan)))}`;

type UnsignedEvm = Omit<EvmPlan, 'family' | 'from'>;

function fieldsOf(plan: UnsignedEvm): Rlp[] {
  const { to, value, data } = evmCall(plan);
  return [
    integer(BigInt(plan.chainId)),
    integer(BigInt(plan.nonce)),
    integer(BigInt(plan.maxPriorityFeePerGas)),
    integer(BigInt(plan.maxFeePerGas)),
    integer(BigInt(plan.gasLimit)),
    hex.decode(to.slice(2).toLowerCase()),
    integer(value),
    hex.decode(data.slice(2)),
    [],
  ];
}

/** Signs an EIP-1559 transaction deterministically (RFC 6979). */
export function signEvm(plan: EvmPlan, key: Uint8Array): SignedTransaction {
  const fields = fieldsOf(plan);
  const digest = keccak_256(typed(fields));
  const [recovery = 0, ...signature] = secp256k1.sign(digest, key, {
    prehash: false,
    format: 'recovered',
  });
  const r = BigInt(`0x${hex.encode(Uint8Array.from(signature.slice(0, 32)))}`);
  const s = BigInt(`0x${hex.encode(Uint8Array.from(signature.slice(32)))}`);
  const bytes = typed([...fields, integer(BigInt(recovery)), integer(r), integer(s)]);
  return { raw: `0x${hex.encode(bytes)}`, txid: `0x${hex.encode(keccak_256(bytes))}` };
}

/**
 * Whether these bytes are the plan, signed by its sender. A signer in another process could answer
 * anything.
 */
export function isSignedPlan(plan: EvmPlan, { raw, txid }: SignedTransaction): boolean {
  if (!/^0x02([0-9a-f]{2})+$/.test(raw)) return false;
  const bytes = hex.decode(raw.slice(2));
  const [recovery, r, s] = itemsOf(bytes.subarray(1)).slice(-3);
  if (recovery === undefined || r === undefined || s === undefined) return false;
  const fields = fieldsOf(plan);
  const expected = typed([...fields, recovery, r, s]);
  if (hex.encode(expected) !== hex.encode(bytes)) return false;
  if (txid !== `0x${hex.encode(keccak_256(bytes))}`) return false;
  try {
    const signature = Uint8Array.from([recovery[0] ?? 0, ...padded(r), ...padded(s)]);
    const digest = keccak_256(typed(fields));
    const key = secp256k1.recoverPublicKey(signature, digest, { prehash: false });
    const sender = evmAddress(secp256k1.Point.fromBytes(key).toBytes(false));
    return sender.toLowerCase() === plan.from.address.toLowerCase();
  } catch {
    return false;
  }
}

/** To 32 bytes; RLP drops the zeros in front of a number. */
const padded = (bytes: Uint8Array): Uint8Array =>
  Uint8Array.from([...new Uint8Array(Math.max(0, 32 - bytes.length)), ...bytes]);

/** The items of an RLP list. A nested list is returned as its bytes. */
function itemsOf(list: Uint8Array): Uint8Array[] {
  const items: Uint8Array[] = [];
  let at = headerOf(list, 0).start;
  while (at < list.length) {
    const { start, end } = headerOf(list, at);
    items.push(list.slice(start, end));
    at = end;
  }
  return items;
}

function headerOf(bytes: Uint8Array, at: number): { start: number; end: number } {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return { start: at, end: at + 1 };
  const length = (first - 0x80) % 0x40;
  if (length < 56) return { start: at + 1, end: at + 1 + length };
  const size = length - 55;
  const long = bytes.slice(at + 1, at + 1 + size).reduce((sum, byte) => sum * 256 + byte, 0);
  return { start: at + 1 + size, end: at + 1 + size + long };
}

type Rlp = Uint8Array | Rlp[];

const typed = (fields: Rlp[]): Uint8Array => Uint8Array.from([DYNAMIC_FEE, ...rlp(fields)]);

/** RLP (yellow paper, appendix B). */
function rlp(item: Rlp): number[] {
  if (item instanceof Uint8Array) {
    if (item.length === 1 && item[0]! < 0x80) return [...item];
    return [...prefix(0x80, item.length), ...item];
  }
  const content = item.flatMap(rlp);
  return [...prefix(0xc0, content.length), ...content];
}

function prefix(offset: number, length: number): number[] {
  if (length < 56) return [offset + length];
  const size = integer(BigInt(length));
  return [offset + 55 + size.length, ...size];
}

/** Without leading zeros; zero is empty. */
function integer(value: bigint): Uint8Array {
  if (value === 0n) return new Uint8Array();
  const digits = value.toString(16);
  return hex.decode(digits.length % 2 === 0 ? digits : `0${digits}`);
}
