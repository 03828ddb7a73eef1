import { chmodSync, existsSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { ConfigError } from '@crypto-checkout/chains/error';

/**
 * Listens on a Unix socket that the signer's user and group may use.
 * @throws ConfigError when another signer listens there, or its folder is missing or closed
 */
export async function listenOnSocket(server: Server, path: string): Promise<void> {
  if (!existsSync(dirname(path))) throw cannotListen(path, 'its folder does not exist');
  if (existsSync(path)) {
    if (await answers(path)) throw new ConfigError(`Another signer listens on ${path}.`);
    rmSync(path);
  }
  const before = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error) => reject(cannotListen(path, error.message)));
      server.listen(path, resolve);
    });
  } finally {
    process.umask(before);
  }
  chmodSync(path, 0o660);
}

/**
 * Listens on an address of the machine.
 * @param address host and port, as in `10.0.0.7:7443` or `[::1]:7443`
 * @throws ConfigError when it is no address, or not free
 */
export async function listenOnAddress(server: Server, address: string): Promise<void> {
  const [, host, port] = /^(?:\[([0-9a-f:]+)\]|[\w.-]+):(\d{1,5})$/i.exec(address) ?? [];
  if (port === undefined || Number(port) > 65_535)
    throw new ConfigError(`--listen must be a host and a port, such as 10.0.0.7:7443.`);
  const name = host ?? address.slice(0, address.lastIndexOf(':'));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(address, error.message)));
    server.listen(Number(port), name, resolve);
  });
}

const cannotListen = (where: string, reason: string): ConfigError =>
  new ConfigError(`The signer cannot listen on ${where}: ${reason}.`);

const answers = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
