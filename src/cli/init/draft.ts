import { basename, join, resolve } from 'node:path';
import { wordsOf } from '../../base/words.ts';
import type { AttributeSetting, MappingFile, RelationSetting } from '../../config/mapping.ts';
import { uniqueColumns } from '../../model/key.ts';
import { collectionName, dataclassName, UsedNames } from '../../model/naming.ts';
import { qualifiedName, type Table } from '../../schema/types.ts';
import type { InitContext } from './context.ts';

/** A relation to add, and the foreign keys that it needs. */
interface AddedRelation {
  readonly setting: RelationSetting;
  readonly foreignKeys: readonly string[];
}

/** The mapping file of one table as it will be: a new one, or one that exists with what is added to it. */
export interface Draft {
  readonly table: Table;
  readonly dataclass: string;
  readonly collection: string;
  readonly path: string;
  readonly source: MappingFile | null;
  /** The settings of a new file before its attributes. */
  readonly head: Record<string, unknown>;
  readonly attributes: Map<string, AttributeSetting>;
  readonly relations: Map<string, AddedRelation>;
  readonly taken: UsedNames;
}

/** Schemas whose tables come first, so that their names need no schema in them. */
const DEFAULT_SCHEMAS = new Set(['dbo', 'public']);

/**
 * Begins a draft for each table that has a mapping file or gets one. Existing names stay; new ones are given in an order that
 * depends on the names of the tables alone. Tables are `removed` whose file was removed after an earlier run.
 */
export function beginDrafts(
  context: InitContext,
  folder: string,
): { readonly drafts: readonly Draft[]; readonly removed: readonly Table[] } {
  const { tables, files, index, namer } = context;
  const sources = new Map<Table, MappingFile>();
  // Dataclasses and collections share names: clients see them side by side.
  const used = new UsedNames();
  const fileNames = new UsedNames();
  for (const source of files) {
    const table = index.mapped(source.mapping);
    const { dataclass, collection } = namesIn(source, table?.name ?? '');
    used.add(dataclass);
    used.add(collection);
    fileNames.add(stemOf(basename(source.file.path)));
    if (table !== undefined && !sources.has(table)) sources.set(table, source);
  }
  const fresh = tables.filter((table) => !sources.has(table));
  const wanted = fresh.filter((table) => context.isNewTable(table) && isMappable(table, context));
  const names = new Map<Table, string>();
  for (const table of wanted.toSorted((a, b) => Number(isForeign(a)) - Number(isForeign(b)))) {
    const qualified = namer.qualifiedDataclass(table.schema, table.name);
    names.set(table, used.claim(namer.dataclass(table.name), qualified));
  }
  const draft = (own: Omit<Draft, 'head' | 'attributes' | 'relations'>): Draft => ({
    ...own,
    head: {},
    attributes: new Map(),
    relations: new Map(),
  });
  return {
    drafts: tables.flatMap((table): Draft[] => {
      const source = sources.get(table);
      if (source !== undefined) {
        const { attributes = {}, relations = {} } = source.mapping;
        const taken = new UsedNames([...Object.keys(attributes), ...Object.keys(relations)]);
        const path = resolve(source.file.path);
        return [draft({ table, ...namesIn(source, table.name), path, source, taken })];
      }
      const dataclass = names.get(table);
      if (dataclass === undefined) return [];
      const path = join(folder, `${fileNames.claim(fileNameOf(dataclass))}.yaml`);
      const collection = used.claim(collectionName(dataclass));
      return [draft({ table, dataclass, collection, path, source: null, taken: new UsedNames() })];
    }),
    removed: fresh.filter((table) => !context.isNewTable(table) && table.columns.length > 0),
  };
}

function namesIn(
  { mapping }: MappingFile,
  table: string,
): { readonly dataclass: string; readonly collection: string } {
  const dataclass = mapping.dataclass ?? dataclassName(table);
  return { dataclass, collection: mapping.collection ?? collectionName(dataclass) };
}

function isForeign({ schema }: Table): boolean {
  return !DEFAULT_SCHEMAS.has(schema.toLowerCase());
}

function isMappable(table: Table, context: InitContext): boolean {
  if (table.columns.length > 0) return true;
  context.leaveOut(qualifiedName(table), 'it has no column that the login may read');
  return false;
}

/** The name of a mapping file without its ending. */
export function stemOf(name: string): string {
  return name.replace(/\.ya?ml$/i, '');
}

/** Makes a file name: `order-line`. Names that Windows reserves for devices get a suffix. */
export function fileNameOf(dataclass: string): string {
  const name = wordsOf(dataclass).join('-').toLowerCase();
  return /^(?:con|prn|aux|nul|com\d|lpt\d)$/.test(name) ? `${name}-table` : name;
}

/** Returns the content of a draft's file. */
export function valueOf({ source, head, attributes, relations }: Draft): Record<string, unknown> {
  const before = (source?.file.value ?? head) as Record<string, object | undefined>;
  const settings = [...relations].map(([name, { setting }]) => [name, setting] as const);
  const section = (name: string, added: readonly (readonly [string, unknown])[]): object =>
    source !== null && added.length === 0
      ? {}
      : { [name]: { ...before[name], ...Object.fromEntries(added) } };
  return {
    ...before,
    ...section('attributes', [...attributes]),
    ...section('relations', settings),
  };
}

/** Returns the primary key of a table, or the columns of a unique index in its place. */
export function physicalKey(table: Table): readonly string[] {
  return table.primaryKey.length > 0 ? table.primaryKey : uniqueColumns(table);
}

/** Returns the columns that the head of a new file uses as stamp and timestamp. */
export function headColumns({ head }: Draft): readonly unknown[] {
  return [head['stamp'], head['timestamp']].flatMap((setting): unknown[] =>
    typeof setting === 'object' && setting !== null ? Object.values(setting) : [setting],
  );
}
