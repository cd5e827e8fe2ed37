import { basename, join, resolve } from 'node:path';
import { wordsOf } from '../../base/words.ts';
import type { MappingFile } from '../../config/mapping.ts';
import { collectionName, dataclassName, UsedNames } from '../../model/naming.ts';
import { qualifiedName, type Table } from '../../schema/types.ts';
import type { InitContext } from './context.ts';

/** What a mapping file says of a column, as `init` writes it. */
export type AttributeSetting = string | SpelledAttribute;

interface SpelledAttribute {
  readonly column: string;
  readonly trim?: true;
  readonly type?: 'image' | 'object';
  readonly exposed?: false;
}

/** What a mapping file says of a relation, as `init` writes it. */
export type RelationSetting =
  | { readonly to: string; readonly foreignKey: string }
  | { readonly inverse: string }
  | { readonly through: readonly string[] };

/** A relation to add, and the foreign keys that it cannot do without. */
export interface AddedRelation {
  readonly setting: RelationSetting;
  readonly foreignKeys: readonly string[];
}

/** What is to be written of one table: a whole file, or what its file does not say yet. */
export interface Draft {
  readonly table: Table;
  readonly dataclass: string;
  readonly collection: string;
  readonly path: string;
  /** The file that is there already. */
  readonly source: MappingFile | null;
  /** Of a new file: the settings before its attributes. */
  readonly head: Record<string, unknown>;
  readonly attributes: Map<string, AttributeSetting>;
  readonly relations: Map<string, AddedRelation>;
  /** The names in use in this dataclass. */
  readonly taken: UsedNames;
}

/** What becomes of the tables of a schema. */
export interface Drafts {
  readonly all: readonly Draft[];
  /** Tables whose file somebody removed after an earlier run: they are not brought back unasked. */
  readonly removed: readonly Table[];
}

/** Schemas whose tables need no schema in their name. */
const DEFAULT_SCHEMAS = new Set(['dbo', 'public']);

/**
 * Begins a draft for each table that has a mapping file or is to get one. Names of files that are there stay; new ones are
 * given in an order that depends on nothing but the names of the tables.
 */
export function beginDrafts(context: InitContext, folder: string): Drafts {
  const { tables, files, index } = context;
  const sources = new Map<Table, MappingFile>();
  /** Of dataclasses and collections: clients see them side by side. */
  const used = new UsedNames();
  const fileNames = new UsedNames();
  for (const source of files) {
    const table = index.mapped(source.mapping);
    const name = source.mapping.dataclass ?? dataclassName(table?.name ?? '');
    used.add(name);
    used.add(source.mapping.collection ?? collectionName(name));
    fileNames.add(basename(source.file.path).replace(/\.ya?ml$/i, ''));
    if (table !== undefined && !sources.has(table)) sources.set(table, source);
  }
  const fresh = tables.filter((table) => !sources.has(table));
  const wanted = fresh.filter((table) => context.isNewTable(table) && isMappable(table, context));
  const names = new Map<Table, string>();
  const ordered = wanted.toSorted((a, b) => Number(isForeign(a)) - Number(isForeign(b)));
  for (const table of ordered) {
    const plain = context.namer.dataclass(table.name);
    names.set(table, used.claim(plain, context.namer.qualifiedDataclass(table.schema, table.name)));
  }
  return {
    all: tables.flatMap((table): Draft[] => {
      const source = sources.get(table);
      if (source !== undefined) return [draftOf(table, source)];
      const dataclass = names.get(table);
      if (dataclass === undefined) return [];
      const fileName = fileNames.claim(fileNameOf(dataclass));
      const collection = used.claim(collectionName(dataclass));
      return [newDraft(table, dataclass, collection, join(folder, `${fileName}.yaml`))];
    }),
    removed: fresh.filter((table) => !context.isNewTable(table) && table.columns.length > 0),
  };
}

function isForeign({ schema }: Table): boolean {
  return !DEFAULT_SCHEMAS.has(schema.toLowerCase());
}

function isMappable(table: Table, context: InitContext): boolean {
  if (table.columns.length > 0) return true;
  context.leaveOut(qualifiedName(table), 'it has no column that the login may read');
  return false;
}

/** `order-line`; names that Windows keeps for devices get something added. */
function fileNameOf(dataclass: string): string {
  const name = wordsOf(dataclass).join('-').toLowerCase();
  return /^(?:con|prn|aux|nul|com\d|lpt\d)$/.test(name) ? `${name}-table` : name;
}

function newDraft(table: Table, dataclass: string, collection: string, path: string): Draft {
  return {
    table,
    dataclass,
    collection,
    path,
    source: null,
    head: {},
    attributes: new Map(),
    relations: new Map(),
    taken: new UsedNames(),
  };
}

function draftOf(table: Table, source: MappingFile): Draft {
  const { mapping, file } = source;
  const names = [...Object.keys(mapping.attributes ?? {}), ...Object.keys(mapping.relations ?? {})];
  const dataclass = mapping.dataclass ?? dataclassName(table.name);
  const collection = mapping.collection ?? collectionName(dataclass);
  return {
    ...newDraft(table, dataclass, collection, resolve(file.path)),
    source,
    taken: new UsedNames(names),
  };
}
