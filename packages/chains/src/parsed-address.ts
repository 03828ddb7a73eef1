/**
 * An address that can't be paid: wrong checksum, network or chain. The message contains the address
 * and the reason.
 */
export class AddressError extends Error {
  override readonly name = 'AddressError';
}

/**
 * Rejects the all-zero account, whose funds are lost: it usually comes from an unset variable.
 * @param account the account bytes of the address
 * @throws AddressError
 */
export function requireNonZeroAccount(account: Uint8Array, text: string): void {
  if (account.every((byte) => byte === 0))
    throw new AddressError(`"${text}" is the zero address: funds sent there are lost`);
}

/** An address in the form that is stored and compared. `tag` is null on chains without tags. */
export interface ParsedAddress {
  address: string;
  tag: string | null;
}
