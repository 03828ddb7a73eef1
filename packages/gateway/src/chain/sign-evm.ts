import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { hex, utf8 } from '@scure/base';
import type { EvmPlan, SignedTransaction } from './sender.ts';

/** ERC-20 `transfer(address,uint256)`. */
const TRANSFER_SELECTOR = 'a9059cbb';
/** EIP-2718 type of EIP-1559 transactions. */
const DYNAMIC_FEE = 2;

/** What the transaction calls, with how much of the coin. A memo follows a token's arguments, which contracts leave unread. */
export function evmCall({ token, to, units, memo }: Pick<EvmPlan, 'token' | 'to' | 'units' | 'memo'>): {
  to: string;
  value: bigint;
  data: string;
} {
  const message = memo === null ? '' : hex.encode(utf8.decode(memo));
  if (token === null) return { to, value: BigInt(units), data: `0x${message}` };
  const recipient = to.slice(2).toLowerCase().padStart(64, '0');
  return { to: token, value: 0n, data: `0x${TRANSFER_SELECTOR}${recipient}${BigInt(units).toString(16).padStart(64, '0')}${message}` };
}

/** Signs an EIP-1559 transaction, deterministically (RFC 6979). */
export function signEvm(plan: EvmPlan, key: Uint8Array): SignedTransaction {
  const { to, value, data } = evmCall(plan);
  const fields: Rlp[] = [
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
  const digest = keccak_256(typed(fields));
  const [recovery = 0, ...signature] = secp256k1.sign(digest, key, { prehash: false, format: 'recovered' });
  const r = BigInt(`0x${hex.encode(Uint8Array.from(signature.slice(0, 32)))}`);
  const s = BigInt(`0x${hex.encode(Uint8Array.from(signature.slice(32)))}`);
  const bytes = typed([...fields, integer(BigInt(recovery)), integer(r), integer(s)]);
  return { raw: `0x${hex.encode(bytes)}`, txid: `0x${hex.encode(keccak_256(bytes))}` };
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
