import { readFileSync, readdirSync } from 'node:fs';

/** CPU time of a process and its threads so far, in nanoseconds (Linux `schedstat`). */
export function cpuOf(pid: number): bigint {
  let sum = 0n;
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const [running = '0'] = readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ');
    sum += BigInt(running);
  }
  return sum;
}

/** Resident memory of a process, in bytes. */
export function memoryOf(pid: number): number {
  const [, pages = '0'] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
  return Number(pages) * 4096;
}
