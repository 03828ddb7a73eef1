import type { Server } from 'node:http';
import { ConfigError } from '../config.ts';

export interface Address {
  host: string;
  port: number;
  /** Name of the setting with the port. */
  setting: string;
}

/**
 * Listens on the address.
 * @throws ConfigError that names the setting when the address is not available
 */
export async function bind(server: Server, address: Address): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) =>
      server.once('error', reject).listen(address.port, address.host, resolve),
    );
  } catch (cause) {
    const sentence = explain((cause as NodeJS.ErrnoException).code, address);
    throw sentence === null ? cause : new ConfigError(sentence, { cause });
  }
}

const NOT_HERE = new Set(['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL']);

function explain(code: string | undefined, { host, port, setting }: Address): string | null {
  if (code === 'EADDRINUSE') return `The port ${port} on ${host} is taken; set another ${setting}.`;
  if (code === 'EACCES') return `This user may not listen on port ${port}; set another ${setting}.`;
  return code !== undefined && NOT_HERE.has(code)
    ? `HOST must be an address of this machine, not "${host}".`
    : null;
}
