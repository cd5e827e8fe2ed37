import { qualifiedName, type Column } from '../schema/types.ts';
import type { Draft } from './draft.ts';
import { isPersonal, isWithheld } from './sensitive.ts';

/** What of the mapped columns clients do not see, and what somebody should look at because they do. */
export interface Exposure {
  readonly withheld: readonly string[];
  readonly look: readonly string[];
}

/** Looks at every column that the files map, those that were there before included: people may have exposed what was withheld. */
export function exposureOf(drafts: readonly Draft[], fold: (name: string) => string): Exposure {
  const withheld: string[] = [];
  const look: string[] = [];
  for (const draft of drafts) {
    const { table } = draft;
    for (const [column, isExposed] of mappedColumns(draft, fold)) {
      const what = `${qualifiedName(table)}, column ${column.name}`;
      const sounds = isWithheld(column, table);
      if (!isExposed) withheld.push(what);
      if (!isExposed && sounds && table.primaryKey.includes(column.name)) {
        look.push(`${what}: it is part of the key, which clients see`);
      } else if (isExposed && (sounds || isPersonal(column, table))) {
        look.push(sounds ? `${what}: its name sounds like a secret` : what);
      }
    }
  }
  return { withheld, look };
}

/** The columns that are attributes, and whether clients see them. */
function mappedColumns(
  { table, source, attributes }: Draft,
  fold: (name: string) => string,
): (readonly [Column, boolean])[] {
  const before = source?.mapping.attributes;
  if (source !== null && before === undefined) return table.columns.map((column) => [column, true]);
  const settings = [...Object.values(before ?? {}), ...attributes.values()];
  const exposed = new Map(
    settings.map((setting) =>
      typeof setting === 'string'
        ? [fold(setting), true]
        : [fold(setting.column), setting.exposed !== false],
    ),
  );
  return table.columns.flatMap((column) => {
    const isExposed = exposed.get(fold(column.name));
    return isExposed === undefined ? [] : [[column, isExposed] as const];
  });
}
