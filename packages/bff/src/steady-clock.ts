/**
 * Returns a clock for intervals and limits: it goes on where the given clock steps back, as when a
 * wrong time is corrected. Its times compare with each other only, never with stored times. It
 * notices a step at its next call, and the poller calls it once a second.
 */
export function createSteadyClock(now: () => number): () => number {
  let last = now();
  let lost = 0;
  return () => {
    const time = now();
    if (time < last) lost += last - time;
    last = time;
    return time + lost;
  };
}
