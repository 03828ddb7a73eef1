/** A backend of the provider can lack a transaction for a moment, so one look proves nothing. */
const MIN_LOOKS = 3;
const MIN_DURATION_MS = 60_000;

export interface Absences {
  /**
   * Counts a look that found no trace of these transactions. All others count as found.
   * @returns those that several looks over at least a minute did not find
   */
  confirm(missing: readonly string[]): ReadonlySet<string>;
}

/** Remembers which transactions the node does not find. After a restart the minute starts again. */
export function createAbsences(now: () => number): Absences {
  let known = new Map<string, { since: number; looks: number }>();
  return {
    confirm(missing) {
      const at = now();
      known = new Map(
        missing.map((key) => {
          const { since, looks } = known.get(key) ?? { since: at, looks: 0 };
          // A clock that steps back must not delay the decision by as much.
          return [key, { since: Math.min(since, at), looks: looks + 1 }];
        }),
      );
      return new Set(
        missing.filter((key) => {
          const { since, looks } = known.get(key)!;
          return looks >= MIN_LOOKS && at - since >= MIN_DURATION_MS;
        }),
      );
    },
  };
}
