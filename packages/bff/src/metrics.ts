/** The meaning of each metric. */
const HELP = {
  bff_event_streams: 'Open event streams.',
  bff_followed_checkouts: 'Open checkouts that are polled.',
  bff_service_requests_total: 'Requests to the service, by what they ask and how they ended.',
  bff_refusals_total: 'Refused requests of pages and shops, by HTTP status.',
  bff_damaged_checkouts_total: 'Stored checkouts that could not be read.',
} as const;

type Family = keyof typeof HELP;
type Labelled = Family | `${Family}{${string}}`;

/** Counters and gauges in the text format of Prometheus. */
export class Metrics {
  readonly #counts = new Map<Labelled, number>();
  readonly #gauges = new Map<Family, () => number>();

  /** @param name with labels: `bff_refusals_total{status="429"}` */
  count(name: Labelled): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  gauge(name: Family, read: () => number): void {
    this.#gauges.set(name, read);
  }

  text(): string {
    const gauges = [...this.#gauges].map(([name, read]): Sample => [name, read()]);
    const counts = [...this.#counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return `${[...lines('gauge', gauges), ...lines('counter', counts)].join('\n')}\n`;
  }
}

type Sample = [name: Labelled, value: number];

/** The samples of one name stand together, below their meaning and type. */
function lines(type: 'gauge' | 'counter', samples: readonly Sample[]): string[] {
  const groups = new Map<Family, string[]>();
  for (const [name, value] of samples) {
    const family = name.replace(/\{.*$/, '') as Family;
    groups.set(family, [...(groups.get(family) ?? []), `${name} ${value}`]);
  }
  return [...groups].flatMap(([family, own]) => [
    `# HELP ${family} ${HELP[family]}`,
    `# TYPE ${family} ${type}`,
    ...own,
  ]);
}
