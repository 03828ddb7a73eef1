import { createPrivateKey, X509Certificate } from 'node:crypto';
import { ConfigError } from '@crypto-checkout/chains/error';
import { readNamedFile } from '@crypto-checkout/chains/read-file';

/**
 * The files of one side of a connection on which both sides have a certificate (RFC 8446), in PEM.
 */
export interface TlsFiles {
  /** Certificates that sign those of the other side. */
  ca: string;
  cert: string;
  key: string;
}
export interface TlsIdentity {
  ca: Buffer;
  cert: Buffer;
  key: Buffer;
}

/** Older versions show the client's certificate to everybody on the way. */
export const TLS_VERSION = 'TLSv1.3';

/**
 * Reads the files and checks what would otherwise fail at each connection.
 * @param names of the settings, for the sentences
 * @throws ConfigError with one sentence
 */
export function readTls(files: TlsFiles, names: TlsFiles, now: number = Date.now()): TlsIdentity {
  const read = (member: keyof TlsFiles): Buffer => readNamedFile(names[member], files[member]);
  const identity = { ca: read('ca'), cert: read('cert'), key: read('key') };
  certificateIn(identity.ca, names.ca);
  const certificate = certificateIn(identity.cert, names.cert);
  const key = keyIn(identity.key, names.key);
  if (!certificate.checkPrivateKey(key))
    throw new ConfigError(`${names.key} is not the private key of ${names.cert}.`);
  if (Date.parse(certificate.validTo) <= now)
    throw new ConfigError(`The certificate of ${names.cert} expired on ${certificate.validTo}.`);
  return identity;
}

function certificateIn(bytes: Buffer, name: string): X509Certificate {
  try {
    return new X509Certificate(bytes);
  } catch (cause) {
    throw new ConfigError(`${name} has no certificate in PEM.`, { cause });
  }
}

function keyIn(bytes: Buffer, name: string): ReturnType<typeof createPrivateKey> {
  try {
    return createPrivateKey(bytes);
  } catch (cause) {
    throw new ConfigError(`${name} has no private key in PEM without a passphrase.`, { cause });
  }
}

/** Why the certificate of the other side is not accepted, as the end of a sentence. */
export function tlsProblem(code: string): string {
  switch (code) {
    case 'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE':
      return 'it has no certificate';
    case 'CERT_HAS_EXPIRED':
      return 'its certificate has expired';
    case 'CERT_NOT_YET_VALID':
      return 'its certificate is not valid yet';
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return 'its certificate is for another host';
    case 'INVALID_PURPOSE':
      return 'its certificate is for another purpose';
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'CERT_SIGNATURE_FAILURE':
      return 'its certificate is not signed by the ones that are accepted';
    case 'ERR_SSL_UNSUPPORTED_PROTOCOL':
    case 'ERR_SSL_HTTP_REQUEST':
      return 'it does not speak TLS 1.3';
    default:
      return `the connection failed (${code})`;
  }
}
