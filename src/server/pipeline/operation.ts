import { LRUCache } from 'lru-cache';
import { type Audiences, setAudience } from '../../access/roles/audiences.ts';
import type { Answer } from '../../answer/answer.ts';
import type { CatalogHead } from '../../answer/catalog.ts';
import type { ImageConverter } from '../../answer/image/converter.ts';
import type { Clock } from '../../base/time.ts';
import { bytesOfEntry } from '../../base/collections.ts';
import { ProtocolError } from '../../base/errors.ts';
import { type RequestContext, timed, timedAsync } from '../../base/observe/observer.ts';
import type { FunctionCalled, WriteRefused } from '../../base/observe/writes.ts';
import type { Principal } from '../../base/principal.ts';
import type { Text } from '../../base/text.ts';
import type { McpSettings } from '../../config/settings/mcp.ts';
import type { ContractSettings } from '../../contract/settings.ts';
import type { BatchingDatabase } from '../../database/database.ts';
import type { Semaphore } from '../../database/pool.ts';
import type { Dataclass } from '../../model/types.ts';
import type { DeleteContext } from '../../plan/write/delete.ts';
import type { GroupsRequest, Literal, RequestAst, Selector } from '../../protocol/ast.ts';
import type { RestRequest } from '../../protocol/rest-request.ts';
import { PrintMeter } from '../../run/print-meter.ts';
import type { Execution } from '../../run/run.ts';
import type { WriteStatements } from '../../run/save/rows/write-statements.ts';
import type { SetAccess, SetRequest } from '../../run/sets/set-keys.ts';
import type { SessionBounds, SessionNames } from '../../state/session/sessions.ts';
import type { State } from '../../state/state.ts';
import type { ChangesHub } from '../changes/changes-hub.ts';
import type { CrossOrigins } from '../http/admission.ts';
import type { ReloadOutcome } from '../reload/changes.ts';
import type { Caller, CallerServices } from './caller.ts';
import { mixedFilterWarning } from './mixed-filter.ts';

/** What a request carries through the stages of its operation. */
export interface OperationContext<Ast extends RequestAst = RequestAst> extends RequestContext {
  readonly ast: Ast;
  /** Equal for requests that differ in their values only, and whose callers see the same model. */
  readonly shape: string;
  /** The client's values, which the AST and the plan refer to by number. */
  readonly values: readonly Literal[];
  readonly request: RestRequest;
  readonly caller: Caller;
  readonly services: Services;
  /** The epoch of the counts when the request came. */
  readonly epoch: number;
}

/** One kind of request: how it is answered, and what the rest of the server asks about it. */
export interface Operation<Ast extends RequestAst> extends Traits<Ast> {
  /** @throws ProtocolError for errors that the client gets; the reason of the signal when the client has disconnected */
  readonly answer: (context: OperationContext<Ast>) => Promise<Answer>;
}

/** What the rest of the server asks about a kind of request. */
interface Traits<Ast extends RequestAst> {
  /** Whether it changes something, if only what the gateway keeps for its client: then other sites may not send it. */
  readonly changes: boolean | ((ast: Ast) => boolean);
  /** What its URL addresses; left out or null where that is not a dataclass. */
  readonly addresses?: (ast: Ast) => Addressed | null;
  /** Whether the model, as the caller sees it, can serve it (for the header Allow); left out where it always can. */
  readonly isServed?: (ast: Ast, dataclass: Dataclass, isByKey: boolean) => boolean;
  /** What it writes, for the audit log; left out or null where it writes nothing. */
  readonly writes?: (ast: Ast) => NamedWrite | NamedCall | null;
}

export interface Addressed {
  readonly dataclass: string;
  readonly selector: Selector;
}

export interface NamedWrite extends Addressed, Pick<WriteRefused, 'action'> {
  readonly kind: 'write';
  /** The attribute that an upload is for. */
  readonly attribute: string | null;
}

/** Names a write of what a URL addresses. */
export function namedWrite(
  action: NamedWrite['action'],
  { dataclass, selector }: Addressed,
  attribute: string | null = null,
): NamedWrite {
  return { kind: 'write', action, dataclass, selector, attribute };
}

export interface NamedCall extends Pick<FunctionCalled, 'function' | 'dataclass'> {
  readonly kind: 'call';
}

/** How requests are planned, and the writers of their answers compiled: once for all requests of one shape. */
interface PlanStages<Ast extends RequestAst, Plan, Writer> {
  readonly name: string;
  readonly plan: (ast: Ast, planning: DeleteContext) => Plan;
  readonly compile?: (plan: Plan, context: OperationContext<Ast>) => Writer;
}

