import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from '@crypto-checkout/chains/error';
import type { BitcoinPlan, EvmPlan, LightningPlan } from '@crypto-checkout/chains/sender';
import { PURPOSES } from '@crypto-checkout/chains/signer';
import { syncFolder } from '@crypto-checkout/chains/sync-folder';
import { z } from 'zod';

const entry = z.object({
  /**
   * Milliseconds since the epoch, by the signer's own clock, never earlier than the entry before.
   */
  at: z.int(),
  id: z.string(),
  purpose: z.enum(PURPOSES),
  chain: z.string(),
  kind: z.string(),
  /** In the kind's smallest unit; millisatoshis over lightning. */
  units: z.string(),
  /** Highest fee, in the smallest unit of the chain's coin. */
  fee: z.string(),
  /** Whether an approval was needed; such amounts do not count for the limits. */
  approved: z.boolean(),
  plan: z.custom<EvmPlan | BitcoinPlan | LightningPlan>(
    (value) => typeof value === 'object' && value !== null,
  ),
});

export type SignedEntry = z.infer<typeof entry>;

export interface SignedLog {
  readonly entries: readonly SignedEntry[];
  /** Stores an entry on the disk before it returns. */
  append(entry: SignedEntry): void;
}

/** Writes text at the end of a file, and returns the number of bytes that were written. */
export type Write = (file: number, text: string) => number;

/**
 * Opens the signer's own log: what it signed, written before a signature leaves. Its limits are
 * counted from it, so it is never edited.
 * @throws ConfigError for a damaged line; only the last one may be cut off, by a crash. Also for a
 * missing log: an empty one would begin the limits anew
 */
export function openSignedLog(
  path: string,
  write: Write = writeSync,
): SignedLog & { droppedBytes: number } {
  if (!existsSync(path))
    throw new ConfigError(
      `${path} is missing: restore it from a backup, because limits and signed ids are counted from it. Only where nothing was ever signed, begin it with begin-log.`,
    );
  const { entries, droppedBytes } = readEntries(path);
  let { size } = statSync(path);
  return {
    entries,
    /** Bytes of a line that a crash cut off, which were removed. */
    droppedBytes,
    append(added) {
      const file = openSync(path, 'a', 0o600);
      try {
        const line = `${JSON.stringify(added)}\n`;
        const written = writeWhole(file, line, { write, size, path });
        fsyncSync(file);
        // Another signer on this folder would have limits of its own.
        if (fstatSync(file).size !== size + written)
          throw new Error(`Another process writes ${path}: nothing is signed until a restart`);
        size += written;
      } finally {
        closeSync(file);
      }
      entries.push(added);
    },
  };
}

/** A full disk takes a part of the line: it is removed, because a restart would not count it. */
function writeWhole(
  file: number,
  line: string,
  { write, size, path }: { write: Write; size: number; path: string },
): number {
  const length = Buffer.byteLength(line);
  const written = write(file, line);
  if (written === length) return written;
  if (fstatSync(file).size === size + written) ftruncateSync(file, size);
  throw new Error(`${path} takes no whole line: is the disk full? Nothing is signed`);
}

/**
 * Begins an empty log in a folder that has signed nothing.
 * @returns whether the folder had none
 */
export function beginSignedLog(path: string): boolean {
  if (existsSync(path)) return false;
  closeSync(openSync(path, 'wx', 0o600));
  syncFolder(dirname(path));
  return true;
}

function readEntries(path: string): { entries: SignedEntry[]; droppedBytes: number } {
  const text = readFileSync(path, 'utf8');
  const end = text.lastIndexOf('\n') + 1;
  // The signature of an entry that was not written in full has not left.
  const droppedBytes = Buffer.byteLength(text.slice(end));
  if (droppedBytes > 0) truncateSync(path, Buffer.byteLength(text.slice(0, end)));
  const entries = text
    .slice(0, end)
    .split('\n')
    .filter((line) => line !== '')
    .map((line, at) => {
      try {
        return entry.parse(JSON.parse(line));
      } catch (cause) {
        throw new ConfigError(
          `The signer's log ${path} is damaged in line ${at + 1}: restore it from a backup. Without it the signer would sign again what it has signed.`,
          { cause },
        );
      }
    });
  return { entries, droppedBytes };
}
