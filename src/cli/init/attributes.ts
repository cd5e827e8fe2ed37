import { wordsOf } from '../../base/words.ts';
import { type AttributeSetting, columnOf } from '../../config/mapping.ts';
import type { Candidates } from '../../model/naming.ts';
import { typeName } from '../../schema/translate.ts';
import { isPadded } from '../../schema/type-rules.ts';
import type { Column, ColumnType, Table } from '../../schema/types.ts';
import { RULED_KINDS } from './choice.ts';
import type { InitContext } from './context.ts';
import { type Draft, headColumns, physicalKey } from './draft.ts';
import { mentionedColumns } from './mentions.ts';
import { namingPair } from './namer.ts';
import { isWithheld } from './sensitive.ts';

const PICTURE: ReadonlySet<string> = new Set(
  'img image photo picture logo thumbnail icon avatar portrait'.split(' '),
);

/** Writes the settings before the attributes of a new file. */
export function addHead(draft: Draft, context: InitContext): void {
  if (draft.source !== null) return;
  const { table, dataclass, collection, head } = draft;
  head['dataclass'] = dataclass;
  head['collection'] = collection;
  if (table.description !== undefined) head['description'] = table.description;
  head[table.kind] = databaseName(table);
  const key = physicalKey(table);
  if (key.length > 0) head['key'] = key;
  // Only the user knows whether every program counts a column up: a missed change would go unseen.
  const counter = ruled(table, 'stampColumns', context);
  const stamp = counter === undefined ? versionStamp(table) : { counter: counter.name };
  if (stamp !== null) head['stamp'] = stamp;
  const timestamp = ruled(table, 'timestampColumns', context);
  if (timestamp !== undefined) head['timestamp'] = timestamp.name;
}

/** Returns a name as mapping files write it. */
export function databaseName({ schema, name }: { schema: string; name: string }) {
  return schema.includes('.') || name.includes('.') ? { schema, name } : `${schema}.${name}`;
}

/** Returns the stamp that the engine keeps; null for a hash, the default where entities are written. */
function versionStamp({ rowVersion }: Table): unknown {
  if (rowVersion === null) return null;
  return rowVersion.kind === 'column' ? { rowversion: rowVersion.name } : rowVersion.kind;
}

/** Finds the column that a rule names; a column of the key stays an attribute. */
function ruled(
  table: Table,
  rule: keyof typeof RULED_KINDS,
  { index, rules }: InitContext,
): Column | undefined {
  const wanted = new Set(rules[rule].map(index.fold));
  const kinds: readonly ColumnType['kind'][] = RULED_KINDS[rule];
  const key = physicalKey(table);
  return table.columns.find(
    ({ name, type }) =>
      wanted.has(index.fold(name)) && kinds.includes(type.kind) && !key.includes(name),
  );
}

/** Adds an attribute for each new column, except the stamp and the timestamp. */
export function addAttributes(draft: Draft, context: InitContext): void {
  const { table, source, attributes, taken } = draft;
  const { fold } = context.index;
  const mentioned =
    source === null ? new Set(headColumns(draft)) : mentionedColumns(source, table, fold);
  if (mentioned === null) return;
  for (const column of table.columns) {
    if (mentioned.has(source === null ? column.name : fold(column.name))) continue;
    if (source !== null && !context.isNewIn(table, 'columns', column.name)) continue;
    const name = taken.claim(...attributeNames(table, column, context));
    attributes.set(name, settingOf(column, table));
  }
}

/** Names an attribute. `BILL_TO` that refers to `CMP_ID` is `billToId`, so that the relation can be `billTo`. */
function attributeNames(table: Table, column: Column, { namer }: InitContext): Candidates {
  const plain = namer.attribute(column.name);
  const target = table.foreignKeys
    .map((foreignKey) => namingPair(foreignKey, table))
    .find(
      (pair) =>
        pair?.column === column.name && pair.column.toLowerCase() !== pair.target.toLowerCase(),
    )?.target;
  if (target === undefined || namer.member(namer.roleWords(column.name)) !== plain) return [plain];
  const last = namer.columnWords(target).at(-1) ?? 'key';
  return [namer.member([...namer.columnWords(column.name), last]), plain];
}

/** Writes types and descriptions where there are any; columns that sound like secrets are not exposed. */
function settingOf(column: Column, table: Table): AttributeSetting {
  const { name, type, description } = column;
  const words = wordsOf(name).map((word) => word.toLowerCase());
  const options = {
    ...(isPadded(type) ? { trim: true } : {}),
    ...(type.kind === 'text' && !type.padded && words.includes('json')
      ? { type: 'object' as const }
      : {}),
    ...(type.kind === 'binary' && words.some((word) => PICTURE.has(word))
      ? { type: 'image' as const }
      : {}),
    ...(isWithheld(column, table) ? { exposed: false } : {}),
    ...(description === undefined ? {} : { description }),
  };
  return Object.keys(options).length === 0 ? name : { column: name, ...options };
}

/** Returns the types of the columns of a draft's new attributes, as comments by the names of these: ` nvarchar(40)`, ` int, identity`. */
export function typeComments({ table, attributes }: Draft): ReadonlyMap<string, string> {
  const columns = new Map(table.columns.map((column) => [column.name, column]));
  return new Map(
    [...attributes].flatMap(([name, setting]) => {
      const column = columns.get(columnOf(setting) ?? '');
      if (column === undefined) return [];
      const { type, identity, computed } = column;
      const origin = identity ? ', identity' : computed ? ', computed' : '';
      return [[name, ` ${typeName(type)}${origin}`] as const];
    }),
  );
}