/** The stages of an operation, in the order in which they run. */
interface Stages<Ast extends RequestAst, Body, Plan, Writer, Input, Result>
  extends Traits<Ast>, PlanStages<Ast, Plan, Writer> {
  /** Parses what the request holds besides its URL. */
  readonly body?: (context: OperationContext<Ast>) => Promise<Body>;
  /** Converts the values of the body. */
  readonly values?: (
    plan: Plan,
    body: Body,
    context: OperationContext<Ast>,
  ) => Promise<Input> | Input;
  /** Whether many rows may be in memory: then only so many requests run and write at once. */
  readonly isPage?: (plan: Plan) => boolean;
  readonly run: (
    planned: Planned<Plan, Writer>,
    input: Input,
    context: OperationContext<Ast>,
  ) => Promise<Result>;
  readonly write: (
    result: Result,
    planned: Planned<Plan, Writer>,
    context: OperationContext<Ast>,
  ) => Answer | Promise<Answer>;
}

/** Makes an operation that runs in stages, and reports each to the observer of the request. */
export function staged<Ast extends RequestAst, Body, Plan, Writer, Input, Result>(
  stages: Stages<Ast, Body, Plan, Writer, Input, Result>,
): Operation<Ast> {
  const { body, values, isPage, run, write } = stages;
  const answer = async (context: OperationContext<Ast>): Promise<Answer> => {
    // Where a stage is left out, the next one does not look at what it would give.
    const given = (body && (await timedAsync(context, 'body', () => body(context)))) as Body;
    const planned = planOf(stages, context);
    const { plan } = planned;
    const input = (values &&
      (await timedAsync(context, 'values', async () => values(plan, given, context)))) as Input;
    const work = async (): Promise<Answer> => {
      const result = await timedAsync(context, 'execute', () => run(planned, input, context));
      return timedAsync(context, 'respond', async () => write(result, planned, context));
    };
    if (isPage?.(plan) !== true) return work();
    const { pages } = context.services;
    await pages.acquire(context.signal, WAIT, () => {
      const message = 'Too many pages are being read. Try again later.';
      return new ProtocolError('connectionsBusy', message);
    });
    try {
      return await work();
    } finally {
      pages.release();
    }
  };
  return { ...stages, answer };
}

/** The plan of a request with its writer, made once for all requests of a shape. @param part of the request, where it has several plans */
export function planOf<Ast extends RequestAst, Plan, Writer>(
  { name, plan, compile }: PlanStages<Ast, Plan, Writer>,
  context: OperationContext<Ast>,
  part = '',
): Planned<Plan, Writer> {
  const { ast, shape, caller, services } = context;
  const { database, settings, plans } = services;
  const planned = plans.planned(`${name}\n${shape}${part}`, () => {
    const printer = new PrintMeter(database.dialect);
    const planning = { ...settings, model: caller.audience.model, printer };
    const made = printer.timed(context, () => plan(ast, planning));
    const warning = mixedFilterWarning(ast);
    if (warning !== null) context.observer.warned?.(warning);
    const writer = (compile && timed(context, 'respond', () => compile(made, context))) as Writer;
    return { plan: made, writer, bytes: printer.bytes };
  });
  // The name in the key determines the types.
  return planned as Planned<Plan, Writer>;
}

/** A related entity of an answer has at least so many bytes. */
const SHORTEST_ENTITY = 16;

/** How many related entities are more than an answer has that is cut; undefined where it is not. */
export function enoughRows({ enoughBytes }: RestRequest): number | undefined {
  return enoughBytes === undefined ? undefined : Math.ceil(enoughBytes / SHORTEST_ENTITY);
}

/** What the statements of a request run with. */
export function executionOf(context: OperationContext): Execution {
  const { caller, services } = context;
  const { database, locks, writeStatements: statements } = services;
  const { session, hasEnded } = caller;
  return {
    database,
    statements,
    model: caller.audience.model,
    activity: context,
    locks: locks === null ? null : { entityLocks: locks, session: session?.hash ?? null, hasEnded },
  };
}

/** What a request that may use entity sets runs with. */
export function setRequestOf(context: OperationContext): SetRequest {
  return { access: accessOf(context), values: context.values, ...executionOf(context) };
}

/** The entity sets that a request may use. A client without a session is identified by its name, or else by its address. */
function accessOf({ caller, request, services }: OperationContext): SetAccess {
  const { session, principal, audience } = caller;
  const { entitySets, sessionContextText } = services;
  const seen = setAudience(audience, principal);
  const user = sessionContextText(principal);
  return {
    sets: entitySets,
    // A database that knows the user may show each user other rows.
    audience: user === '' ? seen : `${seen} ${user}`,
    owner: session?.hash ?? principal.name ?? request.address,
  };
}

/** How long a page waits for its turn, in milliseconds. */
const WAIT = 10_000;

