import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent, type RequestOptions } from 'node:https';
import { checkServerIdentity } from 'node:tls';
import { ConfigError } from '../../error.ts';

export interface Tls {
  options(): RequestOptions;
  /** Reads the file again. @returns whether the certificate changed */
  renew(): boolean;
}

/**
 * A node's certificate signs itself, so it is trusted by being the one of the file: then any name
 * of the host is accepted. A certificate authority in the file is checked with the name.
 */
export function createTls(file: string | null, setting: string): Tls {
  const agentOf = (certificate: Buffer | null): Agent =>
    new Agent({
      keepAlive: true,
      ...(certificate !== null && {
        ca: certificate,
        checkServerIdentity: (host: string, shown) =>
          shown.fingerprint256 === new X509Certificate(certificate).fingerprint256
            ? undefined
            : checkServerIdentity(host, shown),
      }),
    });
  let certificate = file === null ? null : readCertificate(file, setting);
  let agent = agentOf(certificate);
  return {
    options: () => ({ agent }),
    renew() {
      if (file === null || certificate === null) return false;
      const before = certificate;
      try {
        certificate = readCertificate(file, setting);
      } catch {
        return false;
      }
      if (certificate.equals(before)) return false;
      agent.destroy();
      agent = agentOf(certificate);
      return true;
    },
  };
}

/** @throws Error when the content is no certificate */
function requireCertificate(content: Buffer): void {
  new X509Certificate(content).toString();
}

/** @throws ConfigError when the file is missing or holds no certificate */
function readCertificate(file: string, setting: string): Buffer {
  try {
    const content = readFileSync(file);
    requireCertificate(content);
    return content;
  } catch (cause) {
    throw new ConfigError(
      `${setting} must be the path of the node's certificate; the file is missing or holds none.`,
      { cause },
    );
  }
}
