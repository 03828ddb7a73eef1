import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../packages/chains/test/real-nodes.ts', import.meta.url));

/** litecoind, LDK behind LND's interface, and Debian's Electrum as the buyer's wallet. */
export interface RealNodes {
  /** The gateway's settings for them. */
  settings: Record<string, string>;
  /** Reads the text of a scanned code as Electrum does. */
  read(text: string): Promise<ScannedCode>;
  /** A call of Electrum's JSON-RPC. */
  electrum<T>(method: string, parameters?: object): Promise<T>;
  mine(blocks: number): Promise<void>;
  /** The time at which the lightning node settled its last payment. */
  settledAt(): Promise<number>;
  /** The state of an invoice of the lightning node, in LND's words. */
  stateOf(request: string): Promise<string>;
  /** Answers of the lightning node that LND would not give. */
  violations(): Promise<string[]>;
  stop(): Promise<void>;
}

/** Electrum's reading: an address and satoshis, a lightning request, or both. */
export interface ScannedCode {
  address?: string;
  amount?: number;
  lightning?: string;
}

const NEEDED = ['/usr/bin/electrum', process.env['LITECOIND'] ?? '/usr/lib/litecoin/litecoind'];
/** The programs that are not installed. */
export const missingPrograms = NEEDED.filter((path) => !existsSync(path));
if (missingPrograms.length > 0)
  console.warn(`SKIPPED: payments on real nodes, without ${missingPrograms.join(', ')}.`);

interface Line {
  settings?: Record<string, string>;
  id?: number;
  result?: unknown;
  error?: string;
}

export async function startRealNodes(): Promise<RealNodes> {
  const program = spawn(process.execPath, ['--conditions=source', '--import', 'tsx', PROGRAM], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => program.once('exit', () => resolve()));
  const open = new Map<number, (line: Line) => void>();
  let started: (settings: Record<string, string>) => void;
  const settings = await new Promise<Record<string, string>>((resolve, reject) => {
    started = resolve;
    void ended.then(() => reject(new Error('The nodes did not start')));
    createInterface({ input: program.stdout }).on('line', (text) => {
      const line = JSON.parse(text) as Line;
      if (line.settings) started(line.settings);
      else open.get(line.id ?? 0)?.(line);
    });
  });

  let lastId = 0;
  const ask = <T>(name: string, parameters: object = {}): Promise<T> =>
    new Promise((resolve, reject) => {
      const id = (lastId += 1);
      open.set(id, ({ result, error }) => {
        open.delete(id);
        if (error === undefined) resolve(result as T);
        else reject(new Error(`${name}: ${error}`));
      });
      program.stdin.write(`${JSON.stringify({ id, name, parameters })}\n`);
    });

  return {
    settings,
    read: (text) => ask('read', { text }),
    electrum: (method, parameters = {}) => ask('electrum', { method, parameters }),
    mine: (blocks) => ask('mine', { blocks }),
    settledAt: () => ask('settledAt'),
    stateOf: (request) => ask('stateOf', { request }),
    violations: () => ask('violations'),
    async stop() {
      program.stdin.end();
      await ended;
    },
  };
}
