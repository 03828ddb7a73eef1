import { request } from 'node:http';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mnemonicToSeedSync } from '@scure/bip39';
import { publicKeysOf, type PublicKeys } from '@crypto-checkout/chains/keys';
import type { SignedTransaction } from '@crypto-checkout/chains/sender';
import { readPolicy } from '../../src/signer/policy.ts';
import type { SigningRequest } from '../../src/signer/request.ts';
import { createSignerServer } from '../../src/signer/server.ts';
import { listenOnSocket } from '../../src/signer/listen.ts';
import { newSignedLog } from './new-signed-log.ts';

// Published test words without funds.
const words =
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
const seed = mnemonicToSeedSync(words);
type Network = PublicKeys['network'];
export const keysOn = (network: Network) => publicKeysOf(seed, { network });

export type Answer = { signed: SignedTransaction } | { status: number; reason: string };

/**
 * A signer as the gateway meets it: a socket, with a log on the disk. A thief of the gateway sends
 * it anything, restarts it and sets its clock back.
 */
export class AttackedSigner {
  readonly folder = mkdtempSync(join(tmpdir(), 'attacked-signer-'));
  readonly logFile = join(this.folder, 'signed.log');
  readonly socket = join(this.folder, 'signer.sock');
  now = Date.UTC(2026, 10, 23);
  #server: Server | null = null;

  async start(policy: { network: Network; chains: object; approvers?: string[] }): Promise<void> {
    writeFileSync(join(this.folder, 'policy.json'), JSON.stringify(policy));
    await this.restart();
  }

  async restart(): Promise<void> {
    await this.stop();
    const policy = readPolicy(join(this.folder, 'policy.json'));
    const log = newSignedLog(this.logFile);
    const silent = { info() {}, warn() {}, error() {} };
    const state = { policy, keys: keysOn(policy.network), log };
    this.#server = createSignerServer({ seed, state, now: () => this.now, log: silent });
    await listenOnSocket(this.#server, this.socket);
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server !== null) await new Promise((resolve) => server.close(resolve));
  }

  async close(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true });
  }

  get logged(): string[] {
    return readFileSync(this.logFile, 'utf8').split('\n').filter(Boolean);
  }

  /** @param wanted also what no gateway would send */
  ask(wanted: SigningRequest | object): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const sent = request(
        { socketPath: this.socket, path: '/sign', method: 'POST', agent: false },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => void chunks.push(chunk));
          response.on('end', () => {
            const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
            const { statusCode: status = 0 } = response;
            resolve(
              status === 200
                ? { signed: body as SignedTransaction }
                : { status, ...(body as { reason: string }) },
            );
          });
        },
      );
      sent.on('error', reject);
      sent.end(JSON.stringify(wanted));
    });
  }
}
