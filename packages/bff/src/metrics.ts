/** Counters and gauges in the text format of Prometheus. */
export class Metrics {
  readonly #counts = new Map<string, number>();
  readonly #gauges = new Map<string, () => number>();

  /** @param name with labels: `bff_requests_total{what="get_invoice"}` */
  count(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  gauge(name: string, read: () => number): void {
    this.#gauges.set(name, read);
  }

  text(): string {
    const gauges = [...this.#gauges].map(([name, read]) => `${name} ${read()}`);
    const counts = [...this.#counts]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => `${name} ${value}`);
    return `${[...gauges, ...counts].join('\n')}\n`;
  }
}
