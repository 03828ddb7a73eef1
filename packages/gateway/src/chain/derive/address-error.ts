/** An address that can't be paid: a bad checksum, another network, another chain. The message names the address and what was wrong. */
export class AddressError extends Error {
  override readonly name = 'AddressError';
}

/**
 * What is sent to the address of zeros is burnt; a program that forgot to fill one in sends it there.
 * @param account the part of the address that says whose it is
 * @throws AddressError
 */
export function requireSomebody(account: Uint8Array, text: string): void {
  if (account.every((byte) => byte === 0)) throw new AddressError(`"${text}" is the address of nobody`);
}

/** An address in the form in which it is stored and compared; `tag` only where the chain has one. */
export interface ParsedAddress {
  address: string;
  tag: string | null;
}
