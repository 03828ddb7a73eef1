import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bech32 } from '@scure/base';
import { describe } from 'vitest';
import { freePort } from '../free-port.ts';
import type { Litecoind } from '../litecoind.ts';
import { startElectrumServer } from './electrum-server.ts';
import { until } from './lightning-network.ts';

const PROGRAM = fileURLToPath(new URL('electrum-on-litecoin.py', import.meta.url));
const isInstalled = existsSync('/usr/bin/electrum') && existsSync('/usr/lib/litecoin/litecoind');
if (!isInstalled)
  console.warn('SKIPPED: a wallet that is not ours pays, because electrum is not installed.');

/** Runs the tests with Electrum; without it they are skipped, and counted as such. */
export const describeWithElectrum = describe.skipIf(!isInstalled);

/** Debian's Electrum: a wallet of its own, with its own implementation of lightning. */
export interface Electrum {
  call<T>(method: string, params?: object): Promise<T>;
  /** An address in the format of the chain. */
  address(): Promise<string>;
  stop(): Promise<void>;
}

const USER = 'wallet';
const PASSWORD = 'wallet-password';

export async function startElectrum(chain: Litecoind): Promise<Electrum> {
  const server = await startElectrumServer(chain);
  const folder = mkdtempSync(join(tmpdir(), 'electrum-'));
  const port = await freePort();
  const run = promisify(execFile);
  const offline = (...words: string[]) =>
    run('/usr/bin/python3', [PROGRAM, '--regtest', '-D', folder, '--offline', ...words]);
  await offline('create');
  const settings = {
    rpcuser: USER,
    rpcpassword: PASSWORD,
    rpcport: String(port),
    // Without gossip it connects to trampoline nodes only.
    use_gossip: 'true',
  };
  for (const [name, value] of Object.entries(settings)) await offline('setconfig', name, value);
  const daemon = spawn(
    '/usr/bin/python3',
    [PROGRAM, '--regtest', '-D', folder, 'daemon', '-1', '-s', `127.0.0.1:${server.port}:t`],
    { stdio: 'ignore' },
  );
  const ended = new Promise<void>((resolve) => daemon.once('exit', () => resolve()));
  const killOnExit = (): void => void daemon.kill('SIGKILL');
  process.once('exit', killOnExit);

  async function call<T>(method: string, params: object = {}): Promise<T> {
    const response = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${USER}:${PASSWORD}`)}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const text = await response.text();
    // Electrum answers a method that it does not have with bare text.
    if (!text.startsWith('{')) throw new Error(`${method}: Electrum answers "${text}"`);
    const { result, error } = JSON.parse(text) as { result: T; error?: { message: string } };
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  const isConnected = async (): Promise<boolean> => {
    try {
      return (await call<{ connected: boolean }>('getinfo')).connected;
    } catch {
      return false;
    }
  };
  await until(isConnected);
  await call('load_wallet');
  return {
    call,
    async address() {
      const address = await call<string>('createnewaddress');
      return bech32.encode('rltc', bech32.decode(address as `${string}1${string}`).words);
    },
    async stop() {
      process.off('exit', killOnExit);
      daemon.kill('SIGKILL');
      await ended;
      server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
