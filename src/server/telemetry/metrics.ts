import { AggregatorRegistry, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { type Observer, noObserver } from '../../base/observe/observer.ts';
import type { WorkerConnection } from '../workers/messages.ts';
import { MeasuredRequest, RequestFamilies } from './measured-request.ts';
import { type MetricSources, registerSources } from './sources.ts';

/** The metrics of a gateway, for Prometheus. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #together: (() => Promise<readonly OwnMetrics[]>) | null;
  readonly #families: RequestFamilies;

  /**
   * @param isDataclass tells the names that label requests
   * @param worker this process among others that serve; the metrics of all are shown, each with the label `worker`
   */
  constructor(
    sources: MetricSources,
    isDataclass: (name: string) => boolean,
    worker: WorkerConnection | null = null,
  ) {
    const registry = this.#registry;
    this.#together = worker && this.#collecting(worker);
    const families = new RequestFamilies(registry, isDataclass);
    this.#families = families;
    new Gauge({
      name: 'entitygate_requests_in_flight',
      help: 'Requests that are not answered yet.',
      registers: [registry],
      collect() {
        this.set(families.inFlight);
      },
    });
    registerSources(registry, sources);
    collectDefaultMetrics({ register: registry });
  }

  /** Observes requests, health probes aside. */
  readonly observe: Observer = ({ url }) =>
    url.startsWith('/health/') ? noObserver : new MeasuredRequest(this.#families);

  /** The metrics in Prometheus' text format, those of the other workers included. */
  async text(): Promise<string> {
    if (this.#together === null) return this.#registry.metrics();
    // Each sample has the label of its worker, so that none is combined with others.
    const summed = (await this.#together()).map((one) =>
      one.map((metric) => ({ ...metric, aggregator: 'sum' })),
    );
    return AggregatorRegistry.aggregate(summed).metrics();
  }

  /** Tells the primary the metrics of this process. @returns a function that asks it for those of all */
  #collecting({ id, channel }: WorkerConnection): () => Promise<readonly OwnMetrics[]> {
    const registry = this.#registry;
    registry.setDefaultLabels({ worker: id + 1 });
    const waiting = new Map<number, (metrics: readonly OwnMetrics[]) => void>();
    let asked = 0;
    channel.onMessage((message) => {
      if (message.kind === 'measure') {
        void registry.getMetricsAsJSON().then((metrics) => {
          channel.send({ kind: 'measured', round: message.round, metrics });
        });
      } else if (message.kind === 'collected') {
        waiting.get(message.id)?.(message.metrics as OwnMetrics[]);
        waiting.delete(message.id);
      }
    });
    return () =>
      new Promise((resolve) => {
        asked += 1;
        waiting.set(asked, resolve);
        channel.send({ kind: 'collect', id: asked });
      });
  }
}

/** The metrics of one process. */
type OwnMetrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;
