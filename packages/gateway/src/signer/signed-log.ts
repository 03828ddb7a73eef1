import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { ConfigError } from '@crypto-checkout/chains/error';
import type { BitcoinPlan, EvmPlan, LightningPlan } from '@crypto-checkout/chains/sender';
import type { Purpose } from '@crypto-checkout/chains/signer';
import { z } from 'zod';

const entry = z.object({
  /** Milliseconds since the epoch, by the signer's own clock, never earlier than the entry before. */
  at: z.int(),
  id: z.string(),
  purpose: z.enum(['payout', 'sweep', 'top_up']),
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

export type SignedEntry = z.infer<typeof entry> & { purpose: Purpose };

export interface SignedLog {
  readonly entries: readonly SignedEntry[];
  /** Stores an entry on the disk before it returns. */
  append(entry: SignedEntry): void;
}

/**
 * Opens the signer's own log: what it signed, written before a signature leaves. Its limits are
 * counted from it, so it is never edited.
 * @throws ConfigError for a damaged line; only the last one may be cut off, by a crash
 */
export function openSignedLog(path: string): SignedLog {
  const entries = existsSync(path) ? readEntries(path) : [];
  let size = existsSync(path) ? statSync(path).size : 0;
  return {
    entries,
    append(added) {
      const file = openSync(path, 'a', 0o600);
      try {
        const written = writeSync(file, `${JSON.stringify(added)}\n`);
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

function readEntries(path: string): SignedEntry[] {
  const text = readFileSync(path, 'utf8');
  const end = text.lastIndexOf('\n') + 1;
  // The signature of an entry that was not written in full has not left.
  if (end < text.length) truncateSync(path, Buffer.byteLength(text.slice(0, end)));
  return text
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
}