/** What requests use that lives as long as the process. */
export interface ProcessServices extends Pick<
  State,
  'sessions' | 'locks' | 'uploads' | 'entitySets'
> {
  readonly sessionNames: SessionNames;
  readonly crossOrigins: CrossOrigins;
  /** The user as the database session knows it, as it may answer by user; empty for none. */
  readonly sessionContextText: (principal: Principal) => string;
  /** By which sessions and entity sets live. */
  readonly clock: Clock;
  readonly images: ImageConverter;
  /** Limits how many pages are read and written at once: their writing takes turns, and all their rows would be in memory together. */
  readonly pages: Semaphore;
}

/** Everything that requests use and outlives them. */
export interface Services extends CallerServices, ProcessServices {
  /** How agents act for users: the users' rights through agents, and the settings. */
  readonly agents: { readonly audiences: Audiences; readonly settings: McpSettings };
  readonly database: BatchingDatabase;
  /** The gateway's host names, where requests need no login; null where they do, and any name is accepted. */
  readonly unauthenticatedHosts: readonly string[] | null;
  readonly catalog: CatalogHead;
  /** What the OpenAPI document says besides the model. */
  readonly contract: ContractSettings;
  /** OpenAPI documents by the keys of the audiences that they are for. */
  readonly openApiDocuments: LRUCache<string, { readonly text: Text }>;
  readonly settings: ServiceSettings;
  /** The reports that fit the whole model. */
  readonly reports: readonly Report[];
  readonly plans: PlanCache;
  /** The dataclasses at which a request met that the database has changed (9022), and when, as text. */
  readonly outdated: Map<string, string>;
  /** The streams of changes. */
  readonly changes: ChangesHub;
  readonly writeStatements: WriteStatements;
  /** Reads the files of the gateway again. */
  readonly reload: () => Promise<ReloadOutcome>;
}

/** A report of the report files. */
export interface Report {
  readonly name: string;
  readonly ast: GroupsRequest;
  /** As it is answered, in JSON. */
  readonly text: string;
}

/** The settings of `config.yaml` that requests are answered by. */
export interface ServiceSettings extends Omit<DeleteContext, 'model' | 'printer'> {
  readonly sessions: Pick<SessionBounds, 'timeoutSeconds'>;
  readonly readOnly: boolean;
  readonly server: {
    readonly createdStatus: 200 | 201;
    readonly hosts: readonly string[];
    readonly publicUrl?: string | undefined;
  };
  readonly compatibility: { readonly deleteByGet: boolean };
  /** What `$queryplan` shows: nothing, plans in the names of the API, or also SQL. */
  readonly queryPlans: 'none' | 'api' | 'sql';
}

/** How caches have been used since the start. */
export interface PlanCounts {
  hits: number;
  misses: number;
  /** How many entries made room for others. */
  evictions: number;
}

export interface CacheStats extends Readonly<PlanCounts> {
  readonly entries: number;
  readonly bytes: number;
}

/** What is kept for all requests of one shape. */
export interface Planned<Plan, Writer> {
  readonly plan: Plan;
  readonly writer: Writer;
  /** About how much memory they take. */
  readonly bytes: number;
}

/**
 * About how much memory all plans may take, in bytes: shapes are as long as clients make them, and their number alone is not a bound.
 * `docs/reference/configuration.md` has the sum, the statements that write included.
 */
const MOST_BYTES = 176 * 1_048_576;

/** Keeps the plans of request shapes; the one that has not been used for longest goes first. */
export class PlanCache {
  readonly #plans: LRUCache<string, Planned<unknown, unknown>>;
  readonly #counts: PlanCounts;

  /** @param shapes how many plans are kept at most @param counts is counted up; caches that follow each other may share it */
  constructor(
    shapes: number,
    counts: PlanCounts = { hits: 0, misses: 0, evictions: 0 },
    maxBytes = MOST_BYTES,
  ) {
    this.#counts = counts;
    this.#plans = new LRUCache({
      max: shapes,
      maxSize: maxBytes,
      sizeCalculation: bytesOfEntry(({ bytes }) => bytes),
      dispose: (_planned, _key, why) => {
        if (why === 'evict') this.#counts.evictions += 1;
      },
    });
  }

  /** Returns the plan of a key; where there is none, it is made and kept. */
  planned(key: string, make: () => Planned<unknown, unknown>): Planned<unknown, unknown> {
    const known = this.#plans.get(key);
    if (known !== undefined) {
      this.#counts.hits += 1;
      return known;
    }
    this.#counts.misses += 1;
    const made = make();
    this.#plans.set(key, made);
    return made;
  }

  get stats(): CacheStats {
    const { size: entries, calculatedSize: bytes } = this.#plans;
    return { entries, bytes, ...this.#counts };
  }
}
