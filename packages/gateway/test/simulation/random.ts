/** Pseudo-random numbers: the same seed returns the same sequence on every machine. */
export interface Random {
  /** An integer from 0 to `limit` - 1. */
  below(limit: number): number;
  chance(percent: number): boolean;
  pick<T>(choices: readonly T[]): T;
}

/** Mulberry32: 32 bits of state, sufficient for choices. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  return {
    below: (limit) => next() % limit,
    chance: (percent) => next() % 100 < percent,
    pick: (choices) => choices[next() % choices.length]!,
  };
}
