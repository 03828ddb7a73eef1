import { readFileSync } from 'node:fs';

/**
 * Files and connections that this process may have open at once; null where the system does not
 * say.
 */
function descriptorLimit(): number | null {
  try {
    const [, soft] =
      /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null;
  }
}

/** Connections that are left for everything else, such as buyers' requests and the store. */
const SHARE_OF_STREAMS = 0.75;

/** The event streams that leave room for other requests: at most `wanted`. */
export function streamLimit(wanted: number, limit: number | null = descriptorLimit()): number {
  return limit === null
    ? wanted
    : Math.max(1, Math.min(wanted, Math.floor(limit * SHARE_OF_STREAMS)));
}
