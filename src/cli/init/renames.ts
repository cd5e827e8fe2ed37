import { columnOf, type MappingFile, type RelationSetting } from '../../config/mapping.ts';
import { NameIndex } from '../../model/lookup.ts';
import { collectionName, dataclassName } from '../../model/naming.ts';
import { qualifiedName, type PhysicalSchema, type Table } from '../../schema/types.ts';
import { addAttributes, addHead } from './attributes.ts';
import { InitContext } from './context.ts';
import { beginDrafts } from './draft.ts';
import { addRelations } from './relations.ts';
import type { Rules } from './rules.ts';

/** A name in a mapping file, and the one that the rules give now. */
interface Renaming {
  readonly what: 'dataclass' | 'collection' | 'attribute' | 'relation';
  readonly from: string;
  readonly to: string;
}

/** A mapping file with what is renamed in it. */
export interface RenamedFile {
  readonly source: MappingFile;
  readonly table: Table;
  readonly dataclass: string;
  readonly changes: readonly Renaming[];
}

/** The names that rules give to one table, by what does not depend on the rules. */
interface TableNames {
  readonly dataclass: string;
  readonly collection: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly relations: ReadonlyMap<string, string>;
}

/**
 * Finds the names in mapping files that rules would make otherwise now. Names that none of the rules before has made were given by hand, and stay; so do
 * those whose new name is taken by one that stays.
 */
export function findRenames(
  files: readonly MappingFile[],
  schema: PhysicalSchema,
  rules: Rules,
  rulesBefore: readonly Rules[],
): RenamedFile[] {
  const index = new NameIndex(schema);
  const mapped = files.flatMap((source) => {
    const table = index.mapped(source.mapping);
    return table === undefined ? [] : [{ source, table }];
  });
  const tables = mapped.map(({ table }) => qualifiedName(table));
  const namesBy = (by: Rules) =>
    namesOf(schema, { ...by, schemas: [], tables, exclude: [], views: true });
  const after = namesBy(rules);
  const before = rulesBefore.map(namesBy);
  const relations = relationIds(mapped.map(({ source, table }) => sideOf(source, table)));
  const found = mapped.map(({ source, table }): RenamedFile => {
    const name = qualifiedName(table);
    const side = sideOf(source, table);
    const rename = (
      what: Renaming['what'],
      from: string | undefined,
      nameIn: (names: TableNames) => string | undefined,
    ): Renaming[] => {
      const names = after.get(name);
      const to = names === undefined ? undefined : nameIn(names);
      const isMade = before.some((all) => {
        const made = all.get(name);
        return made !== undefined && nameIn(made) === from;
      });
      return from === undefined || to === undefined || to === from || !isMade
        ? []
        : [{ what, from, to }];
    };
    const { mapping } = source;
    return {
      source,
      table,
      dataclass: side.dataclass,
      changes: [
        ...rename('dataclass', mapping.dataclass, ({ dataclass }) => dataclass),
        ...rename('collection', mapping.collection, ({ collection }) => collection),
        ...Object.entries(mapping.attributes ?? {}).flatMap(([attribute, setting]) => {
          const column = columnOf(setting);
          return column === null
            ? []
            : rename('attribute', attribute, ({ attributes }) => attributes.get(column));
        }),
        ...Object.keys(mapping.relations ?? {}).flatMap((relation) => {
          const id = relations(side, relation);
          return id === null
            ? []
            : rename('relation', relation, (names) => names.relations.get(id));
        }),
      ],
    };
  });
  return withoutTaken(found).filter(({ changes }) => changes.length > 0);
}

