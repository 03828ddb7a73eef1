import { createHash } from 'node:crypto';
import { existsSync, realpathSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * Holds a folder for this process as long as it lives: a socket ends with its process, however that
 * is killed. Processes in other containers are not found.
 * @param path a folder, which need not exist yet
 * @returns false when another process holds it
 */
export async function lockFolder(path: string): Promise<boolean> {
  const address = addressOf(existsSync(path) ? realpathSync(path) : resolve(path));
  if (await listens(address)) return true;
  if (await answers(address)) return false;
  // Where such a socket is a file, a killed process leaves it.
  if (!address.startsWith('\0')) rmSync(address, { force: true });
  return listens(address);
}

function addressOf(path: string): string {
  const name = `crypto-checkout-${createHash('sha256').update(path).digest('hex').slice(0, 24)}`;
  if (process.platform === 'linux') return `\0${name}`;
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
}

const listens = (address: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const server: Server = createServer((socket) => socket.destroy());
    server.unref();
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    );
    server.listen(address, () => resolve(true));
  });

const answers = (address: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(address);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
