import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Else the name of a new file could be lost with the power. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
