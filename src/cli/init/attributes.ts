import { wordsOf } from '../../base/words.ts';
import { uniqueColumns } from '../../model/key.ts';
import type { Candidates } from '../../model/naming.ts';
import { isPadded } from '../../schema/type-rules.ts';
import type { Column, ColumnType, Table } from '../../schema/types.ts';
import type { InitContext } from './context.ts';
import type { AttributeSetting, Draft } from './draft.ts';
import { mentionedColumns } from './mentions.ts';
import { namingPair, type NamingPair } from './namer.ts';
import { isWithheld } from './sensitive.ts';

/** Words of a binary column's name that say that it holds pictures. */
const PICTURE: ReadonlySet<string> = new Set(
  'img image photo picture logo thumbnail icon avatar portrait'.split(' '),
);

/** Words of a text column's name that say that it holds JSON. */
const JSON_TEXT: ReadonlySet<string> = new Set(['json']);

/** Writes the settings before the attributes of a new file, everything spelled out. */
export function addHead(draft: Draft, context: InitContext): void {
  if (draft.source !== null) return;
  const { table, dataclass, collection, head } = draft;
  head['dataclass'] = dataclass;
  head['collection'] = collection;
  head[table.kind] =
    table.schema.includes('.') || table.name.includes('.')
      ? { schema: table.schema, name: table.name }
      : `${table.schema}.${table.name}`;
  const key = table.primaryKey.length > 0 ? [] : uniqueColumns(table);
  if (key.length > 0) head['key'] = key;
  const stamp = stampOf(table, context);
  if (stamp !== null) head['stamp'] = stamp;
  const timestamp = ruled(table, context.rules.timestampColumns, ['timestamp', 'date'], context);
  if (timestamp !== undefined) head['timestamp'] = timestamp.name;
}

/**
 * A counter only where the rules name one: a column that some program forgets to count up would hide its changes. Null for a hash,
 * which is the default where somebody writes, and where nobody does need not be fetched.
 */
function stampOf(table: Table, context: InitContext): unknown {
  const counter = ruled(table, context.rules.stampColumns, ['integer'], context);
  if (counter !== undefined) return { counter: counter.name };
  switch (table.rowVersion?.kind) {
    case 'column':
      return { rowversion: table.rowVersion.name };
    case 'xmin':
      return 'xmin';
    case undefined:
      return null;
  }
}

function ruled(
  table: Table,
  names: readonly string[],
  kinds: readonly ColumnType['kind'][],
  { index }: InitContext,
): Column | undefined {
  const wanted = new Set(names.map(index.fold));
  // A column of the key stays an attribute.
  const key = table.primaryKey.length > 0 ? table.primaryKey : uniqueColumns(table);
  return table.columns.find(
    ({ name, type }) =>
      wanted.has(index.fold(name)) && kinds.includes(type.kind) && !key.includes(name),
  );
}

/** Adds an attribute for each column that is new to a draft, but for those that are its stamp or timestamp. */
export function addAttributes(draft: Draft, context: InitContext): void {
  const { table, source, attributes, taken } = draft;
  const { index } = context;
  const mentioned =
    source === null ? headColumns(draft) : mentionedColumns(source, table, index.fold);
  if (mentioned === null) return;
  for (const column of table.columns) {
    if (mentioned.has(source === null ? column.name : index.fold(column.name))) continue;
    if (source !== null && !context.isNewColumn(table, column)) continue;
    attributes.set(
      taken.claim(...attributeNames(draft, column, context)),
      settingOf(column, table),
    );
  }
}

/** The columns that a new file's head uses up. */
function headColumns({ head }: Draft): ReadonlySet<string> {
  const stamp = head['stamp'];
  return new Set([
    ...(typeof stamp === 'object' && stamp !== null ? (Object.values(stamp) as string[]) : []),
    ...(typeof head['timestamp'] === 'string' ? [head['timestamp']] : []),
  ]);
}

/** `BILL_TO` that refers to `CMP_ID` is `billToId`, so that the relation can be `billTo`. */
function attributeNames({ table }: Draft, column: Column, { namer }: InitContext): Candidates {
  const plain = namer.attribute(column.name);
  const target = table.foreignKeys
    .map((foreignKey) => namingPair(foreignKey, table))
    .find((pair) => pair?.column === column.name && isRenamed(pair))?.target;
  if (target === undefined || namer.member(namer.roleWords(column.name)) !== plain) return [plain];
  const last = namer.columnWords(target).at(-1) ?? 'key';
  return [namer.member([...namer.columnWords(column.name), last]), plain];
}

/** Whether a column refers to one of another name. */
function isRenamed({ column, target }: NamingPair): boolean {
  return column.toLowerCase() !== target.toLowerCase();
}

/** Types where they are useful; what sounds like a secret is there for the gateway and kept from clients. */
function settingOf(column: Column, table: Table): AttributeSetting {
  const { name, type } = column;
  const words = wordsOf(name).map((word) => word.toLowerCase());
  const has = (wanted: ReadonlySet<string>): boolean => words.some((word) => wanted.has(word));
  const options = {
    ...(isPadded(type) ? { trim: true as const } : {}),
    ...(type.kind === 'text' && !type.padded && has(JSON_TEXT) ? { type: 'object' as const } : {}),
    ...(type.kind === 'binary' && has(PICTURE) ? { type: 'image' as const } : {}),
    ...(isWithheld(column, table) ? { exposed: false as const } : {}),
  };
  return Object.keys(options).length === 0 ? name : { column: name, ...options };
}
