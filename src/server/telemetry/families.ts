import type { Metric, Registry } from 'prom-client';

/** The upper bounds of the buckets of durations, in seconds. */
export const BUCKETS: readonly number[] = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
  30,
];

/** A sample as prom-client prints it. */
interface Sample {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

interface FamilyOptions {
  readonly name: string;
  readonly help: string;
}

/** Registers a family whose samples are made when they are read. The histograms and counters of prom-client hash their labels whenever they count. */
function register(
  registry: Registry,
  type: 'counter' | 'histogram',
  { name, help }: FamilyOptions,
  samples: () => Sample[],
): void {
  const family = { name, help, type, aggregator: 'sum' };
  const metric = { ...family, get: () => Promise.resolve({ ...family, values: samples() }) };
  // prom-client reads no more of a metric than this.
  registry.registerMetric(metric as unknown as Metric);
}

/** The durations of one kind of event. */
export class Durations {
  readonly #counts = new Array<number>(BUCKETS.length).fill(0);
  #count = 0;
  #seconds = 0;

  add(milliseconds: number): void {
    const seconds = milliseconds / 1000;
    this.#count += 1;
    this.#seconds += seconds;
    for (let index = 0; index < BUCKETS.length; index += 1) {
      if (seconds > (BUCKETS[index] ?? 0)) continue;
      this.#counts[index] = (this.#counts[index] ?? 0) + 1;
      return;
    }
  }

  /** The samples of a histogram: cumulative buckets, sum and count. */
  samples(name: string, labels: Sample['labels']): Sample[] {
    let below = 0;
    const buckets = BUCKETS.map((le, index) => {
      below += this.#counts[index] ?? 0;
      return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: below };
    });
    return [
      ...buckets,
      { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: this.#count },
      { metricName: `${name}_sum`, labels, value: this.#seconds },
      { metricName: `${name}_count`, labels, value: this.#count },
    ];
  }
}

/** A histogram of durations with one label, whose values are bounded. */
export class DurationFamily {
  readonly #byLabel = new Map<string, Durations>();

  constructor(registry: Registry, options: FamilyOptions, label: string) {
    register(registry, 'histogram', options, () =>
      [...this.#byLabel].flatMap(([value, durations]) =>
        durations.samples(options.name, { [label]: value }),
      ),
    );
  }

  /** The durations with a value of the label. */
  of(value: string): Durations {
    const known = this.#byLabel.get(value);
    if (known !== undefined) return known;
    const durations = new Durations();
    this.#byLabel.set(value, durations);
    return durations;
  }
}

/** Registers a histogram of durations without labels. */
export function durations(registry: Registry, options: FamilyOptions): Durations {
  const all = new Durations();
  register(registry, 'histogram', options, () => all.samples(options.name, {}));
  return all;
}

/** A count of events. */
export class Count {
  #events = 0;

  add(): void {
    this.#events += 1;
  }

  get events(): number {
    return this.#events;
  }
}

/** A counter with labels, whose values are bounded. */
export class CounterFamily {
  readonly #counts = new Map<string, { readonly values: readonly string[]; count: Count }>();

  constructor(registry: Registry, options: FamilyOptions, labels: readonly string[]) {
    register(registry, 'counter', options, () =>
      [...this.#counts.values()].map(({ values, count }) => ({
        labels: Object.fromEntries(labels.map((name, index) => [name, values[index] ?? ''])),
        value: count.events,
      })),
    );
  }

  /** The count of the events with some values of the labels. */
  of(...values: readonly string[]): Count {
    const key = values.join('\n');
    const known = this.#counts.get(key);
    if (known !== undefined) return known.count;
    const count = new Count();
    this.#counts.set(key, { values, count });
    return count;
  }
}
