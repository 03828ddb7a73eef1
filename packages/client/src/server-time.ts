/**
 * The service's clock, as far as its `Date` headers tell: whole seconds, so that each answer bounds how far the clocks are apart;
 * bounds of several answers are taken together for as long as they fit.
 */
export class ServerTime {
  #bounds: { least: number; most: number } | null = null;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Takes in an answer.
   * @param sentAt own time at which the request was sent, milliseconds.
   */
  observe(date: string | null, sentAt: number): void {
    const whole = date === null ? Number.NaN : Date.parse(date);
    if (Number.isNaN(whole)) return;
    // The header was written between sending and receiving, within the second that it names.
    const fresh = { least: whole - this.#now(), most: whole + 999 - sentAt };
    const least = Math.max(fresh.least, this.#bounds?.least ?? fresh.least);
    const most = Math.min(fresh.most, this.#bounds?.most ?? fresh.most);
    this.#bounds = least <= most ? { least, most } : fresh;
  }

  /** Milliseconds since the epoch on the service's clock; our own clock's until an answer came. */
  now(): number {
    const { least, most } = this.#bounds ?? { least: 0, most: 0 };
    return Math.round(this.#now() + (least + most) / 2);
  }
}
