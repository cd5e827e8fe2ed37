import type { SetPage } from '../../run/sets/entity-set.ts';
import type { RowsPlan } from '../../plan/condition/types.ts';
import type { EntitySetPlan } from '../../plan/read/entity-set.ts';
import type { ReadResult } from '../../run/read/read.ts';
import { compileLine, exportHead, type ExportFormat } from './export-writer.ts';
import { compileEntity } from './entity-writer.ts';
import { presentRows } from './entity-set-writer.ts';
import { listWriting, type Writing } from './list-writing.ts';
import { collectionHead, collectionTail } from './read-writer.ts';

/** Writes a page as it is read, slice by slice: what stands before its entities, these, and what stands behind them. */
export interface PageWriter {
  readonly head: (page: Pick<ReadResult, 'globalStamp' | 'count' | 'first'>) => string;
  /** The entities of a slice that are still there. */
  readonly entities: (slice: SetPage) => WrittenEntities;
  readonly tail: (sent: number) => string;
  /** Stands between two slices. */
  readonly separator: string;
}

/** Entities of a page, with commas between them, and how many they are. */
export interface WrittenEntities {
  readonly writing: Writing;
  readonly sent: number;
}

/** Compiles the writer of a page that is read by its keys: a collection object (§2.3), or a bare array (§4.2 rule 4). */
export function compilePage({ dataclass, page, asArray }: EntitySetPlan): PageWriter {
  const name = JSON.stringify(dataclass.name);
  const write = compileEntity(page.shape, page, asArray ? 'array' : 'object');
  return {
    head: (found) => (asArray ? '[' : collectionHead(name, found)),
    entities: ({ fetched, globalStamp, ...found }) => {
      const answer = { globalStamp, relatedEntities: 0 };
      const rows = presentRows({ fetched, ...found });
      const one = ({ row, index }: (typeof rows)[number]): string | Writing =>
        (write.steps ?? write)(row, index, fetched, answer);
      return { writing: listWriting(rows, one, ','), sent: rows.length };
    },
    tail: (sent) => (asArray ? ']' : collectionTail(sent)),
    separator: ',',
  };
}

/** Compiles the writer of an export: a line for each entity that is still there. */
export function compileExport(rows: RowsPlan, format: ExportFormat): PageWriter {
  const write = compileLine(rows, format);
  return {
    head: () => exportHead(rows, format),
    entities: ({ fetched, globalStamp, ...found }) => {
      const answer = { globalStamp, relatedEntities: 0 };
      const present = presentRows({ fetched, ...found });
      const one = ({ row, index }: (typeof present)[number]): string | Writing =>
        write(row, index, fetched, answer);
      return { writing: listWriting(present, one, ''), sent: present.length };
    },
    tail: () => '',
    separator: '',
  };
}
