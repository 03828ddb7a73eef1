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
    const gauges = [...this.#gauges].map(([name, read]): Sample => [name, read()]);
    const counts = [...this.#counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return `${[...lines('gauge', gauges), ...lines('counter', counts)].join('\n')}\n`;
  }
}

type Sample = [name: string, value: number];

/** The samples of one name stand together, below their type. */
function lines(type: 'gauge' | 'counter', samples: readonly Sample[]): string[] {
  const groups = new Map<string, string[]>();
  for (const [name, value] of samples) {
    const family = name.replace(/\{.*$/, '');
    groups.set(family, [...(groups.get(family) ?? []), `${name} ${value}`]);
  }
  return [...groups].flatMap(([family, own]) => [`# TYPE ${family} ${type}`, ...own]);
}
