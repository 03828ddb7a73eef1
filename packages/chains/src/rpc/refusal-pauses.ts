import type { BroadcastResult } from '../sender.ts';

/** Refusals after which the next broadcast has to wait. */
const FREE_REFUSALS = 3;
const FIRST_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 60_000;

export interface RefusalPauses {
  /**
   * Broadcasts an attempt again, less often the more often the network refused it: at each call at
   * first, then once a minute. A newer attempt begins anew.
   * @param id of the transaction, whose attempts have numbers
   * @returns the network's response; during a pause the last one
   */
  broadcast(
    sent: { id: string; attempt: number },
    work: () => Promise<BroadcastResult>,
  ): Promise<BroadcastResult>;
  /** The network has the transaction, or it can never be there. */
  end(id: string): void;
}

interface Refusals {
  attempt: number;
  count: number;
  until: number;
  response: BroadcastResult;
}

/** Remembers refusals by transaction. After a restart the first broadcasts do not wait. */
export function createRefusalPauses(now: () => number): RefusalPauses {
  const known = new Map<string, Refusals>();
  return {
    async broadcast({ id, attempt }, work) {
      const last = known.get(id);
      const at = now();
      const isSame = last?.attempt === attempt;
      if (isSame && at < last.until) return last.response;
      const response = await work();
      const count = (isSame ? last.count : 0) + 1;
      if (response.result === 'ok') known.delete(id);
      else known.set(id, { attempt, count, until: at + pauseAfter(count), response });
      return response;
    },
    end: (id) => void known.delete(id),
  };
}

const pauseAfter = (count: number): number =>
  count < FREE_REFUSALS
    ? 0
    : Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(count - FREE_REFUSALS, 10));
