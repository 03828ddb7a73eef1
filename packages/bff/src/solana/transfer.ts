import {
  ASSOCIATED_TOKEN_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  tokenAccountOf,
} from './address.ts';

export interface Transfer {
  /** Public keys of 32 bytes. */
  payer: Uint8Array;
  recipient: Uint8Array;
  /** In the smallest units. */
  units: bigint;
  /** Null for SOL. */
  token: { mint: Uint8Array; decimals: number } | null;
  /** The hash of a recent block; the transaction is valid for about a minute after it. */
  blockhash: Uint8Array;
}

interface Instruction {
  /** Indexes into the list of accounts. */
  program: number;
  accounts: readonly number[];
  data: readonly number[];
}

/**
 * Creates a transaction for the payer's wallet to check, sign and send: a legacy message with one
 * empty signature. Tokens go to the recipient's associated token account, which is created if it is
 * missing.
 */
export function transferOf({ payer, recipient, units, token, blockhash }: Transfer): Uint8Array {
  if (token === null) {
    const transfer = { program: 2, accounts: [0, 1], data: [2, 0, 0, 0, ...u64(units)] };
    return unsigned([payer, recipient, SYSTEM_PROGRAM], 1, blockhash, [transfer]);
  }
  const { mint, decimals } = token;
  const [from, to] = [tokenAccountOf(payer, mint), tokenAccountOf(recipient, mint)];
  const accounts = [
    payer,
    from,
    to,
    recipient,
    mint,
    TOKEN_PROGRAM,
    SYSTEM_PROGRAM,
    ASSOCIATED_TOKEN_PROGRAM,
  ];
  // CreateIdempotent, then TransferChecked.
  const create = { program: 7, accounts: [0, 2, 3, 4, 6, 5], data: [1] };
  const transfer = { program: 5, accounts: [1, 4, 2, 0], data: [12, ...u64(units), decimals] };
  return unsigned(accounts, 5, blockhash, [create, transfer]);
}

/** @param readOnly number of read-only accounts at the end of the list */
function unsigned(
  accounts: readonly Uint8Array[],
  readOnly: number,
  blockhash: Uint8Array,
  instructions: readonly Instruction[],
): Uint8Array {
  const body = instructions.flatMap(({ program, accounts: places, data }) => [
    program,
    ...sized(places),
    ...sized(data),
  ]);
  const message = [
    1,
    0,
    readOnly,
    ...sized(accounts, (key) => [...key]),
    ...blockhash,
    instructions.length,
    ...body,
  ];
  return Uint8Array.from([1, ...new Uint8Array(64), ...message]);
}

/**
 * A list with its length in front. Lists are shorter than 128 members, so that one byte is enough.
 */
const sized = <T>(
  list: readonly T[],
  of: (one: T) => readonly number[] = (one) => [Number(one)],
): number[] => [list.length, ...list.flatMap((one) => of(one))];

export const MAX_UNITS = 2n ** 64n - 1n;

/** @throws RangeError for a value beyond 64 bits */
function u64(value: bigint): Uint8Array {
  if (value < 0n || value > MAX_UNITS)
    throw new RangeError(`${value} exceeds the maximum of a transfer`);
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value, true);
  return bytes;
}
