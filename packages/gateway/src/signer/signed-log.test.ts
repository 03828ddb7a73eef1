import { readFileSync, mkdtempSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { beginSignedLog, openSignedLog, type SignedEntry } from './signed-log.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'signed-log-'));
  path = join(folder, 'signed.log');
  beginSignedLog(path);
});
afterEach(() => rmSync(folder, { recursive: true }));

const entry = (id: string): SignedEntry => ({
  at: 1,
  id,
  purpose: 'payout',
  chain: 'ethereum',
  kind: 'ETH',
  units: '1',
  fee: '1',
  approved: false,
  plan: {} as SignedEntry['plan'],
});

it('an entry that a full disk takes in part is no entry, and the log goes on after it', () => {
  let left = Infinity;
  const write = (file: number, text: string): number => {
    const bytes = Buffer.from(text).subarray(0, left);
    return bytes.length === 0 ? 0 : writeSync(file, bytes);
  };
  const log = openSignedLog(path, write);
  log.append(entry('a'));
  const whole = readFileSync(path, 'utf8');
  for (left of [0, 1, 20]) {
    expect(() => log.append(entry('b'))).toThrow(/takes no whole line: is the disk full/);
    expect(readFileSync(path, 'utf8')).toBe(whole);
    expect(log.entries.map(({ id }) => id)).toEqual(['a']);
  }
  left = Infinity;
  log.append(entry('c'));
  expect(openSignedLog(path).entries.map(({ id }) => id)).toEqual(['a', 'c']);
  expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
});

it('a log that was removed below a signer is not begun anew', () => {
  const log = openSignedLog(path);
  log.append(entry('a'));
  rmSync(path);
  expect(() => log.append(entry('b'))).toThrow(/Another process writes/);
});

it('a log that is missing is not begun anew, and one that exists is kept', () => {
  openSignedLog(path).append(entry('a'));
  expect(beginSignedLog(path)).toBe(false);
  expect(openSignedLog(path).entries.map(({ id }) => id)).toEqual(['a']);
  rmSync(path);
  expect(() => openSignedLog(path)).toThrow(`${path} is missing: restore it from a backup`);
});

it('counts the bytes of a line that was cut off', () => {
  openSignedLog(path).append(entry('a'));
  const whole = readFileSync(path, 'utf8');
  writeFileSync(path, `${whole}{"at":1`);
  expect(openSignedLog(path).droppedBytes).toBe(7);
  expect(readFileSync(path, 'utf8')).toBe(whole);
  expect(openSignedLog(path).droppedBytes).toBe(0);
});
