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
