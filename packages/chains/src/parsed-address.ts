/**
 * An address that can't be paid: wrong checksum, network or chain. The message contains the address
 * and the reason.
 */
export class AddressError extends Error {
  override readonly name = 'AddressError';
}

/** An address that is valid elsewhere, such as on another test network than the node's. */
export class OtherNetworkError extends AddressError {
  readonly address: string;

  constructor(address: string, cause: unknown) {
    super(`"${address}" is not an address of the node's network`, { cause });
    this.address = address;
  }
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
