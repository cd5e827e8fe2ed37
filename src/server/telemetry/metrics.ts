import { AggregatorRegistry, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { json } from 'node:stream/consumers';
import {
  noObserver,
  type Observer,
  type RequestEnded,
  type Stage,
  type StatementFailure,
} from '../../base/observe/observer.ts';
import { ProtocolError } from '../../base/errors.ts';
import type { Peers } from '../workers/peers.ts';
import { CounterFamily, DurationFamily, durations } from './families.ts';
import { type MetricSources, registerSources } from './sources.ts';

/** The label of a dataclass that the model does not have, and of a request that was refused before it was understood. No name has parentheses. */
const UNKNOWN = '(unknown)';

/** The label of requests that name no dataclass. */
const NONE = '';

/** The outcomes of statements, as their label has them. */
const OUTCOMES: Readonly<Record<StatementFailure, string>> = {
  error: 'failed',
  timeout: 'timeout',
  clientGone: 'client_gone',
};

/** How the processes that serve together ask each other for their metrics. */
const QUESTION = 'metrics';

/** The metrics of a gateway, for Prometheus. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #dataclasses: ReadonlySet<string>;
  readonly #peers: Peers | null;
  readonly #requests: CounterFamily;
  readonly #requestDurations: DurationFamily;
  readonly #stages: DurationFamily;
  readonly #statements: DurationFamily;
  readonly #errors: CounterFamily;
  #inFlight = 0;
  readonly #shared: Pick<
    typeof noObserver,
    'stageDone' | 'statementRun' | 'poolWaited' | 'errorMet'
  >;

  /**
   * @param dataclasses the names that label requests
   * @param peers the other processes that serve; their metrics are shown, too, each with the label `worker`
   */
  constructor(sources: MetricSources, dataclasses: Iterable<string>, peers: Peers | null = null) {
    this.#dataclasses = new Set(dataclasses);
    this.#peers = peers;
    const registry = this.#registry;
    if (peers !== null) {
      registry.setDefaultLabels({ worker: peers.place.worker + 1 });
      peers.answer(QUESTION, async () => ({
        head: {},
        body: [Buffer.from(JSON.stringify(await registry.getMetricsAsJSON()))],
      }));
    }
    this.#requests = new CounterFamily(
      registry,
      { name: 'entitygate_requests_total', help: 'Requests that were answered or given up.' },
      ['dataclass', 'operation', 'status'],
    );
    this.#requestDurations = new DurationFamily(
      registry,
      {
        name: 'entitygate_request_duration_seconds',
        help: 'From the arrival of a request’s headers to the end of its answer.',
      },
      'operation',
    );
    this.#registerInFlight();
    this.#stages = new DurationFamily(
      registry,
      { name: 'entitygate_stage_duration_seconds', help: 'The stages of requests.' },
      'stage',
    );
    this.#statements = new DurationFamily(
      registry,
      {
        name: 'entitygate_statement_duration_seconds',
        help: 'Statements, from their start to their last row.',
      },
      'outcome',
    );
    const waits = durations(registry, {
      name: 'entitygate_pool_wait_duration_seconds',
      help: 'How long requests waited for a connection to the database.',
    });
    this.#errors = new CounterFamily(
      registry,
      {
        name: 'entitygate_errors_total',
        help: 'Errors of the gateway or the database, by their names in docs/errors.md.',
      },
      ['error'],
    );
    registerSources(registry, sources);
    collectDefaultMetrics({ register: registry });
    this.#shared = {
      stageDone: (stage: Stage, milliseconds) => this.#stages.of(stage).add(milliseconds),
      statementRun: ({ milliseconds, failure }) =>
        this.#statements.of(failure === undefined ? 'ok' : OUTCOMES[failure]).add(milliseconds),
      poolWaited: (milliseconds) => waits.add(milliseconds),
      errorMet: (error) =>
        this.#errors.add(error instanceof ProtocolError ? error.errorName : 'internal'),
    };
  }

  /** Observes requests, health probes aside. */
  readonly observe: Observer = ({ url }) => {
    if (url.startsWith('/health/')) return noObserver;
    this.#inFlight += 1;
    let operation = UNKNOWN;
    let dataclass = NONE;
    const { stageDone, statementRun, poolWaited, errorMet } = this.#shared;
    return {
      requestNamed: (named) => {
        ({ operation } = named);
        dataclass = this.#labelOf(named.dataclass);
      },
      stageDone,
      statementRun,
      poolWaited,
      errorMet,
      writes: null,
      requestEnded: (end) => this.#ended(end, dataclass, operation),
    };
  };

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

  #labelOf(dataclass: string | null): string {
    if (dataclass === null) return NONE;
    return this.#dataclasses.has(dataclass) ? dataclass : UNKNOWN;
  }

  #ended({ status, milliseconds }: RequestEnded, dataclass: string, operation: string): void {
    this.#inFlight -= 1;
    this.#requests.add(dataclass, operation, String(status));
    this.#requestDurations.of(operation).add(milliseconds);
  }

  #registerInFlight(): void {
    const inFlight = (): number => this.#inFlight;
    new Gauge({
      name: 'entitygate_requests_in_flight',
      help: 'Requests that are not answered yet.',
      registers: [this.#registry],
      collect() {
        this.set(inFlight());
      },
    });
  }
}
