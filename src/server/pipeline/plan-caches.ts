import type { LRUCache } from 'lru-cache';
import { byteCache } from '../../base/cache.ts';
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
import type { EntitySetWriter } from '../../answer/entities/entity-set-writer.ts';
import type { PageWriter } from '../../answer/entities/page-writer.ts';
import type {
  EncodedPage,
  EncodedSetPage,
  EncodedWriter,
} from '../../answer/entities/encoded-read-writer.ts';
import type { ReadWriter, StampOf } from '../../answer/entities/read-writer.ts';
import type { SaveWriter } from '../../answer/save-writer.ts';

/** What is kept for all reads of one shape. */
export interface CachedRead {
  readonly printed: PrintedRead;
  readonly write: ReadWriter;
  /** Writes the same from rows as they came; null where that cannot be. */
  readonly writeEncoded: EncodedWriter<EncodedPage> | null;
  readonly stampOf: StampOf;
}

/** What is kept for all requests by way of entity sets of one shape. */
export interface CachedEntitySet {
  readonly printed: PrintedEntitySet;
  readonly write: EntitySetWriter;
  /** Writes the same from rows as they came; null where that cannot be. */
  readonly writeEncoded: EncodedWriter<EncodedSetPage> | null;
}

/** What is kept for all long pages of one shape. */
export interface CachedPage {
  readonly printed: PrintedEntitySet;
  readonly write: PageWriter;
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

/** What was made for the first request of each shape, by kind of request. */
export interface PlanCaches {
  readonly reads: LRUCache<string, CachedRead>;
  readonly contents: LRUCache<string, PrintedContent>;
  readonly entitySets: LRUCache<string, CachedEntitySet>;
  readonly pages: LRUCache<string, CachedPage>;
  readonly computes: LRUCache<string, CachedCompute>;
  readonly distincts: LRUCache<string, CachedDistinct>;
  readonly saves: LRUCache<string, CachedSave>;
  readonly deletes: LRUCache<string, PrintedDelete>;
  readonly setDeletes: LRUCache<string, PrintedDeleteSet>;
  readonly attributeUploads: LRUCache<string, CachedAttributeUpload>;
  readonly calls: LRUCache<string, CachedCall>;
}

/**
 * About how much memory the plans may take, by kind of request, in bytes: shapes are as long as clients make them, and their number
 * alone is not a bound. `docs/configuration.md` has the sum, the statements that write included.
 */
const MOST_BYTES = {
  reads: 64 * 1_048_576,
  contents: 8 * 1_048_576,
  entitySets: 32 * 1_048_576,
  pages: 8 * 1_048_576,
  computes: 8 * 1_048_576,
  distincts: 8 * 1_048_576,
  saves: 32 * 1_048_576,
  deletes: 8 * 1_048_576,
  setDeletes: 8 * 1_048_576,
  attributeUploads: 8 * 1_048_576,
  calls: 8 * 1_048_576,
};

/** @param shapes how many request shapes of each kind keep their plan */
export function createPlanCaches(
  shapes: number,
  maxBytes: Readonly<Record<keyof PlanCaches, number>> = MOST_BYTES,
): PlanCaches {
  return {
    reads: byteCache({
      max: shapes,
      maxBytes: maxBytes.reads,
      bytesOf: ({ printed }) => readBytes(printed),
    }),
    contents: byteCache({
      max: shapes,
      maxBytes: maxBytes.contents,
      bytesOf: ({ slice, digested, origin }) =>
        statementBytes(slice) + statementBytes(digested) + statementBytes(origin),
    }),
    entitySets: byteCache({
      max: shapes,
      maxBytes: maxBytes.entitySets,
      bytesOf: ({ printed }) => entitySetBytes(printed),
    }),
    pages: byteCache({
      max: shapes,
      maxBytes: maxBytes.pages,
      bytesOf: ({ printed }) => entitySetBytes(printed),
    }),
    computes: byteCache({
      max: shapes,
      maxBytes: maxBytes.computes,
      bytesOf: ({ printed }) => valueBytes(printed),
    }),
    distincts: byteCache({
      max: shapes,
      maxBytes: maxBytes.distincts,
      bytesOf: ({ printed }) => valueBytes(printed),
    }),
    saves: byteCache({
      max: shapes,
      maxBytes: maxBytes.saves,
      bytesOf: ({ printed }) => saveBytes(printed),
    }),
    deletes: byteCache({
      max: shapes,
      maxBytes: maxBytes.deletes,
      bytesOf: ({ where }) => statementBytes(where),
    }),
    setDeletes: byteCache({
      max: shapes,
      maxBytes: maxBytes.setDeletes,
      bytesOf: ({ narrowing }) => statementBytes(narrowing?.statement ?? null),
    }),
    attributeUploads: byteCache({
      max: shapes,
      maxBytes: maxBytes.attributeUploads,
      bytesOf: ({ printed }) => saveBytes(printed),
    }),
    calls: byteCache({
      max: shapes,
      maxBytes: maxBytes.calls,
      bytesOf: ({ printed }) => callBytes(printed),
    }),
  };
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
