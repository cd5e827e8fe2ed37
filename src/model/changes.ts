import type { Drafts, MappingContext } from './mapping-context.ts';
import { keepsPlace } from '../schema/type-rules.ts';
import { qualifiedName } from '../schema/types.ts';
import { readsOthers } from './restriction.ts';
import type {
  Changes,
  ChangeSource,
  Dataclass,
  Model,
  Restriction,
  StorageAttribute,
} from './types.ts';

/** Reads how the changed entities of a dataclass are known; a text where they are not. */
export function readChanges(
  context: MappingContext,
  key: readonly StorageAttribute[],
): Changes | string {
  const setting = context.mapping.changes;
  if (setting === false) return 'the gateway does not offer them';
  const source = sourceOf(context, key);
  if (typeof source === 'string') {
    if (setting !== undefined)
      context.problem(['changes'], source === UNRECORDED ? NO_SOURCE : source);
    return source;
  }
  if (key.length === 0) return 'it has no key';
  const { columns } = context.table;
  const mayBeNull = key.find(({ column: { name } }) =>
    columns.some((column) => column.name === name && column.nullable),
  );
  if (mayBeNull !== undefined) return `its key ${mayBeNull.name} may be null`;
  const unplaced = key.find(({ column }) => !keepsPlace(column.type));
  if (unplaced !== undefined) {
    return `its key ${unplaced.name} has a type by which entities cannot be read page by page`;
  }
  const { deleted, keptDays = null } = setting ?? {};
  return { source, deleted: deleted === undefined ? null : { dataclass: deleted, keptDays } };
}

/** Said to clients. */
const UNRECORDED = 'its table does not record which rows have changed';

/** Said to the operator. */
const NO_SOURCE =
  'its table has no rowversion column, xmin or change tracking, and changes names no timestamp';

/** Finds how changed rows are known; a text says why they are not. */
function sourceOf(
  context: MappingContext,
  key: readonly StorageAttribute[],
): ChangeSource | string {
  const { mapping, table } = context;
  const { rowVersion, columns } = table;
  if (mapping.changes !== undefined && mapping.changes !== false) {
    const { timestamp, marginSeconds } = mapping.changes;
    const path = ['changes', 'timestamp'];
    const column = timestamp === undefined ? null : context.column(timestamp, path);
    if (column !== null && column.type.kind === 'timestamp') {
      return { kind: 'timestamp', column, marginSeconds };
    }
    if (column !== null) context.problem(path, `column ${column.name} holds no times`);
  }
  const { primaryKey } = table;
  const isPrimary =
    key.length === primaryKey.length && key.every(({ column }) => primaryKey.includes(column.name));
  if (table.changeTracking === true && isPrimary) return { kind: 'changeTracking' };
  if (rowVersion?.kind === 'xmin') return { kind: 'xmin' };
  const column = columns.find(({ name }) => name === rowVersion?.name);
  if (column !== undefined) return { kind: 'rowversion', column };
  return UNRECORDED;
}

/** The changes of the entities that meet a restriction: not known where a change of another row brings one in. */
export function changesWithin(
  changes: Changes | string,
  where: Restriction | null,
): Changes | string {
  return typeof changes === 'string' || !readsOthers(where)
    ? changes
    : 'related entities decide which of its entities there are, and their changes are not reported';
}

/** The dataclass that has the keys of deleted entities; null where there is none, the user does not see it, or its own changes are not known. */
export function keeperOf({ changes }: Dataclass, { dataclasses }: Model): Dataclass | null {
  if (typeof changes === 'string' || changes.deleted === null) return null;
  const keeper = dataclasses.get(changes.deleted.dataclass);
  return keeper === undefined || typeof keeper.changes === 'string' ? null : keeper;
}

