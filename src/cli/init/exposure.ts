import { columnOf } from '../../config/mapping.ts';
import { qualifiedName, type Column, type ForeignKey } from '../../schema/types.ts';
import type { Draft } from './draft.ts';
import { isPersonal, isWithheld } from './sensitive.ts';

/** The columns that clients do not see, and those that the user should check because they do. */
export interface Exposure {
  readonly withheld: readonly string[];
  readonly toCheck: readonly string[];
}

/** Examines every mapped column, also of existing files: people may have exposed what was withheld. */
export function exposureOf(drafts: readonly Draft[], fold: (name: string) => string): Exposure {
  const withheld: string[] = [];
  const toCheck: string[] = [];
  for (const draft of drafts) {
    const { table } = draft;
    const key = new Set(keyOf(draft).map(fold));
    for (const [column, isExposed] of mappedColumns(draft, fold)) {
      const what = `${qualifiedName(table)}, column ${column.name}`;
      const sounds = isWithheld(column, table);
      if (sounds && key.has(fold(column.name))) {
        toCheck.push(
          `${what}: its name sounds like a secret, and as part of the key it is shown in __KEY and in URIs`,
        );
      } else if (!isExposed) {
        withheld.push(what);
      } else if (sounds || isPersonal(column, table)) {
        toCheck.push(sounds ? `${what}: its name sounds like a secret` : what);
      }
    }
  }
  return { withheld, toCheck };
}

/** Returns a withheld column whose values a relation to one would show, as the key of its target; null where it shows none. */
export function shownByRelation(
  owner: Draft,
  target: Draft,
  { columns, targetColumns }: ForeignKey,
  fold: (name: string) => string,
): string | null {
  const key = keyOf(target).map(fold);
  const inKey = columns.filter((_, index) => key.includes(fold(targetColumns[index] ?? '')));
  return withheldOf(target, key, fold) ?? withheldOf(owner, inKey.map(fold), fold);
}

function withheldOf(
  draft: Draft,
  names: readonly string[],
  fold: (name: string) => string,
): string | null {
  const found = mappedColumns(draft, fold).find(
    ([{ name }, isExposed]) => !isExposed && names.includes(fold(name)),
  );
  return found === undefined ? null : `${qualifiedName(draft.table)}, column ${found[0].name}`;
}

function keyOf({ source, head, table }: Draft): readonly string[] {
  if (source?.mapping.key !== undefined) return source.mapping.key;
  if (table.primaryKey.length > 0) return table.primaryKey;
  return (head['key'] as string[] | undefined) ?? [];
}

function mappedColumns(
  { table, source, attributes }: Draft,
  fold: (name: string) => string,
): (readonly [Column, boolean])[] {
  const before = source?.mapping.attributes;
  if (source !== null && before === undefined) return table.columns.map((column) => [column, true]);
  const settings = [...Object.values(before ?? {}), ...attributes.values()];
  const exposed = new Map(
    settings.flatMap((setting) => {
      const column = columnOf(setting);
      if (column === null) return [];
      return [[fold(column), typeof setting === 'string' || setting.exposed !== false] as const];
    }),
  );
  return table.columns.flatMap((column) => {
    const isExposed = exposed.get(fold(column.name));
    return isExposed === undefined ? [] : [[column, isExposed] as const];
  });
}
