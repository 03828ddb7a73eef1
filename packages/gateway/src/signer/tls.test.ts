import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type ConnectionOptions } from 'node:tls';
import type { Signer } from '@crypto-checkout/chains/signer';
import { parseTransaction, type Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  makeCertificate,
  writeCertificate,
  type Certificate,
} from '../../test/support/certificate.ts';
import { payoutAddress } from '../../test/support/ethereum.ts';
import { buildSigner, signerOutput, SignerProcess } from '../../test/support/signer-process.ts';
import { openKeys, type KeyConfig } from '../engine/open-keys.ts';
import { createRemoteSigner } from './client/remote-signer.ts';
import { readTls } from './tls.ts';

// The signer's own command listens with TLS on loopback; each side has a certificate.

const SHOP = '0x52908400098527886E0F7030069857D2E4169EE7';
const OLD = { from: new Date('2024-01-01'), to: new Date('2024-02-01') };

let own: SignerProcess;
let port: number;
let lines = '';
let publicKeysFile: string;
const files: Record<string, Certificate> = {};

beforeAll(buildSigner, 180_000);
beforeAll(async () => {
  own = new SignerProcess();
  const ethereum = {
    fee_per_transaction: '0.01',
    fee_per_day: '0.1',
    payouts: { ETH: { per_transaction: '1', per_day: '3' } },
  };
  own.writePolicy({ ethereum });
  const authority = makeCertificate({ name: 'authority' });
  const ofAuthority = (name: string, more = {}) =>
    makeCertificate({ name, issuer: authority, ...more });
  for (const made of [
    authority,
    ofAuthority('server'),
    ofAuthority('gateway'),
    ofAuthority('expired', OLD),
    makeCertificate({ name: 'stranger' }),
  ])
    files[made.name] = writeCertificate(own.folder, made);
  publicKeysFile = join(own.folder, 'public.json');
  const options = ['--dir', own.dir, '--network', 'testnet', '--solana-keys', '1'];
  writeFileSync(publicKeysFile, signerOutput('public-keys', ...options));
  await start();
}, 60_000);
afterAll(() => own?.close());

async function start(): Promise<void> {
  const { cert, key } = files['server']!;
  const options = ['--listen', '127.0.0.1:0', '--cert', cert, '--cert-key', key];
  const trusted = ['--client-ca', files['authority']!.cert];
  const started = own.start({}, [...options, ...trusted]);
  own.child.stdout!.on('data', (data: Buffer) => (lines += data.toString()));
  await started;
  port = Number(/"port":(\d+)/.exec(lines)?.[1]);
}

const config = (more: Partial<KeyConfig> = {}): KeyConfig => ({
  dataDir: own.folder,
  testMnemonic: null,
  keysPassphraseFile: null,
  keysMode: 'signer',
  publicKeysFile,
  signerUrl: `https://127.0.0.1:${port}`,
  signerTls: { ca: files['authority']!.cert, ...files['gateway']! },
  ...more,
});
/** The gateway's connection with one of the certificates. */
const remote = (name: string, ca = 'authority', url = `https://127.0.0.1:${port}`): Signer =>
  createRemoteSigner({
    url,
    tls: {
      ca: readFileSync(files[ca]!.cert),
      cert: readFileSync(files[name]!.cert),
      key: readFileSync(files[name]!.key),
    },
    approvalOf: async () => null,
  });
const sign = (signer: Signer) =>
  signer.sign({
    id: '7a1c9b0e-0000-4000-8000-000000000001',
    purpose: 'payout',
    recipientIndex: null,
    plan: {
      family: 'evm',
      chainId: 31_337,
      from: { branch: 1, index: 0, address: payoutAddress },
      nonce: 0,
      to: SHOP,
      token: null,
      units: '1',
      memo: null,
      gasLimit: '21000',
      maxFeePerGas: '30000000000',
      maxPriorityFeePerGas: '1000000000',
    },
  });

/** The first bytes that a client reads, or why it reads none. */
const handshake = (options: ConnectionOptions): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options });
    socket.on('secureConnect', () => socket.write('GET /health HTTP/1.1\r\nhost: signer\r\n\r\n'));
    socket.on('data', (data: Buffer) => {
      resolve(data.toString());
      socket.destroy();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    socket.on('close', () => resolve('closed'));
  });

it('a gateway with an accepted certificate gets its signature over TLS 1.3', async () => {
  const signer = remote('gateway');
  expect(await signer.problem!()).toBeNull();
  const { raw } = await sign(signer);
  expect(parseTransaction(raw as Hex)).toMatchObject({ to: SHOP.toLowerCase(), value: 1n });
});

