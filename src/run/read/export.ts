import { isProtocolError } from '../../base/errors.ts';
import type { StoredKeys } from '../../state/entity-set/keys.ts';
import type { Literal } from '../../protocol/ast.ts';
import { chosenKeys } from '../sets/narrow-keys.ts';
import { readPage, type SetPage } from '../sets/entity-set.ts';
import type { EntitySetPlan } from '../../plan/read/entity-set.ts';
import { parameterNumber } from './read.ts';
import type { SetRequest } from '../sets/set-keys.ts';

/** How many entities one statement reads: as many rows as can be held for each client at once, with what is related to them. */
export const SLICE = 500;

/** Entities that are sent as they are read. */
export interface Export {
  /** The first of them, so that what cannot be read at all is told before an answer begins. */
  readonly first: SetPage;
  /** How many there are, the first of them included, as far as that is known at the beginning. */
  readonly size: number;
  readonly hasMore: boolean;
  /** All others, slice by slice: each is read when it is asked for. Once only. */
  readonly rest: () => AsyncGenerator<SetPage>;
  /** Gives up the room that the keys take; nothing is read any more. It may be called again. */
  readonly close: () => void;
}

/**
 * Reads any number of entities. Their keys are selected at once and kept in memory; the entities are then read in slices, a statement each, so that
 * slow clients keep no connection and no transaction. Which entities and in which order is fixed at the beginning; each is as it is when it is
 * read, and one that is gone by then is left out.
 */
export async function runExport(plan: EntitySetPlan, request: SetRequest): Promise<Export> {
  const { values, access } = request;
  const workspace = access.sets.workspace();
  const close = (): void => workspace.close();
  try {
    const selecting = { workspace, ...request, values: fetchable(plan, values) };
    const keys = await chosenKeys(plan, selecting);
    const { from, to } = windowOf(plan, keys, values);
    let next = from;
    let size = SLICE;
    const slice = async (): Promise<SetPage> => {
      for (;;) {
        const window = { from: next, to: Math.min(next + size, to) };
        try {
          const page = await readPage(plan, keys, window, request);
          next = window.to;
          return { kind: 'page', setId: null, ...page };
        } catch (error) {
          // Rows that hold much are read fewer at a time.
          if (!isProtocolError(error, 'answerTooLarge') || size === 1) throw error;
          size = Math.max(1, Math.floor(size / 8));
        }
      }
    };
    const first = await slice();
    return {
      first,
      size: to - from,
      hasMore: next < to,
      async *rest() {
        while (next < to) yield await slice();
      },
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** SQL Server refuses to fetch 0 rows: where none are asked for, one key is read and not looked at. */
function fetchable({ top }: EntitySetPlan, values: readonly Literal[]): readonly Literal[] {
  if (parameterNumber(top, values) > 0) return values;
  return values.map((value, parameter) =>
    parameter === top.parameter ? { ...value, value: '1' } : value,
  );
}

/** The keys of a selection are cut by the statement that reads them, those of a stored set here. */
function windowOf(
  { source, top: topParameter, skip }: EntitySetPlan,
  { size }: StoredKeys,
  values: readonly Literal[],
): { readonly from: number; readonly to: number } {
  const top = parameterNumber(topParameter, values);
  if (source.kind === 'selection') return { from: 0, to: Math.min(top, size) };
  const from = Math.min(parameterNumber(skip, values), size);
  return { from, to: Math.min(from + top, size) };
}
