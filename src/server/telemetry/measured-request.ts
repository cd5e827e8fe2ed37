import type { Registry } from 'prom-client';
import { ProtocolError } from '../../base/errors.ts';
import type {
  NamedRequest,
  RequestEnded,
  Stage,
  StatementFailure,
  StatementRun,
  WholeRequestObserver,
} from '../../base/observe/observer.ts';
import {
  type Count,
  CounterFamily,
  DurationFamily,
  type Durations,
  durations,
} from './families.ts';

/** The label of a dataclass that the model does not have, and of a request that was refused before it was understood. No name has parentheses. */
export const UNKNOWN = '(unknown)';

/** The label of requests that name no dataclass. */
const NONE = '';

/** The outcomes of statements that failed, as their label has them. */
const OUTCOMES: Readonly<Record<StatementFailure, string>> = {
  error: 'failed',
  timeout: 'timeout',
  clientGone: 'client_gone',
};

/** The figures of the requests of one kind on one dataclass. */
interface Kind {
  readonly durations: Durations;
  readonly dataclass: string;
  readonly operation: string;
  readonly byStatus: Map<number, Count>;
}

/** The figures that requests report. */
export class RequestFamilies {
  inFlight = 0;
  readonly stages: DurationFamily;
  readonly statements: DurationFamily;
  readonly waits: Durations;
  readonly errors: CounterFamily;
  /** Those of requests that were not understood. */
  readonly unknown: Kind;
  readonly #isDataclass: (name: string) => boolean;
  readonly #requests: CounterFamily;
  readonly #durations: DurationFamily;
  /** By operation and dataclass. */
  readonly #kinds = new Map<string, Map<string, Kind>>();

  /** @param isDataclass tells the names that label requests */
  constructor(registry: Registry, isDataclass: (name: string) => boolean) {
    this.#isDataclass = isDataclass;
    this.#requests = new CounterFamily(
      registry,
      { name: 'entitygate_requests_total', help: 'Requests that have ended.' },
      ['dataclass', 'operation', 'status'],
    );
    this.#durations = new DurationFamily(
      registry,
      {
        name: 'entitygate_request_duration_seconds',
        help: 'From the arrival of a request’s headers to the end of its answer.',
      },
      'operation',
    );
    this.stages = new DurationFamily(
      registry,
      { name: 'entitygate_stage_duration_seconds', help: 'The stages of requests.' },
      'stage',
    );
    this.statements = new DurationFamily(
      registry,
      {
        name: 'entitygate_statement_duration_seconds',
        help: 'Statements, from their start to their last row.',
      },
      'outcome',
    );
    this.waits = durations(registry, {
      name: 'entitygate_pool_wait_duration_seconds',
      help: 'How long requests waited for a connection to the database.',
    });
    this.errors = new CounterFamily(
      registry,
      {
        name: 'entitygate_errors_total',
        help: 'Errors of the gateway or the database, by their names in docs/reference/errors.md.',
      },
      ['error'],
    );
    this.unknown = this.kindOf(UNKNOWN, null);
  }

  /** The figures of an operation on a dataclass. */
  kindOf(operation: string, named: string | null): Kind {
    const dataclass = this.#labelOf(named);
    let kinds = this.#kinds.get(operation);
    if (kinds === undefined) this.#kinds.set(operation, (kinds = new Map<string, Kind>()));
    const known = kinds.get(dataclass);
    if (known !== undefined) return known;
    const ofOperation = this.#durations.of(operation);
    const kind = { durations: ofOperation, dataclass, operation, byStatus: new Map() };
    kinds.set(dataclass, kind);
    return kind;
  }

  ended({ durations: ofKind, dataclass, operation, byStatus }: Kind, end: RequestEnded): void {
    const { status, milliseconds } = end;
    this.inFlight -= 1;
    ofKind.add(milliseconds);
    let count = byStatus.get(status);
    if (count === undefined) {
      count = this.#requests.of(dataclass, operation, String(status));
      byStatus.set(status, count);
    }
    count.add();
  }

  #labelOf(dataclass: string | null): string {
    if (dataclass === null) return NONE;
    return this.#isDataclass(dataclass) ? dataclass : UNKNOWN;
  }
}

/** Measures a request. There is one for each request: methods take no time to make, as closures would. */
export class MeasuredRequest implements WholeRequestObserver {
  readonly writes = null;
  readonly #families: RequestFamilies;
  #kind: Kind;

  constructor(families: RequestFamilies) {
    families.inFlight += 1;
    this.#families = families;
    this.#kind = families.unknown;
  }

  requestNamed({ operation, dataclass }: NamedRequest): void {
    this.#kind = this.#families.kindOf(operation, dataclass);
  }

  stageDone(stage: Stage, milliseconds: number): void {
    this.#families.stages.of(stage).add(milliseconds);
  }

  statementRun({ milliseconds, failure }: StatementRun): void {
    const outcome = failure === undefined ? 'ok' : OUTCOMES[failure];
    this.#families.statements.of(outcome).add(milliseconds);
  }

  poolWaited(milliseconds: number): void {
    this.#families.waits.add(milliseconds);
  }

  errorMet(error: Error): void {
    const name = error instanceof ProtocolError ? error.errorName : 'internal';
    this.#families.errors.of(name).add();
  }

  requestEnded(end: RequestEnded): void {
    this.#families.ended(this.#kind, end);
  }
}
