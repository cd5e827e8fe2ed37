import { LRUCache } from 'lru-cache';
import { type RequestContext, timed, timedAsync } from '../../base/observe/observer.ts';
import type { FunctionCalled, WriteRefused } from '../../base/observe/writes.ts';
import type { Change, Dataclass } from '../../model/types.ts';
import type { Answer } from '../../answer/answer.ts';
import type { DeleteContext } from '../../plan/write/delete.ts';
import type { Literal, RequestAst, Selector } from '../../protocol/ast.ts';
import type { RestRequest } from '../../protocol/rest-request.ts';
import type { Execution } from '../../run/run.ts';
import type { SetAccess } from '../../run/sets/set-keys.ts';
import { setAudience } from '../../access/roles/audiences.ts';
import type { Caller, CallerServices } from './caller.ts';
import { PrintMeter } from '../../run/print-meter.ts';
import type { Clock } from '../../base/clock.ts';
import type { Principal } from '../../base/principal.ts';
import type { BatchingDatabase } from '../../database/database.ts';
import type { EntitySetStore } from '../../state/entity-set/store.ts';
import type { WriteStatements } from '../../run/save/rows/write-statements.ts';
import type { ImageConverter } from '../../answer/image/converter.ts';
import type { EntityLocks } from '../../state/lock/entity-locks.ts';
import type { CatalogHead } from '../../answer/catalog.ts';
import type { SessionBounds } from '../../state/session/sessions.ts';
import type { Uploads } from '../../state/upload/uploads.ts';
import type { CrossOrigins } from '../http/admission.ts';
import { ProtocolError } from '../../base/errors.ts';
import { Semaphore } from '../../database/pool.ts';

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
  /** @throws ProtocolError for what the client is told; the reason of the signal when the client has disconnected */
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

/** The dataclass that a URL names, and what of it. */
export interface Addressed {
  readonly dataclass: string;
  readonly selector: Selector;
}

/** A write of entities, as far as its URL tells. */
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

/** A call of a function. */
export interface NamedCall extends Pick<FunctionCalled, 'function' | 'dataclass'> {
  readonly kind: 'call';
}

/** Whether the caller may make any of some changes. */
export function mayChange({ readOnly, rights }: Dataclass, ...changes: Change[]): boolean {
  return !readOnly && changes.some((change) => rights[change] !== 'denied');
}

/** What is kept for all requests of one shape. */
export interface Planned<Plan, Writer> {
  readonly plan: Plan;
  readonly writer: Writer;
}

/** What requests are planned with. */
export type Planning = DeleteContext;

/** The stages of an operation, in the order in which they run. */
interface Stages<Ast extends RequestAst, Body, Plan, Writer, Input, Result> extends Traits<Ast> {
  /** Names the plans of the operation in the cache. */
  readonly name: string;
  /** Parses what the request holds besides its URL. */
  readonly body?: (context: OperationContext<Ast>) => Promise<Body>;
  /** Plans and prints, once for all requests of one shape. */
  readonly plan: (ast: Ast, planning: Planning) => Plan;
  /** Compiles the writer of the answer, once for all requests of one shape. */
  readonly compile?: (plan: Plan, context: OperationContext<Ast>) => Writer;
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

/** An operation that runs in stages, each of which it reports to the observer of the request. */
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
    return isPage?.(plan) === true ? context.services.pages.pass(context, work) : work();
  };
  return { ...stages, answer };
}

/**
 * The plan of a request with its writer: made for the first request of a shape, and kept for the others.
 * @param part what of the request it is for, where it has several plans
 * @throws ProtocolError for names that do not exist, and for what does not apply
 */
export function planOf<Ast extends RequestAst, Plan, Writer>(
  {
    name,
    plan,
    compile,
  }: {
    readonly name: string;
    readonly plan: (ast: Ast, planning: Planning) => Plan;
    readonly compile?: (plan: Plan, context: OperationContext<Ast>) => Writer;
  },
  context: OperationContext<Ast>,
  part = '',
): Planned<Plan, Writer> {
  const { ast, shape, caller, services } = context;
  const { database, settings, plans } = services;
  // The name comes first, so that what is kept under the key is of its type.
  return plans.get(`${name}\n${shape}${part}`, () => {
    const printer = new PrintMeter(database.dialect);
    const planning = { ...settings, model: caller.audience.model, printer };
    const made = printer.timed(context, () => plan(ast, planning));
    const writer = (compile && timed(context, 'respond', () => compile(made, context))) as Writer;
    return { plan: { plan: made, writer }, bytes: printer.bytes };
  });
}