describe('a client is refused, and the log says why,', () => {
  const pem = (name: string): ConnectionOptions => ({
    cert: readFileSync(files[name]!.cert),
    key: readFileSync(files[name]!.key),
  });
  it.each<[string, () => ConnectionOptions, string]>([
    ['without a certificate', () => ({}), 'it has no certificate'],
    ['with an expired one', () => pem('expired'), 'its certificate has expired'],
    [
      'with a strange one',
      () => pem('stranger'),
      'its certificate is not signed by the ones that are',
    ],
    [
      'with TLS 1.2',
      () => ({ ...pem('gateway'), maxVersion: 'TLSv1.2' }),
      'it does not speak TLS 1.3',
    ],
  ])('%s', async (_, options, reason) => {
    expect(await handshake(options())).not.toContain('200 OK');
    await vi.waitFor(() => expect(lines).toContain(`A client was refused: ${reason}`));
  });

  it('so is one that resumes a session that was refused or accepted', async () => {
    const sessions: Buffer[] = [];
    const first = connect({
      host: '127.0.0.1',
      port,
      rejectUnauthorized: false,
      ...pem('gateway'),
    });
    first.on('session', (session) => void sessions.push(session));
    await new Promise((resolve) => first.once('secureConnect', resolve));
    first.write('GET /health HTTP/1.1\r\nhost: signer\r\nconnection: close\r\n\r\n');
    await new Promise((resolve) => first.resume().once('close', resolve));
    expect(await handshake({ session: sessions[0] })).not.toContain('200 OK');
  });

  it('and the same client with an accepted one is answered', async () => {
    expect(await handshake(pem('gateway'))).toContain('200 OK');
  });
});

describe('the gateway says why it gets no signature,', () => {
  it.each([
    [
      'its own certificate is strange',
      'stranger',
      'it closed the connection, and its log says why',
    ],
    [
      'its own certificate has expired',
      'expired',
      'it closed the connection, and its log says why',
    ],
  ])('%s', async (_, name, problem) => {
    const signer = remote(name);
    expect(await signer.problem!()).toBe(problem);
    await expect(sign(signer)).rejects.toThrow(`The signer does not answer: ${problem}`);
  });

  it('the certificate of the signer is another one', async () => {
    const signer = remote('gateway', 'stranger');
    const problem = 'its certificate is not signed by the ones that are accepted';
    expect(await signer.problem!()).toBe(problem);
    await expect(sign(signer)).rejects.toThrow(`The signer does not answer: ${problem}`);
  });

  it('the certificate of the signer is for another host', async () => {
    const signer = remote('gateway', 'authority', `https://localhost:${port}`);
    expect(await signer.problem!()).toBe('its certificate is for another host');
  });

  it('nothing listens there', async () => {
    const signer = remote('gateway', 'authority', 'https://127.0.0.1:1');
    expect(await signer.problem!()).toBe('nothing listens there');
  });
});

describe('settings with a mistake end the start with one sentence:', () => {
  const tls = () => ({ ca: files['authority']!.cert, ...files['gateway']! });
  it.each<[string, () => Partial<KeyConfig>, string]>([
    [
      'a missing file name',
      () => ({ signerTls: { ...tls(), ca: null } }),
      'SIGNER_URL with https needs SIGNER_CA, SIGNER_CERT and SIGNER_CERT_KEY.',
    ],
    [
      'a missing file',
      () => ({ signerTls: { ...tls(), key: join(own.folder, 'none.pem') } }),
      'SIGNER_CERT_KEY',
    ],
    [
      'the key of another certificate',
      () => ({ signerTls: { ...tls(), key: files['server']!.key } }),
      'SIGNER_CERT_KEY is not the private key of SIGNER_CERT.',
    ],
    [
      'an expired certificate',
      () => ({ signerTls: { ...tls(), ...files['expired']! } }),
      'The certificate of SIGNER_CERT expired on Feb  1 00:00:00 2024 GMT.',
    ],
    [
      'a key in place of a certificate',
      () => ({ signerTls: { ...tls(), ca: files['server']!.key } }),
      'SIGNER_CA has no certificate in PEM.',
    ],
  ])('%s', (_, more, sentence) => {
    const options = { config: config(more()), network: 'testnet', db: null as never } as const;
    const log = { info() {}, warn() {} };
    expect(() => openKeys({ ...options, log })).toThrow(sentence);
  });

  it('reads files that fit', () => {
    const names = { ca: 'a', cert: 'b', key: 'c' };
    expect(readTls(tls(), names).cert.toString()).toContain('BEGIN CERTIFICATE');
  });
});
