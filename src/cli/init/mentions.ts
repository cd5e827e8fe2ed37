import type { FunctionFile } from '../../config/settings/functions.ts';
import { columnOf, type MappingFile } from '../../config/mapping.ts';
import { nameParts } from '../../config/settings/fields.ts';
import { type ForeignKey, qualifiedName, type Table } from '../../schema/types.ts';

/** Returns the columns that a mapping file names, as attributes or otherwise; null where its attributes are derived from all columns. */
export function mentionedColumns(
  { mapping }: MappingFile,
  table: Table,
  fold: (name: string) => string,
): ReadonlySet<string> | null {
  if (mapping.attributes === undefined) return null;
  const names = [
    ...Object.values(mapping.attributes).flatMap((setting) => columnOf(setting) ?? []),
    ...(mapping.key ?? []),
    ...(mapping.timestamp === undefined ? [] : [mapping.timestamp]),
    ...stampColumns(mapping.stamp, table),
    ...Object.values(mapping.relations ?? {}).flatMap((relation) => {
      if ('columns' in relation) return Object.keys(relation.columns);
      if (!('foreignKey' in relation)) return [];
      const name = relation.foreignKey.toLowerCase();
      const found = table.foreignKeys.find((candidate) => candidate.name.toLowerCase() === name);
      return found?.columns ?? [];
    }),
  ];
  return new Set(names.map(fold));
}

/** Whether a mapping file has a relation on the columns of a foreign key, or its relations are derived. */
export function mentionsForeignKey(
  { mapping }: MappingFile,
  foreignKey: ForeignKey,
  fold: (name: string) => string,
): boolean {
  if (mapping.relations === undefined) return true;
  const columns = foreignKey.columns.map(fold).toSorted().join('\n');
  return Object.values(mapping.relations).some((relation) =>
    'foreignKey' in relation
      ? relation.foreignKey.toLowerCase() === foreignKey.name.toLowerCase()
      : 'columns' in relation &&
        Object.keys(relation.columns).map(fold).toSorted().join('\n') === columns,
  );
}

/** Returns the columns of a stamp; without one it is the table's rowversion. */
function stampColumns(stamp: MappingFile['mapping']['stamp'], { rowVersion }: Table): string[] {
  if (stamp === undefined) return rowVersion?.kind === 'column' ? [rowVersion.name] : [];
  if (typeof stamp === 'string') return [];
  if ('hash' in stamp) return stamp.hash;
  return ['counter' in stamp ? stamp.counter : stamp.rowversion];
}

/** Returns the qualified names of the routines that files name, as they are written. */
export function mentionedRoutines(
  files: readonly MappingFile[],
  functionFiles: readonly FunctionFile[],
): string[] {
  const settings = [
    ...files.map(({ mapping }) => mapping.functions ?? {}),
    ...functionFiles.flatMap(({ content }) => [
      content.functions ?? {},
      ...Object.values(content.singletons ?? {}).map(({ functions }) => functions),
    ]),
  ];
  return settings.flatMap((functions) =>
    Object.values(functions).map(({ routine }) => qualifiedName(nameParts(routine))),
  );
}
