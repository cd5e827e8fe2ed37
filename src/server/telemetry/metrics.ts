import { json } from 'node:stream/consumers';
import { AggregatorRegistry, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { type Observer, noObserver } from '../../base/observe/observer.ts';
import type { Peers } from '../workers/peers.ts';
import { MeasuredRequest, RequestFamilies } from './measured-request.ts';
import { type MetricSources, registerSources } from './sources.ts';

/** How the processes that serve together ask each other for their metrics. */
const QUESTION = 'metrics';

/** The metrics of a gateway, for Prometheus. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #peers: Peers | null;
  readonly #families: RequestFamilies;

  /**
   * @param isDataclass tells the names that label requests
   * @param peers the other processes that serve; their metrics are shown, too, each with the label `worker`
   */
  constructor(
    sources: MetricSources,
    isDataclass: (name: string) => boolean,
    peers: Peers | null = null,
  ) {
    const registry = this.#registry;
    this.#peers = peers;
    if (peers !== null) {
      registry.setDefaultLabels({ worker: peers.place.worker + 1 });
      peers.answer(QUESTION, async () => ({
        head: {},
        body: [Buffer.from(JSON.stringify(await registry.getMetricsAsJSON()))],
      }));
    }
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
    if (this.#peers === null) return this.#registry.metrics();
    const own = await this.#registry.getMetricsAsJSON();
    const others = await this.#peers.askOthers(QUESTION, (_head, body) => json(body));
    const all = [own, ...(others as (typeof own)[])];
    // Each sample has the label of its worker, so that none is combined with others.
    const summed = all.map((one) => one.map((metric) => ({ ...metric, aggregator: 'sum' })));
    return AggregatorRegistry.aggregate(summed).metrics();
  }
}
