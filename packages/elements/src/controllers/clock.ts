/** A larger difference means that the device slept or a clock was set. */
const DISAGREE_MS = 20_000;

/**
 * A reading of both device clocks: the steady one may pause during sleep, the wall clock can be
 * set. Each is compared only with itself, never with the server's time.
 */
export interface ClockReading {
  steady: number;
  wall: number;
}

export const readClocks = (): ClockReading => ({ steady: performance.now(), wall: Date.now() });

/** Milliseconds since a reading, sleep included. */
export const elapsedSince = ({ steady, wall }: ClockReading): number =>
  Math.max(0, performance.now() - steady, Date.now() - wall);

/** Whether the device slept since without its steady clock running. */
export const sleptSince = ({ steady, wall }: ClockReading): boolean =>
  Date.now() - wall - (performance.now() - steady) > DISAGREE_MS;