/** What the statements of a request run with. */
export function executionOf(context: OperationContext): Execution {
  const { caller, services } = context;
  const { database, locks, writeStatements: statements } = services;
  return {
    database,
    statements,
    model: caller.audience.model,
    activity: context,
    locks: locks === null ? null : { table: locks, session: caller.session?.id ?? null },
  };
}

/** The entity sets that a request may use. A client without a session is told from others by its name, or else by its address. */
export function accessOf({ caller, request, services }: OperationContext): SetAccess {
  const { session, principal, audience } = caller;
  const { entitySets, sessionContextText } = services;
  const seen = setAudience(audience, principal);
  const told = sessionContextText(principal);
  return {
    sets: entitySets,
    // A database that knows the user may show each user other rows.
    audience: told === '' ? seen : `${seen} ${told}`,
    owner: session?.id ?? principal.name ?? request.address,
  };
}

/**
 * About how much memory all plans may take, in bytes: shapes are as long as clients make them, and their number alone is not a bound.
 * `docs/configuration.md` has the sum, the statements that write included.
 */
const MOST_BYTES = 176 * 1_048_576;

/** Keeps the plans of request shapes; the one that has not been used for longest goes first. */
export class PlanCache {
  readonly #plans: LRUCache<string, object>;

  /** @param shapes how many request shapes keep their plan */
  constructor(shapes: number, maxBytes = MOST_BYTES) {
    this.#plans = new LRUCache({ max: shapes, maxSize: maxBytes });
  }

  get size(): number {
    return this.#plans.size;
  }

  get bytes(): number {
    return this.#plans.calculatedSize;
  }

  /**
   * The plan under a key; where there is none, it is made and kept, unless it is larger than the cache.
   * @param key names the type of the plan, too
   * @throws what `make` throws
   */
  get<Plan extends object>(
    key: string,
    make: () => { readonly plan: Plan; readonly bytes: number },
  ): Plan {
    const known = this.#plans.get(key) as Plan | undefined;
    if (known !== undefined) return known;
    const { plan, bytes } = make();
    this.#plans.set(key, plan, { size: 2 * key.length + Math.max(1, bytes) });
    return plan;
  }
}

/** How long a request waits for its turn, in milliseconds. */
const WAIT = 10_000;

/** Limits how many pages are read and written at once: their writing takes turns, and all their rows would be in memory together. */
export class PageGate {
  readonly #places: Semaphore;

  /** @param places how many pages are worked on at once */
  constructor(places: number) {
    this.#places = new Semaphore(places);
  }

  /**
   * Does the work of a page when it has its turn.
   * @throws ProtocolError connectionsBusy where it has none in time; ClientGone; what the work throws
   */
  async pass<Result>(
    { signal }: Pick<RequestContext, 'signal'>,
    work: () => Promise<Result>,
  ): Promise<Result> {
    await this.#places.acquire(signal, WAIT, tooManyPages);
    try {
      return await work();
    } finally {
      this.#places.release();
    }
  }
}

function tooManyPages(): ProtocolError {
  const message = 'Too many pages are being read at the moment. Try again later.';
  return new ProtocolError('connectionsBusy', message);
}

/** Everything that outlives a request. */
export interface Services extends CallerServices {
  readonly database: BatchingDatabase;
  readonly catalog: CatalogHead;
  readonly settings: ServiceSettings;
  readonly crossOrigins: CrossOrigins;
  /** The user as the database session knows it, as it may answer by user; empty for none. */
  readonly sessionContextText: (principal: Principal) => string;
  readonly uploads: Uploads;
  /** By which sessions and entity sets live. */
  readonly clock: Clock;
  /** Null where entities are not locked. */
  readonly locks: EntityLocks | null;
  readonly entitySets: EntitySetStore;
  readonly images: ImageConverter;
  /** Through which requests for pages go. */
  readonly pages: PageGate;
  readonly plans: PlanCache;
  readonly writeStatements: WriteStatements;
  /** How many log lines were lost since the start. */
  readonly lostLogLines: () => number;
}

/** The settings of `config.yaml` that requests are answered by. */
export interface ServiceSettings extends Omit<DeleteContext, 'model' | 'printer'> {
  readonly sessions: Pick<SessionBounds, 'timeoutSeconds'>;
  readonly readOnly: boolean;
  readonly compatibility: { readonly deleteByGet: boolean };
  /** What `$queryplan` shows: nothing, plans in the names of the API, or also SQL. */
  readonly queryPlans: 'none' | 'api' | 'sql';
}