/** Checks how changes are known, now that it is known where each `where` leads, and the dataclasses that have the keys of deleted entities. */
export function checkChanges(drafts: Drafts): void {
  for (const { context, dataclass } of drafts.values()) {
    const open: { changes: Changes | string } = dataclass;
    const known = changesWithin(dataclass.changes, dataclass.where);
    const isWanted = typeof context.mapping.changes === 'object';
    if (isWanted && typeof known === 'string' && known !== open.changes) {
      context.problem(['changes'], known);
    }
    open.changes = known;
  }
  for (const { context, dataclass } of drafts.values()) {
    const { changes } = dataclass;
    if (typeof changes === 'string' || changes.deleted === null) continue;
    const path = ['changes', 'deleted'];
    const name = changes.deleted.dataclass;
    const keeper = context.report.dataclass(name, drafts, context.source, path)?.dataclass;
    const problem = keeper === undefined ? null : whyNoKeeper(dataclass, changes, keeper);
    if (problem !== null) context.problem(path, problem);
    if (keeper === undefined) withoutKeeper(dataclass, name);
  }
}

/** Without the keys of deleted entities, readers would keep those for good. */
export function withoutKeeper(dataclass: Dataclass, keeper: string): void {
  const open: { changes: Changes | string } = dataclass;
  open.changes = `${keeper}, which has the keys of deleted entities, is not available at the moment`;
}

/** Why a dataclass cannot have the keys of deleted entities; null where it can. */
function whyNoKeeper(of: Dataclass, { source }: Changes, keeper: Dataclass): string | null {
  const { name, changes, key } = keeper;
  if (typeof changes === 'string') return `new entities of ${name} cannot be known: ${changes}`;
  if (changes.source.kind !== source.kind) {
    return `${name} tells its changes by ${changes.source.kind}, and ${of.name} by ${source.kind}`;
  }
  const kinds = (attributes: readonly StorageAttribute[]): string =>
    attributes.map(({ columnType: { kind } }) => kind).join(', ');
  if (kinds(key) === kinds(of.key)) return null;
  return `the key of ${name} (${kinds(key)}) is not that of ${of.name} (${kinds(of.key)})`;
}

/** How many tables a sentence names. */
const MOST_NAMED = 3;

/** Says what would have to be changed in a database of an engine for `$changes` to know what has changed, and to find it fast. */
export function changesAdvice(
  dataclasses: Iterable<Dataclass>,
  engine: 'sqlserver' | 'postgres' | 'pglite',
): string[] {
  const tables = [...dataclasses].filter(
    ({ table, key }) => table.kind === 'table' && key.length > 0,
  );
  const without = tables.filter(
    ({ changes, table }) => typeof changes === 'string' && table.rowVersion === null,
  );
  const scanned = tables.filter(
    ({ changes }) => typeof changes === 'object' && changes.source.kind === 'xmin',
  );
  const [first] = without;
  const remedy = (name: string): string =>
    engine === 'sqlserver'
      ? `ALTER TABLE ${name} ADD ROW_VER rowversion or ENABLE CHANGE_TRACKING, or name a time column (changes.timestamp in the mapping file).`
      : 'name a time column that a trigger sets with each change (changes.timestamp in the mapping file).';
  return [
    ...(first === undefined
      ? []
      : [
          `$changes cannot tell what has changed in ${named(without)}: ${remedy(qualifiedName(first.table))}`,
        ]),
    // Nobody else writes to the embedded database, and few large ones are embedded.
    ...(scanned.length === 0 || engine !== 'postgres'
      ? []
      : [
          `$changes reads the whole table each time, by xmin, of ${named(scanned)}. A large one does better with a column ` +
            'of type timestamptz that a trigger sets to clock_timestamp() with each change, and an index on it: name it as changes.timestamp in the mapping file.',
        ]),
    ...tables.flatMap(({ changes, table }) => {
      if (typeof changes === 'string' || !('column' in changes.source)) return [];
      const { name } = changes.source.column;
      const isIndexed = table.indexes.some(({ columns }) => columns[0] === name);
      return isIndexed
        ? []
        : [
            `$changes of ${qualifiedName(table)} wants an index on ${name}: it reads the whole table.`,
          ];
    }),
  ];
}

function named(dataclasses: readonly Dataclass[]): string {
  const names = dataclasses.slice(0, MOST_NAMED).map(({ table }) => qualifiedName(table));
  const more = dataclasses.length - names.length;
  return names.join(', ') + (more === 0 ? '' : ` and ${more} more`);
}