/** Makes the names of all chosen tables anew, by the qualified names of these. */
function namesOf(schema: PhysicalSchema, rules: Rules): ReadonlyMap<string, TableNames> {
  const context = new InitContext({ schema, files: [], prior: null, rules, restore: true });
  const { drafts } = beginDrafts(context, '');
  for (const draft of drafts) {
    addHead(draft, context);
    addAttributes(draft, context);
  }
  addRelations(drafts, context);
  const named = drafts.map((draft) => {
    const relations = [...draft.relations].map(([name, { setting }]) => [name, setting] as const);
    const { table, dataclass } = draft;
    const side = {
      table: qualifiedName(table),
      dataclass,
      relations: Object.fromEntries(relations),
    };
    return { draft, side };
  });
  const idOf = relationIds(named.map(({ side }) => side));
  return new Map(
    named.map(({ draft: { dataclass, collection, attributes }, side }) => {
      const byColumn = [...attributes].map(([name, of]) => [columnOf(of) ?? '', name] as const);
      const byId = Object.keys(side.relations).map(
        (name) => [idOf(side, name) ?? '', name] as const,
      );
      const relations = new Map(byId);
      return [side.table, { dataclass, collection, attributes: new Map(byColumn), relations }];
    }),
  );
}

/** One dataclass with its relations, in a file or newly named. */
interface Side {
  readonly table: string;
  readonly dataclass: string;
  readonly relations: Readonly<Record<string, RelationSetting>>;
}

function sideOf({ mapping }: MappingFile, table: Table): Side {
  return {
    table: qualifiedName(table),
    dataclass: mapping.dataclass ?? dataclassName(table.name),
    relations: mapping.relations ?? {},
  };
}

/** Follows a relation: to the dataclass that it leads to. Null where nothing is known of it. */
export function targetOf<Known extends Pick<Side, 'relations'>>(
  side: Known,
  setting: RelationSetting | undefined,
  sides: ReadonlyMap<string, Known>,
): Known | null {
  if (setting === undefined) return null;
  if ('to' in setting) return sides.get(setting.to) ?? null;
  if ('through' in setting) {
    return setting.through.reduce<Known | null>(
      (here, name) => here && targetOf(here, here.relations[name], sides),
      side,
    );
  }
  return setting.inverse.includes('.') ? (sides.get(ownerIn(setting.inverse)) ?? null) : side;
}

/** Makes a function that identifies a relation by the foreign keys that it goes over; null where it has none, as where it is written by hand. */
function relationIds(all: readonly Side[]): (side: Side, relation: string) => string | null {
  const sides = new Map(all.map((side) => [side.dataclass, side]));
  const idOf = (side: Side | null, relation: string): string | null => {
    const setting = side?.relations[relation];
    if (side === null || setting === undefined) return null;
    if ('foreignKey' in setting) return `${side.table} ${setting.foreignKey.toLowerCase()}`;
    if ('inverse' in setting) {
      const id = idOf(targetOf(side, setting, sides), setting.inverse.split('.').at(-1) ?? '');
      return id === null ? null : `back ${id}`;
    }
    if (!('through' in setting)) return null;
    let here: Side | null = side;
    const ids = setting.through.map((name) => {
      const id = idOf(here, name);
      here = here === null ? null : targetOf(here, here.relations[name], sides);
      return id;
    });
    return ids.includes(null) ? null : ids.join(' ');
  };
  return idOf;
}

function ownerIn(inverse: string): string {
  return inverse.split('.', 1)[0] ?? '';
}

/** Drops renamings to a name that stays in use, until none is left: what is dropped stays in use, too. */
function withoutTaken(files: readonly RenamedFile[]): readonly RenamedFile[] {
  const classes = new Set(files.flatMap((file) => keptNames(file, true)));
  const left = files.map((file) => {
    const members = new Set(keptNames(file, false));
    const changes = file.changes.filter(
      ({ what, to }) => !(isOfClass(what) ? classes : members).has(to.toLowerCase()),
    );
    return { ...file, changes };
  });
  const isStable = left.every(
    ({ changes }, index) => changes.length === files[index]?.changes.length,
  );
  return isStable ? files : withoutTaken(left);
}

function keptNames({ source, dataclass, changes }: RenamedFile, ofClass: boolean): string[] {
  const { mapping } = source;
  const names = ofClass
    ? [dataclass, mapping.collection ?? collectionName(dataclass)]
    : [...Object.keys(mapping.attributes ?? {}), ...Object.keys(mapping.relations ?? {})];
  const renamed = changes.filter(({ what }) => isOfClass(what) === ofClass).map(({ from }) => from);
  return names.filter((name) => !renamed.includes(name)).map((name) => name.toLowerCase());
}

function isOfClass(what: Renaming['what']): boolean {
  return what === 'dataclass' || what === 'collection';
}
