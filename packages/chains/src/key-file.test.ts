import {
  chmodSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isKeyFileInClear, readOrCreateMnemonic } from './key-file.ts';

const TEST_WORDS =
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';

describe('a sealed key file', () => {
  let dataDir: string;
  let passphraseFile: string;
  const path = (): string => join(dataDir, 'keys.json');
  const text = (): string => readFileSync(path(), 'utf8');

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'key-file-'));
    passphraseFile = join(dataDir, 'passphrase');
    writeFileSync(passphraseFile, 'a passphrase for tests\n', { mode: 0o600 });
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it('is created at the first start, shows no words, and opens with its passphrase', () => {
    const mnemonic = readOrCreateMnemonic(dataDir, passphraseFile);
    expect(mnemonic.split(' ')).toHaveLength(24);
    expect(statSync(path()).mode & 0o777).toBe(0o600);
    for (const word of mnemonic.split(' ')) expect(text()).not.toContain(` ${word}`);
    expect(text()).not.toContain('mnemonic');
    expect(readOrCreateMnemonic(dataDir, passphraseFile)).toBe(mnemonic);
    expect(isKeyFileInClear(dataDir)).toBe(false);
  });

  it('replaces a file in clear, and keeps the words', () => {
    writeFileSync(path(), JSON.stringify({ mnemonic: TEST_WORDS }), { mode: 0o600 });
    expect(isKeyFileInClear(dataDir)).toBe(true);
    expect(readOrCreateMnemonic(dataDir, passphraseFile)).toBe(TEST_WORDS);
    expect(text()).not.toContain('abandon');
    expect(readOrCreateMnemonic(dataDir, passphraseFile)).toBe(TEST_WORDS);
    expect(readdirSync(dataDir).toSorted()).toEqual(['keys.json', 'passphrase']);
  });

  it('is different each time, also for the same words and passphrase', () => {
    const seal = (): string => {
      writeFileSync(path(), JSON.stringify({ mnemonic: TEST_WORDS }), { mode: 0o600 });
      readOrCreateMnemonic(dataDir, passphraseFile);
      return text();
    };
    expect(seal()).not.toBe(seal());
  });

  it('is refused without a passphrase, with another one, and when a byte is different', () => {
    readOrCreateMnemonic(dataDir, passphraseFile);
    expect(() => readOrCreateMnemonic(dataDir, null)).toThrow(
      /is sealed: set KEYS_PASSPHRASE_FILE\.$/,
    );
    const other = join(dataDir, 'other');
    writeFileSync(other, 'another passphrase', { mode: 0o600 });
    expect(() => readOrCreateMnemonic(dataDir, other)).toThrow(/does not open the key file/);
    const sealed = text();
    writeFileSync(
      path(),
      sealed.replace(
        /("ciphertext": ")(.)/,
        (_, start: string, digit: string) => `${start}${digit === '0' ? '1' : '0'}`,
      ),
    );
    expect(() => readOrCreateMnemonic(dataDir, passphraseFile)).toThrow(/or the file is damaged/);
    writeFileSync(path(), sealed);
    expect(readOrCreateMnemonic(dataDir, passphraseFile).split(' ')).toHaveLength(24);
  });

  it('is refused where it asks for more memory than a seal needs', () => {
    readOrCreateMnemonic(dataDir, passphraseFile);
    writeFileSync(path(), text().replace('131072', '1073741824'));
    expect(() => readOrCreateMnemonic(dataDir, passphraseFile)).toThrow(/does not open/);
  });

  it.each([
    ['is missing', (file: string) => rmSync(file), /is not readable: /],
    ['is short', (file: string) => writeFileSync(file, 'short\n'), /at least 12 characters/],
    ['is empty', (file: string) => writeFileSync(file, ''), /at least 12 characters/],
    ['can be read by others', (file: string) => chmodSync(file, 0o644), /chmod 600/],
  ])('is not written when the passphrase file %s', (_why, spoil, message) => {
    writeFileSync(path(), JSON.stringify({ mnemonic: TEST_WORDS }), { mode: 0o600 });
    spoil(passphraseFile);
    expect(() => readOrCreateMnemonic(dataDir, passphraseFile)).toThrow(message);
    expect(text()).toBe(JSON.stringify({ mnemonic: TEST_WORDS }));
  });

  it('is refused where others may read it, sealed or in clear, with the remedy', () => {
    const sentence = `The key file ${path()} must be readable by its owner only: run chmod 600 ${path()}.`;
    readOrCreateMnemonic(dataDir, passphraseFile);
    chmodSync(path(), 0o640);
    expect(() => readOrCreateMnemonic(dataDir, passphraseFile)).toThrow(sentence);
    writeFileSync(path(), JSON.stringify({ mnemonic: TEST_WORDS }));
    chmodSync(path(), 0o644);
    expect(() => readOrCreateMnemonic(dataDir, null)).toThrow(sentence);
    chmodSync(path(), 0o600);
    expect(readOrCreateMnemonic(dataDir, null)).toBe(TEST_WORDS);
  });

  it('quotes neither words nor passphrase in an error', () => {
    writeFileSync(path(), JSON.stringify({ mnemonic: `${TEST_WORDS} ${TEST_WORDS}` }), {
      mode: 0o600,
    });
    expect(() => readOrCreateMnemonic(dataDir, passphraseFile)).toThrow(/holds no valid mnemonic/);
    expect(() => readOrCreateMnemonic(dataDir, passphraseFile)).not.toThrow(
      /abandon|a passphrase for tests/,
    );
  });
});
