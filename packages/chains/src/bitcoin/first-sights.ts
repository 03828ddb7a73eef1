/** Transactions whose first look is remembered. */
const MOST = 10_000;

/** How long unconfirmed transactions have been seen. */
export interface FirstSights {
  /**
   * Never negative: a time in the future, by a clock that differs, counts as now.
   * @param since when the node's mempool first had it, in seconds since the epoch. Default: the
   * first call here, because nothing else says it
   */
  ageOf(txid: string, since?: number): number;
  /** It left the mempool: it is new if it comes back. */
  forget(txid: string): void;
}

/** @param now real time in milliseconds */
export function createFirstSights(now: () => number): FirstSights {
  const sights = new Map<string, number>();

  function firstSightOf(txid: string): number {
    const known = sights.get(txid);
    if (known !== undefined) return known;
    const at = now();
    sights.set(txid, at);
    const [oldest] = sights.keys();
    if (sights.size > MOST && oldest !== undefined) sights.delete(oldest);
    return at;
  }

  return {
    ageOf(txid, since = -1) {
      // A node does not have a transaction since before its epoch.
      const from = since >= 0 ? since * 1_000 : firstSightOf(txid);
      return Math.max(0, Math.floor((now() - from) / 1_000));
    },
    forget: (txid) => void sights.delete(txid),
  };
}
