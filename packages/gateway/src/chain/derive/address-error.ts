/** An address that can't be paid: a bad checksum, another network, another chain. The message names the address and what was wrong. */
export class AddressError extends Error {
  override readonly name = 'AddressError';
}

/** An address in the form in which it is stored and compared; `tag` only where the chain has one. */
export interface ParsedAddress {
  address: string;
  tag: string | null;
}
