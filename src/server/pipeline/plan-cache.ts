import { LRUCache } from 'lru-cache';
import type { PrintedContent } from '../../run/read/content.ts';
import type { PrintedDelete } from '../../run/delete/delete.ts';
import type { PrintedRead } from '../../run/read/print-read.ts';
import type { PrintedCall } from '../../run/call/print-call.ts';
import type { PrintedSave } from '../../run/save/print-save.ts';
import type { PrintedDeleteSet, PrintedEntitySet } from '../../run/sets/print-entity-set.ts';
import type { PrintedValues } from '../../run/read/values.ts';
import { fetchBytes, readBytes, statementBytes } from '../../run/read/size.ts';
import type { AttributeUploadPlan } from '../../plan/write/save.ts';
import type { CallWriter } from '../../answer/call-writer.ts';
import type { ComputePlan } from '../../plan/read/compute.ts';
import type { DistinctPlan } from '../../plan/read/distinct.ts';
import type { ComputeWriter, DistinctWriter } from '../../answer/values-writer.ts';
import type {
  CollectionWriter,
  EncodedWriter,
  EntitySetWriter,
  ReadWriter,
  StampOf,
} from '../../answer/entities/collection-writer.ts';
import type { SaveWriter } from '../../answer/save-writer.ts';

/** What is kept for all reads of one shape. */
export interface CachedRead {
  readonly printed: PrintedRead;
  readonly write: ReadWriter;
  /** Writes the same from rows as they came; null where that cannot be. */
  readonly writeEncoded: EncodedWriter | null;
  readonly stampOf: StampOf;
}

/** What is kept for all requests by way of entity sets of one shape. */
export interface CachedEntitySet {
  readonly printed: PrintedEntitySet;
  readonly write: EntitySetWriter;
  /** Writes the same from rows as they came; null where that cannot be. */
  readonly writeEncoded: EncodedWriter | null;
}

/** What is kept for all long pages and exports of one shape. */
export interface CachedPage {
  readonly printed: PrintedEntitySet;
  readonly write: CollectionWriter;
}

/** What is kept for all computations of one shape. */
export interface CachedCompute {
  readonly printed: PrintedValues<ComputePlan>;
  readonly write: ComputeWriter;
}

/** What is kept for all questions for distinct values of one shape. */
export interface CachedDistinct {
  readonly printed: PrintedValues<DistinctPlan>;
  readonly write: DistinctWriter;
}

/** What is kept for all saves of one shape. */
export interface CachedSave {
  readonly printed: PrintedSave;
  readonly write: SaveWriter;
}

/** What is kept for all uploads to one attribute. */
export interface CachedAttributeUpload extends Pick<AttributeUploadPlan, 'attribute' | 'target'> {
  readonly printed: PrintedSave;
}

/** What is kept for all calls of one shape. */
export interface CachedCall {
  readonly printed: PrintedCall;
  readonly write: CallWriter;
}

/** A kind of request whose plans are kept, and about how much memory a plan of it takes, in bytes. */
interface PlanKind<Plan extends object> {
  readonly name: string;
  readonly bytesOf: (plan: Plan) => number;
}

function kind<Plan extends object>(name: string, bytesOf: (plan: Plan) => number): PlanKind<Plan> {
  return { name, bytesOf };
}

export const planKinds = {
  read: kind<CachedRead>('read', ({ printed }) => readBytes(printed)),
  content: kind<PrintedContent>('content', ({ slice, digested, origin }) =>
    [slice, digested, origin].reduce((sum, statement) => sum + statementBytes(statement), 0),
  ),
  entitySet: kind<CachedEntitySet>('entity set', ({ printed }) => entitySetBytes(printed)),
  page: kind<CachedPage>('page', ({ printed }) => entitySetBytes(printed)),
  compute: kind<CachedCompute>('compute', ({ printed }) => valueBytes(printed)),
  distinct: kind<CachedDistinct>('distinct', ({ printed }) => valueBytes(printed)),
  save: kind<CachedSave>('save', ({ printed }) => saveBytes(printed)),
  delete: kind<PrintedDelete>('delete', ({ where }) => statementBytes(where)),
  deleteSet: kind<PrintedDeleteSet>('delete set', ({ narrowing }) =>
    statementBytes(narrowing?.statement ?? null),
  ),
  upload: kind<CachedAttributeUpload>('upload', ({ printed }) => saveBytes(printed)),
  call: kind<CachedCall>('call', ({ printed }) => callBytes(printed)),
};

/**
 * About how much memory all plans may take, in bytes: shapes are as long as clients make them, and their number alone is not a bound.
 * `docs/configuration.md` has the sum, the statements that write included.
 */
const MOST_BYTES = 176 * 1_048_576;

/** Keeps what was planned, printed and compiled for the first request of each shape; what has not been used for longest goes first. */
export class PlanCache {
  readonly #plans: LRUCache<string, object>;

  /** @param shapes how many request shapes keep their plan */
  constructor(shapes: number, maxBytes = MOST_BYTES) {
    this.#plans = new LRUCache({ max: shapes, maxSize: maxBytes });
  }

  /** How many plans are kept. */
  get size(): number {
    return this.#plans.size;
  }

  /** About how much memory they take, in bytes. */
  get bytes(): number {
    return this.#plans.calculatedSize;
  }

  /** The plan of a shape; where there is none, it is made and kept, unless it is larger than the cache. @throws what `make` throws */
  planOf<Plan extends object>(
    { name, bytesOf }: PlanKind<Plan>,
    shape: string,
    make: () => Plan,
  ): Plan {
    const key = `${name}\n${shape}`;
    // The key begins with the kind, so that what is kept under it is of its type.
    const known = this.#plans.get(key) as Plan | undefined;
    if (known !== undefined) return known;
    const made = make();
    this.#plans.set(key, made, { size: 2 * key.length + Math.max(1, bytesOf(made)) });
    return made;
  }
}

/** The routine's own statements are few, and bounded by its parameters. */
function callBytes({ selection, answer, statementFor, plan: { called } }: PrintedCall): number {
  const own = statementBytes(statementFor(called.parameters.length).statement);
  return [selection, answer].reduce(
    (sum, printed) => sum + (printed === null ? 0 : entitySetBytes(printed)),
    own * (called.parameters.length + 1),
  );
}

function saveBytes({ own, related, answer: { children } }: PrintedSave): number {
  return children.reduce(
    (sum, { fetch }) => sum + fetchBytes(fetch),
    statementBytes(own) + statementBytes(related),
  );
}

function entitySetBytes({ source, narrowing, page, globalStamp }: PrintedEntitySet): number {
  const keys = source.kind === 'set' ? (source.saved?.keys ?? null) : source.keys;
  const origin = source.kind === 'set' ? null : source.origin;
  return [keys, origin, narrowing?.statement ?? null, globalStamp].reduce(
    (sum, statement) => sum + statementBytes(statement),
    fetchBytes(page),
  );
}

function valueBytes({ origin, statement }: PrintedValues<ComputePlan | DistinctPlan>): number {
  const others =
    origin.kind === 'set'
      ? [origin.source.saved?.keys ?? null, origin.narrowing?.statement ?? null]
      : [origin.origin];
  return others.reduce((sum, other) => sum + statementBytes(other), statementBytes(statement));
}
