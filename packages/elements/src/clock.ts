/** Clocks that disagree by more than this: the device slept, or somebody has set one of them. */
const DISAGREE_MS = 20_000;

/**
 * A moment on both clocks of the device: one may stand still while the device sleeps, the other can be set by its owner. Neither is
 * ever compared with a server's time, only with itself.
 */
export interface Moment {
  steady: number;
  wall: number;
}

export const moment = (): Moment => ({ steady: performance.now(), wall: Date.now() });

/** Milliseconds since a moment, sleep included. */
export const passedSince = ({ steady, wall }: Moment): number => Math.max(0, performance.now() - steady, Date.now() - wall);

/** Whether the device seems to have slept since, in a sleep that its steady clock knows nothing of. */
export const sleptSince = ({ steady, wall }: Moment): boolean => Date.now() - wall - (performance.now() - steady) > DISAGREE_MS;
