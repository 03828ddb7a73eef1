import { readFileSync } from 'node:fs';
import { hex } from '@scure/base';
import { ConfigError } from '../../error.ts';

/** A bearer credential of LND. Its text is a secret, and never part of a message. */
export interface Macaroon {
  hex: string;
  /** As `entity:action`, such as `invoices:read`. Null when this program cannot read them. */
  permissions: readonly string[] | null;
}

/** The shortest macaroon has a signature of 32 bytes. */
const HEX = /^(?:[0-9a-f]{2}){32,4096}$/i;

/**
 * Reads a macaroon: hex digits, or the path of a file as LND writes it.
 * @throws ConfigError with one sentence that names the setting
 */
export function readMacaroon(setting: string, value: string): Macaroon {
  const bytes = HEX.test(value) ? hex.decode(value.toLowerCase()) : readBytes(setting, value);
  return { hex: hex.encode(bytes), permissions: permissionsOf(bytes) };
}

function readBytes(setting: string, path: string): Uint8Array {
  let bytes: Uint8Array;
  try {
    bytes = new Uint8Array(readFileSync(path));
  } catch (cause) {
    throw new ConfigError(
      `${setting} must be the hex digits of a macaroon, or a file of this user with one; the file can't be read.`,
      { cause },
    );
  }
  const text = new TextDecoder().decode(bytes).trim();
  return HEX.test(text) ? hex.decode(text.toLowerCase()) : bytes;
}

/** Permissions that LND_MACAROON may have. More would let a thief of this service move coins. */
const RECEIVING: readonly string[] = [
  'address:read',
  'address:write',
  'info:read',
  'invoices:read',
  'invoices:write',
  'message:read',
  'offchain:read',
  'onchain:read',
  'peers:read',
];

/** Permissions that receiving needs. */
const NEEDED: readonly string[] = ['info:read', 'invoices:read', 'invoices:write', 'offchain:read'];

/**
 * Checks that a macaroon can make and read invoices, and cannot spend.
 * @throws ConfigError with one sentence that names the setting
 */
export function requireReceiving(setting: string, { permissions }: Macaroon): void {
  if (permissions === null) return;
  const excess = permissions.filter((permission) => !RECEIVING.includes(permission));
  if (excess.length > 0)
    throw new ConfigError(
      `${setting} also allows ${shown(excess)}; bake one that only receives: ${BAKE_RECEIVING}`,
    );
  const missing = NEEDED.filter((permission) => !permissions.includes(permission));
  if (missing.length > 0)
    throw new ConfigError(`${setting} lacks ${shown(missing)}; bake it again: ${BAKE_RECEIVING}`);
}

export const BAKE_RECEIVING = `lncli bakemacaroon ${NEEDED.join(' ')}`;
export const BAKE_SENDING = 'lncli bakemacaroon offchain:read offchain:write';

/**
 * The sentence for the operator about a macaroon whose permissions cannot be read: the node accepts
 * it, and nothing shows whether it can spend. Null for any other one.
 */
export function uncheckedReceiving(setting: string, { permissions }: Macaroon): string | null {
  if (permissions !== null) return null;
  return `${setting} is not checked: its permissions cannot be read, so it may be able to spend; bake one that only receives: ${BAKE_RECEIVING}`;
}

/** As `uncheckedReceiving`, about a macaroon that pays. */
export function uncheckedSending(setting: string, { permissions }: Macaroon): string | null {
  if (permissions !== null) return null;
  return `${setting} is not checked: its permissions cannot be read, so it may be unable to pay, or allow more; bake it again: ${BAKE_SENDING}`;
}

/** @throws ConfigError with one sentence that names the setting */
export function requireSending(setting: string, { permissions }: Macaroon): void {
  if (permissions === null) return;
  const missing = ['offchain:read', 'offchain:write'].filter(
    (permission) => !permissions.includes(permission),
  );
  if (missing.length > 0)
    throw new ConfigError(`${setting} lacks ${shown(missing)}; bake it again: ${BAKE_SENDING}`);
}

const shown = (permissions: readonly string[]): string =>
  permissions.length > 4
    ? `${permissions.slice(0, 4).join(', ')} and more`
    : permissions.join(', ');

/** Packets of the binary macaroon format, version 2. */
const VERSION = 2;
const IDENTIFIER = 2;
const END = 0;
/** The version of the identifier that LND writes: a byte, then a protocol buffer. */
const BAKERY_VERSION = 3;
const OPERATIONS = 3;

/** LND lists what a macaroon allows in its identifier. The node checks the signature, not we. */
function permissionsOf(bytes: Uint8Array): string[] | null {
  try {
    const identifier = identifierOf(bytes);
    if (identifier?.[0] !== BAKERY_VERSION) return null;
    return fieldsOf(identifier.slice(1))
      .filter(({ number }) => number === OPERATIONS)
      .flatMap(({ content }) => {
        const [entity = '', ...actions] = fieldsOf(content).map((field) =>
          new TextDecoder().decode(field.content),
        );
        return actions.map((action) => `${entity}:${action}`);
      });
  } catch {
    return null;
  }
}

function identifierOf(bytes: Uint8Array): Uint8Array | null {
  const reader = createReader(bytes);
  if (reader.varint() !== VERSION) return null;
  for (let type = reader.varint(); type !== END; type = reader.varint()) {
    const content = reader.take(reader.varint());
    if (type === IDENTIFIER) return content;
  }
  return null;
}

/** The length-delimited fields of a protocol buffer; the identifier has no others. */
function fieldsOf(bytes: Uint8Array): { number: number; content: Uint8Array }[] {
  const reader = createReader(bytes);
  const fields: { number: number; content: Uint8Array }[] = [];
  while (!reader.isAtEnd()) {
    const tag = reader.varint();
    if ((tag & 7) !== 2) throw new RangeError('Another type of field');
    fields.push({ number: tag >> 3, content: reader.take(reader.varint()) });
  }
  return fields;
}

function createReader(bytes: Uint8Array) {
  let at = 0;
  return {
    isAtEnd: () => at >= bytes.length,
    varint(): number {
      let value = 0;
      for (let shift = 0; shift < 28; shift += 7) {
        const byte = bytes[at++];
        if (byte === undefined) throw new RangeError('The macaroon is cut off');
        value |= (byte & 0x7f) << shift;
        if (byte < 0x80) return value;
      }
      throw new RangeError('A number of the macaroon is too large');
    },
    take(length: number): Uint8Array {
      if (at + length > bytes.length) throw new RangeError('The macaroon is cut off');
      at += length;
      return bytes.slice(at - length, at);
    },
  };
}
