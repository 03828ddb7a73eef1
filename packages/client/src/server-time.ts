/**
 * The service's clock from its `Date` headers. They have whole seconds, so each response bounds the
 * difference of the clocks. Consistent bounds of several responses are intersected.
 */
export class ServerTime {
  #bounds: { least: number; most: number } | null = null;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Adds the time of a response.
   * @param sentAt own time of the request, milliseconds
   */
  observe(date: string | null, sentAt: number): void {
    const whole = date === null ? Number.NaN : Date.parse(date);
    if (Number.isNaN(whole)) return;
    // The header was written between request and response, within the second that it contains.
    const fresh = { least: whole - this.#now(), most: whole + 999 - sentAt };
    const least = Math.max(fresh.least, this.#bounds?.least ?? fresh.least);
    const most = Math.min(fresh.most, this.#bounds?.most ?? fresh.most);
    this.#bounds = least <= most ? { least, most } : fresh;
  }

  /**
   * Milliseconds since the epoch on the service's clock; the own clock before the first response.
   */
  now(): number {
    const { least, most } = this.#bounds ?? { least: 0, most: 0 };
    return Math.round(this.#now() + (least + most) / 2);
  }
}
