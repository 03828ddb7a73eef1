import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Makes a folder in memory for temporary files, where databases, nodes and browsers of the tests
 * wait for no disk. Removes it when the process exits.
 * @param room bytes that the folder must have free, and that the machine must have free beside it
 * @returns undefined where there is none, no room, or no right to run programs in it
 */
export function memoryFolder(parent = '/dev/shm', room = 6 * 2 ** 30) {
  let folder;
  try {
    const { bavail, bsize } = statfsSync(parent);
    const hasRoom = bavail * bsize >= room && availableMemory() >= 2 * room;
    if (!hasRoom) return undefined;
    folder = mkdtempSync(join(parent, 'tests-'));
  } catch {
    return undefined;
  }
  const remove = () => {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    } catch {
      // A database that still ends writes there: what is left of a test fails no run.
    }
  };
  if (!runsPrograms(folder)) {
    remove();
    return undefined;
  }
  process.once('exit', remove);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  // As of /tmp: the database of a root user runs as another user.
  chmodSync(folder, 0o1777);
  return folder;
}

/** Bytes of memory that a program can still get. */
const availableMemory = () =>
  Number(/^MemAvailable: +(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1]) * 1024;

function runsPrograms(folder) {
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  const { status } = spawnSync(program);
  rmSync(program);
  return status === 0;
}
