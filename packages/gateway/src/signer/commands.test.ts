import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readPublicKeys } from '@crypto-checkout/chains/public-keys-file';
import { words } from '../../test/support/ethereum.ts';

// Mistakes of an operator end each command of the signer with a sentence, and no stack.

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));
const NODE = ['--conditions=source', '--import', 'tsx', MAIN];

let folder: string;
let dir: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'signer-commands-'));
  dir = join(folder, 'signer');
  mkdirSync(dir, { mode: 0o700 });
  writeFileSync(join(dir, 'keys.json'), JSON.stringify({ mnemonic: words }), { mode: 0o600 });
  writeFileSync(join(dir, 'signed.log'), '', { mode: 0o600 });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const writePolicy = (network: string): void =>
  writeFileSync(join(dir, 'policy.json'), JSON.stringify({ network, chains: {} }));

/** Runs a command that fails, and returns its error output. */
function mistake(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...NODE, ...args], {
    encoding: 'utf8',
    timeout: 30_000,
  });
  expect({ status, stdout }, stderr).toEqual({ status: 1, stdout: '' });
  return stderr.trim();
}
const socket = (): string => join(folder, 'signer.sock');

it('a policy that does not exist is named, as is one that is not JSON', () => {
  const missing = `The policy ${join(dir, 'policy.json')} does not exist.`;
  expect(mistake('serve', '--dir', dir, '--socket', socket())).toBe(missing);
  expect(mistake('sign', '/nonexist', '--dir', dir)).toBe(missing);
  writeFileSync(join(dir, 'policy.json'), '{');
  expect(mistake('serve', '--dir', dir, '--socket', socket())).toBe(
    `The policy ${join(dir, 'policy.json')} is not JSON.`,
  );
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
  expect(mistake('serve', '--dir', dir, '--socket', path)).toBe(
    `The signer cannot listen on ${path}: its folder does not exist.`,
  );
});

it('a policy for another network than that of the public keys ends the start', () => {
  const made = spawnSync(
    process.execPath,
    [...NODE, 'public-keys', '--dir', dir, '--network', 'testnet', '--solana-keys', '1'],
    { encoding: 'utf8' },
  );
  expect(made.status, made.stderr).toBe(0);
  writePolicy('mainnet');
  const sentence = `The policy ${join(dir, 'policy.json')} is for the mainnet, but the public keys of ${dir} are for the testnet: make the two match, or use another folder.`;
  expect(mistake('serve', '--dir', dir, '--socket', socket())).toBe(sentence);
  writeFileSync(join(folder, 'unsigned.json'), '{}');
  expect(mistake('sign', join(folder, 'unsigned.json'), '--dir', dir)).toBe(sentence);
  expect(mistake('public-keys', '--dir', dir, '--network', 'mainnet')).toBe(
    `The public keys of ${dir} are for the testnet: use another folder for the mainnet.`,
  );
});

const succeed = (...args: string[]): void => {
  const { status, stderr } = spawnSync(process.execPath, [...NODE, ...args], { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
};
const has = (name: string): boolean => existsSync(join(dir, name));

it('a first run makes the keys and begins the log; a later one forgets neither', () => {
  rmSync(dir, { recursive: true });
  expect(mistake('serve', '--dir', dir, '--socket', socket())).toBe(
    `${dir} has no keys.json: make the keys with public-keys first.`,
  );
  const printKeys = ['public-keys', '--dir', dir, '--network', 'testnet', '--solana-keys', '1'];
  succeed(...printKeys);
  expect(readFileSync(join(dir, 'signed.log'), 'utf8')).toBe('');
  writePolicy('testnet');

  rmSync(join(dir, 'signed.log'));
  const lost = `${join(dir, 'signed.log')} is missing: restore it from a backup, because limits and signed ids are counted from it. Only where nothing was ever signed, begin it with begin-log.`;
  succeed(...printKeys);
  expect(mistake('serve', '--dir', dir, '--socket', socket())).toBe(lost);
  expect(has('signed.log')).toBe(false);
  succeed('begin-log', '--dir', dir);
  expect(has('signed.log')).toBe(true);
  expect(mistake('begin-log', '--dir', dir)).toBe(
    `${join(dir, 'signed.log')} exists, and is kept.`,
  );

  rmSync(join(dir, 'keys.json'));
  expect(mistake(...printKeys)).toMatch(/was used with keys \(it has signed\.log\): restore/);
  expect(mistake('serve', '--dir', dir, '--socket', socket())).toContain('has no keys.json');
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
  const { stderr } = spawnSync(process.execPath, [...NODE, ...args], {
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
