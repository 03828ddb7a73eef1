import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Certificates for tests, as DER (X.690) of RFC 5280, with Ed25519 keys (RFC 8410). No tool that a
// machine may lack makes them.

const der = (tag: number, ...parts: Uint8Array[]): Uint8Array => {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.from([tag, ...size, ...content]);
};
const sequence = (...parts: Uint8Array[]): Uint8Array => der(0x30, ...parts);
const oid = (...bytes: number[]): Uint8Array => der(0x06, Uint8Array.from(bytes));
const bits = (content: Uint8Array): Uint8Array => der(0x03, Uint8Array.of(0), content);
const ED25519 = sequence(oid(0x2b, 0x65, 0x70));
const nameOf = (text: string): Uint8Array =>
  sequence(der(0x31, sequence(oid(0x55, 4, 3), der(0x0c, Buffer.from(text)))));
const time = (at: Date): Uint8Array =>
  der(0x18, Buffer.from(at.toISOString().replaceAll(/[-:T]|\.\d+/g, '')));

export interface Certificate {
  cert: string;
  key: string;
}
export interface TestCertificate extends Certificate {
  name: string;
  privateKey: KeyObject;
}

interface Wanted {
  name: string;
  /** Default: it signs itself. */
  issuer?: TestCertificate | null;
  /** IPv4 address of the server. Default: 127.0.0.1. */
  ip?: string;
  /** Default: from an hour ago to tomorrow. */
  from?: Date;
  to?: Date;
}

const HOUR = 3_600_000;

/** Makes a certificate and its key, in PEM. */
export function makeCertificate({
  name,
  issuer = null,
  ip = '127.0.0.1',
  from = new Date(Date.now() - HOUR),
  to = new Date(Date.now() + 24 * HOUR),
}: Wanted): TestCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const alternativeName = sequence(der(0x87, Uint8Array.from(ip.split('.').map(Number))));
  const isAuthority = sequence(der(0x01, Uint8Array.of(0xff)));
  const extensions = sequence(
    sequence(oid(0x55, 0x1d, 0x11), der(0x04, alternativeName)),
    ...(issuer === null ? [sequence(oid(0x55, 0x1d, 0x13), der(0x04, isAuthority))] : []),
  );
  const content = sequence(
    der(0xa0, der(0x02, Uint8Array.of(2))),
    der(0x02, Uint8Array.of(1), randomBytes(8)),
    ED25519,
    nameOf(issuer?.name ?? name),
    sequence(time(from), time(to)),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = sign(null, content, issuer?.privateKey ?? privateKey);
  const bytes = Buffer.from(sequence(content, ED25519, bits(signature)));
  const lines = bytes.toString('base64').replaceAll(/.{1,64}/g, '$&\n');
  return {
    name,
    privateKey,
    cert: `-----BEGIN CERTIFICATE-----\n${lines}-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}

/** Writes both parts to a folder. */
export function writeCertificate(folder: string, made: TestCertificate): Certificate {
  const [cert, key] = [join(folder, `${made.name}.pem`), join(folder, `${made.name}-key.pem`)];
  writeFileSync(cert, made.cert);
  writeFileSync(key, made.key, { mode: 0o600 });
  return { cert, key };
}
