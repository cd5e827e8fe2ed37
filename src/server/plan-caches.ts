import type { LRUCache } from 'lru-cache';
import { byteCache } from '../base/cache.ts';
import type { PreparedDelete } from '../execute/delete.ts';
import type { PreparedRead } from '../execute/prepare.ts';
import type { PreparedSave } from '../execute/save.ts';
import { fetchBytes, readBytes, statementBytes } from '../execute/size.ts';
import type { ContentPlan } from '../plan/content.ts';
import type { ReadWriter } from '../respond/read-writer.ts';
import type { SaveWriter } from '../respond/save-writer.ts';

/** What is kept for all reads of one shape. */
export interface CachedRead {
  readonly prepared: PreparedRead;
  readonly write: ReadWriter;
}

/** What is kept for all saves of one shape. */
export interface CachedSave {
  readonly prepared: PreparedSave;
  readonly write: SaveWriter;
}

/** What is kept for all uploads to one attribute. */
export interface CachedContent extends Pick<ContentPlan, 'attribute' | 'target'> {
  readonly prepared: PreparedSave;
}

/** What was made for the first request of each shape, by kind of request. */
export interface PlanCaches {
  readonly reads: LRUCache<string, CachedRead>;
  readonly saves: LRUCache<string, CachedSave>;
  readonly deletes: LRUCache<string, PreparedDelete>;
  readonly contents: LRUCache<string, CachedContent>;
}

/**
 * About how much memory the plans may take, by kind of request, in bytes: shapes are as long as clients make them, and their number
 * alone is no bound. `docs/configuration.md` has the sum.
 */
const MOST_BYTES = {
  reads: 64 * 1_048_576,
  saves: 32 * 1_048_576,
  deletes: 8 * 1_048_576,
  contents: 8 * 1_048_576,
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
      bytesOf: ({ prepared }) => readBytes(prepared),
    }),
    saves: byteCache({
      max: shapes,
      maxBytes: maxBytes.saves,
      bytesOf: ({ prepared }) => saveBytes(prepared),
    }),
    deletes: byteCache({
      max: shapes,
      maxBytes: maxBytes.deletes,
      bytesOf: ({ where }) => statementBytes(where),
    }),
    contents: byteCache({
      max: shapes,
      maxBytes: maxBytes.contents,
      bytesOf: ({ prepared }) => saveBytes(prepared),
    }),
  };
}

function saveBytes({ answer, globalStamp }: PreparedSave): number {
  return fetchBytes(answer) + statementBytes(globalStamp);
}
