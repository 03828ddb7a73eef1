import { Limiter } from './limits.ts';

/** What is remembered; the oldest is forgotten. */
const MAX_KNOWN = 100;
const BURST = 20;
const PER_SECOND = 1 / 60;

/**
 * Whether a thing is to be told of: the first time that it is met. Strangers can name any number of things, so that memory is bounded,
 * and so is how often something is told: what is too much now has its turn when it is met again.
 */
export function createOnce(now: () => number): (thing: string) => boolean {
  const known = new Set<string>();
  const limiter = new Limiter(PER_SECOND, BURST);
  return (thing) => {
    if (known.has(thing) || limiter.take('', now()) > 0) return false;
    const [oldest] = known;
    if (known.size >= MAX_KNOWN && oldest !== undefined) known.delete(oldest);
    known.add(thing);
    return true;
  };
}
