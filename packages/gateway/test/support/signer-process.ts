import {
  execFileSync,
  spawn,
  spawnSync,
  type ChildProcess,
  type SpawnSyncReturns,
} from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { words } from './ethereum.ts';

const inRoot = (path: string): string =>
  fileURLToPath(new URL(`../../../../${path}`, import.meta.url));

/** The signer's own command, as it is published. Call `buildSigner` first. */
export const SIGNER = inRoot('dist/server/crypto-checkout-signer.mjs');

/** Builds the command when a source changed. For `beforeAll`, with 180 seconds. */
export const buildSigner = (): void =>
  void execFileSync(process.execPath, [inRoot('tools/built.mjs')]);

/** Runs a command of the signer to its end. */
export const runSigner = (...args: string[]): SpawnSyncReturns<string> =>
  spawnSync(process.execPath, [SIGNER, ...args], { encoding: 'utf8', timeout: 30_000 });

/** The output of a command that succeeds. */
export function signerOutput(...args: string[]): string {
  const { status, stdout, stderr } = runSigner(...args);
  expect(status, stderr).toBe(0);
  return stdout;
}

/** A signer with the test mnemonic and an empty log in a folder of its own. */
export class SignerProcess {
  /** For other files of a test. */
  readonly folder = mkdtempSync(join(tmpdir(), 'signer-'));
  readonly dir = join(this.folder, 'signer');
  readonly socket = join(this.folder, 'signer.sock');
  readonly log = join(this.dir, 'signed.log');
  readonly policy = join(this.dir, 'policy.json');
  #child: ChildProcess | null = null;

  constructor() {
    mkdirSync(this.dir, { mode: 0o700 });
    const keys = JSON.stringify({ mnemonic: words });
    writeFileSync(join(this.dir, 'keys.json'), keys, { mode: 0o600 });
    writeFileSync(this.log, '', { mode: 0o600 });
  }

  /** The process, once started. */
  get child(): ChildProcess {
    return this.#child!;
  }

  writePolicy(chains: object, approvers: string[] = []): void {
    writeFileSync(this.policy, JSON.stringify({ network: 'testnet', chains, approvers }));
  }

  /** Starts the process, and waits until it listens. */
  async start(env: Record<string, string> = {}, where = ['--socket', this.socket]): Promise<void> {
    const child = spawn(process.execPath, [SIGNER, 'serve', '--dir', this.dir, ...where], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...env },
    });
    this.#child = child;
    await new Promise<void>((resolve, reject) => {
      child.once('exit', () => reject(new Error('the signer did not start')));
      child.stdout.on('data', (data: Buffer) => {
        if (data.toString().includes('signer_started')) resolve();
      });
    });
  }

  async kill(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGKILL');
    await ended;
  }

  close(): void {
    this.#child?.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
