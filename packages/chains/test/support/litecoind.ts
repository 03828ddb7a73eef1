import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { createJsonRpc, type JsonRpc } from '../../src/json-rpc.ts';
import { freePort } from './free-port.ts';

/** Debian's package; `/usr/bin/litecoind` is a shell script that writes into the home folder. */
const BINARY = process.env['LITECOIND'] ?? '/usr/lib/litecoin/litecoind';
export const USER = 'node';
export const PASSWORD = 'node-password';

const isInstalled = existsSync(BINARY);
if (!isInstalled)
  console.warn('SKIPPED: the tests on a Bitcoin-like node, because litecoind is not installed.');

/** Runs the tests on a node; without litecoind they are skipped, and counted as such. */
export const describeOnLitecoind = describe.skipIf(!isInstalled);

export interface Litecoind {
  /** Without user and password. */
  url: string;
  /** File with `user:password`, as a node without a configured password writes it. */
  cookieFile: string;
  /** @throws Error with `code` for an error response */
  call<T = unknown>(method: string, ...params: readonly unknown[]): Promise<T>;
  /** A call of one of its wallets. */
  callWallet<T = unknown>(
    wallet: string,
    method: string,
    ...params: readonly unknown[]
  ): Promise<T>;
  /** Stops the node and starts it again on the same chain, with an empty mempool. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** The client of the gateway, signed in to the node. */
export const jsonRpcOf = ({ url }: Pick<Litecoind, 'url'>): JsonRpc =>
  createJsonRpc({ url, user: USER, password: PASSWORD, exactNumbers: true });

export interface LitecoindOptions {
  /** More options of the program. */
  options?: readonly string[];
  /** Litecoin's extension blocks (MWEB) from height 432 on. Default: none. */
  extensionBlocks?: boolean;
  /** `cookie`: the node makes up its own password. Default: `password`. */
  authentication?: 'password' | 'cookie';
}

const OPTIONS = [
  '-regtest',
  '-server',
  '-listen=0',
  '-rpcbind=127.0.0.1',
  '-rpcallowip=127.0.0.1',
  '-fallbackfee=0.0002',
  '-txindex=1',
  '-persistmempool=0',
  '-printtoconsole=0',
  // Litecoin's default refuses replacements, which Bitcoin's nodes accept.
  '-mempoolreplacement=1',
];
/** Otherwise extension blocks begin at height 432, where this node can't mine without one. */
const NO_EXTENSION_BLOCKS = '-vbparams=mweb:4000000000:4000000001';

/**
 * Starts Debian's litecoind on an empty chain of its own: the code of Bitcoin Core 0.21 with real
 * mempool rules. Blocks are mined on demand.
 */
export async function startLitecoind({
  options = [],
  extensionBlocks = false,
  authentication = 'password',
}: LitecoindOptions = {}): Promise<Litecoind> {
  const folder = mkdtempSync(join(tmpdir(), 'litecoind-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const cookieFile = join(folder, 'regtest', '.cookie');
  const hasPassword = authentication === 'password';
  const login = (): string =>
    hasPassword ? `${USER}:${PASSWORD}` : readFileSync(cookieFile, 'utf8');
  let child: ChildProcess;
  let ended: Promise<void>;
  const callAt = createCaller(url, login);
  const call: Litecoind['call'] = (method, ...params) => callAt('/', method, params);

  const isReady = async (): Promise<boolean> => {
    try {
      await call('getblockcount');
      return true;
    } catch {
      return false;
    }
  };

  async function start(): Promise<void> {
    const own = [`-datadir=${folder}`, `-rpcport=${port}`];
    const secret = hasPassword ? [`-rpcuser=${USER}`, `-rpcpassword=${PASSWORD}`] : [];
    const extension = extensionBlocks ? [] : [NO_EXTENSION_BLOCKS];
    child = spawn(BINARY, [...OPTIONS, ...extension, ...own, ...secret, ...options], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    ended = new Promise((resolve) => child.once('exit', () => resolve()));
    for (let waited = 0; !(await isReady()); waited += 25) {
      if (waited > 30_000 || child.exitCode !== null) throw new Error('litecoind did not start');
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  async function stop(): Promise<void> {
    child.kill();
    await ended;
  }

  const killOnExit = (): void => void child.kill('SIGKILL');
  process.once('exit', killOnExit);
  await start();
  return {
    url,
    cookieFile,
    call,
    callWallet: (wallet, method, ...params) => callAt(`/wallet/${wallet}`, method, params),
    async restart() {
      await stop();
      await start();
    },
    async stop() {
      process.off('exit', killOnExit);
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Calls a path of the node with its present login. */
function createCaller(
  url: string,
  login: () => string,
): <T>(path: string, method: string, params: readonly unknown[]) => Promise<T> {
  let nextId = 0;
  return async <T>(path: string, method: string, params: readonly unknown[]) => {
    const headers = { authorization: `Basic ${btoa(login())}` };
    const body = JSON.stringify({ id: (nextId += 1), method, params });
    const response = await fetch(url + path, { method: 'POST', headers, body });
    const { result, error } = (await response.json()) as Answer;
    if (error) throw Object.assign(new Error(`${method}: ${error.message}`), { code: error.code });
    return result as T;
  };
}

interface Answer {
  result: unknown;
  error: { code: number; message: string } | null;
}
