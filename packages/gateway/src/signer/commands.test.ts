import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { readPublicKeys } from '@crypto-checkout/chains/public-keys-file';
import {
  buildSigner,
  runSigner,
  SIGNER,
  signerOutput,
  SignerProcess,
} from '../../test/support/signer-process.ts';

// Mistakes of an operator end each command of the signer with a sentence, and no stack.

let own: SignerProcess;
let folder: string;
let dir: string;
beforeAll(buildSigner, 180_000);
beforeEach(() => {
  own = new SignerProcess();
  ({ folder, dir } = own);
});
afterEach(() => own.close());

const writePolicy = (network: string): void =>
  writeFileSync(own.policy, JSON.stringify({ network, chains: {} }));

const printKeys = (): string[] => [
  'public-keys',
  '--dir',
  dir,
  '--network',
  'testnet',
  '--solana-keys',
  '1',
];

/** Runs a command that fails, and returns its error output. */
function mistake(...args: string[]): string {
  const { status, stdout, stderr } = runSigner(...args);
  expect({ status, stdout }, stderr).toEqual({ status: 1, stdout: '' });
  return stderr.trim();
}
const serveMistake = (socket = own.socket): string =>
  mistake('serve', '--dir', dir, '--socket', socket);

it('a policy that does not exist is named, as is one that is not JSON', () => {
  const missing = `The policy ${own.policy} does not exist.`;
  expect(serveMistake()).toBe(missing);
  expect(mistake('sign', '/nonexist', '--dir', dir)).toBe(missing);
  writeFileSync(own.policy, '{');
  expect(serveMistake()).toBe(`The policy ${own.policy} is not JSON.`);
});

it('a file to sign or to approve that does not exist is named', () => {
  writePolicy('testnet');
  expect(mistake('sign', '/nonexist', '--dir', dir)).toBe('The file /nonexist does not exist.');
  expect(mistake('approve', '/nonexist', '--key', '/none', '--fee', '1')).toBe(
    'The request /nonexist does not exist.',
  );
  writeFileSync(join(folder, 'request.json'), '{}');
  expect(mistake('approve', join(folder, 'request.json'), '--key', '/none', '--fee', '1')).toBe(
    `${join(folder, 'request.json')} is not the output of \`crypto-checkout-gateway payouts approval-request\`.`,
  );
});

it('a socket in a folder that does not exist is refused', () => {
  writePolicy('testnet');
  const path = join(folder, 'missing', 'signer.sock');
  expect(serveMistake(path)).toBe(
    `The signer cannot listen on ${path}: its folder does not exist.`,
  );
});

it('a policy for another network than that of the public keys ends the start', () => {
  signerOutput(...printKeys());
  writePolicy('mainnet');
  const sentence = `The policy ${own.policy} is for the mainnet, but the public keys of ${dir} are for the testnet: make the two match, or use another folder.`;
  expect(serveMistake()).toBe(sentence);
  writeFileSync(join(folder, 'unsigned.json'), '{}');
  expect(mistake('sign', join(folder, 'unsigned.json'), '--dir', dir)).toBe(sentence);
  expect(mistake('public-keys', '--dir', dir, '--network', 'mainnet')).toBe(
    `The public keys of ${dir} are for the testnet: use another folder for the mainnet.`,
  );
});

const has = (name: string): boolean => existsSync(join(dir, name));

it('a first run makes the keys and begins the log; a later one forgets neither', () => {
  rmSync(dir, { recursive: true });
  expect(serveMistake()).toBe(`${dir} has no keys.json: make the keys with public-keys first.`);
  signerOutput(...printKeys());
  expect(readFileSync(own.log, 'utf8')).toBe('');
  writePolicy('testnet');

  rmSync(own.log);
  const lost = `${own.log} is missing: restore it from a backup, because limits and signed ids are counted from it. Only where nothing was ever signed, begin it with begin-log.`;
  signerOutput(...printKeys());
  expect(serveMistake()).toBe(lost);
  expect(has('signed.log')).toBe(false);
  signerOutput('begin-log', '--dir', dir);
  expect(has('signed.log')).toBe(true);
  expect(mistake('begin-log', '--dir', dir)).toBe(`${own.log} exists, and is kept.`);

  rmSync(join(dir, 'keys.json'));
  expect(mistake(...printKeys())).toMatch(/was used with keys \(it has signed\.log\): restore/);
  expect(serveMistake()).toContain('has no keys.json');
  expect(has('keys.json')).toBe(false);
});

it('a file that the user may not write is named without a stack', () => {
  const path = join(folder, 'missing', 'approver.json');
  expect(mistake('approver-key', path)).toBe(`ENOENT: no such file or directory, open '${path}'.`);
});

it('says that the output file stays empty, and the service says it too', () => {
  const path = join(folder, 'public-keys.json');
  const output = openSync(path, 'w');
  const args = ['public-keys', '--dir', dir, '--network', 'maynet'];
  const { stderr } = spawnSync(process.execPath, [SIGNER, ...args], {
    stdio: ['ignore', output, 'pipe'],
    encoding: 'utf8',
    timeout: 30_000,
  });
  closeSync(output);
  expect(stderr.trim()).toBe(
    '--network must be mainnet or testnet, not "maynet".\nThe file that the output goes to is empty; it is of no use.',
  );
  expect(() => readPublicKeys(path)).toThrow(`${path} is empty.`);
});
