import { loadMappings } from '../../src/config/mapping.ts';
import { buildModel } from '../../src/model/build.ts';
import type { Model, ModelSettings, RestrictionCheck } from '../../src/model/types.ts';
import type { Column, ColumnType, ForeignKey, Routine, Table } from '../../src/schema/types.ts';
import { startupProblems, testFolder, type TestFolder } from '../config/files.ts';

/** Types of columns by a short name. */
export const types = {
  int: { kind: 'integer', bits: 32, signed: true, native: 'int4' },
  bigint: { kind: 'integer', bits: 64, signed: true, native: 'int8' },
  decimal: { kind: 'decimal', precision: 10, scale: 2, native: 'numeric' },
  text: { kind: 'text', maxLength: 40, padded: false, native: 'varchar' },
  char: { kind: 'text', maxLength: 3, padded: true, native: 'bpchar' },
  date: { kind: 'date', native: 'date' },
  timestamp: { kind: 'timestamp', zoned: false, native: 'timestamp' },
  uuid: { kind: 'uuid', native: 'uuid' },
  json: { kind: 'json', asText: false, native: 'json' },
  binary: { kind: 'binary', native: 'bytea' },
  image: { kind: 'binary', native: 'image' },
  enum: { kind: 'opaque', native: 'mood' },
  calm: { kind: 'opaque', native: 'mood', values: ['calm', 'cross'] },
  inet: { kind: 'opaque', native: 'inet' },
  variant: { kind: 'opaque', native: 'sql_variant' },
} as const satisfies Record<string, ColumnType>;

/** What a test says of a table; the rest is as it mostly is. */
export interface TableSketch extends Partial<Omit<Table, 'columns' | 'foreignKeys'>> {
  /** A `?` behind the type stands for a column that may be null. */
  readonly columns: Readonly<Record<string, keyof typeof types | `${keyof typeof types}?`>>;
  /** Written `FK_CMP: CMP_ID -> CMP(ID)`. */
  readonly foreignKeys?: readonly (string | Omit<ForeignKey, 'targetSchema'>)[];
}

/** Columns with their types: `ID int, NAME text?`. */
export function columnsOf(text: string): TableSketch['columns'] {
  return Object.fromEntries(
    text.split(', ').map((column) => column.split(' ') as [string, keyof typeof types]),
  );
}

/** A table of schema `S`. */
export function table(name: string, sketch: TableSketch): Table {
  return {
    schema: 'S',
    name,
    kind: 'table',
    primaryKey: [],
    indexes: [],
    rowVersion: null,
    ...sketch,
    foreignKeys: (sketch.foreignKeys ?? []).map(foreignKey),
    columns: Object.entries(sketch.columns).map(([column, type], index): Column => ({
      name: column,
      position: index + 1,
      type: types[type.replace('?', '') as keyof typeof types],
      nullable: type.endsWith('?'),
      identity: false,
      computed: false,
      hasDefault: false,
    })),
  };
}

function foreignKey(text: string | Omit<ForeignKey, 'targetSchema'>): ForeignKey {
  if (typeof text !== 'string') return { targetSchema: 'S', ...text };
  const [, name = '', columns = '', targetTable = '', targets = ''] =
    /^(\w+): (.+) -> (\w+)\((.+)\)$/.exec(text) ?? [];
  if (name === '') throw new Error(text);
  const [own, other] = [columns.split(', '), targets.split(', ')];
  return { name, columns: own, targetSchema: 'S', targetTable, targetColumns: other };
}

/** The model of mapping files, given by name without `.yaml`. */
export async function model(
  tables: readonly Table[],
  files: Readonly<Record<string, string>>,
  settings: Partial<ModelSettings> = {},
  routines: readonly Routine[] = [],
): Promise<Model> {
  return withMappings(files, async ({ path }) => {
    const { dataclasses, functions } = await loadMappings(path);
    const all = { ...SETTINGS, ...settings };
    const built = buildModel(dataclasses, { tables, routines }, all, undefined, functions);
    return { ...built, warnings: built.warnings.map((line) => line.replaceAll(`${path}/`, '')) };
  });
}

const SETTINGS = { ignoreCase: false, readOnly: false, requireStamp: true };

async function withMappings<Result>(
  files: Readonly<Record<string, string>>,
  work: (folder: TestFolder) => Promise<Result>,
): Promise<Result> {
  const folder = await testFolder();
  try {
    for (const [name, text] of Object.entries(files)) await folder.write(`${name}.yaml`, text);
    return await work(folder);
  } finally {
    await folder.remove();
  }
}

/** What is wrong with mapping files. */
export async function problems(
  tables: readonly Table[],
  files: Readonly<Record<string, string>>,
  checkRestriction?: RestrictionCheck,
  routines?: readonly Routine[],
): Promise<string[] | null> {
  return withMappings(files, async (folder) => {
    const { dataclasses, functions } = await loadMappings(folder.path);
    const schema = { tables, ...(routines === undefined ? {} : { routines }) };
    const build = (): Promise<unknown> =>
      Promise.resolve().then(() =>
        buildModel(dataclasses, schema, SETTINGS, checkRestriction, functions),
      );
    return startupProblems(build, folder);
  });
}

/** What a test says of a parameter: its type, and behind it `out` or `inout`, and `?` where the database has a value for it. */
type ParameterSketch = `${keyof typeof types}${'' | '?'}${'' | ' out' | ' inout'}`;

/** A routine of schema `S`. */
export function routine(
  name: string,
  parameters: Readonly<Record<string, ParameterSketch>>,
  returns: Routine['returns'] | 'procedure' = 'procedure',
): Routine {
  return {
    schema: 'S',
    name,
    kind: returns === 'procedure' ? 'procedure' : 'function',
    parameters: Object.entries(parameters).map(([parameter, sketch]) => {
      const [type = '', direction = 'in'] = sketch.split(' ');
      return {
        name: parameter,
        type: types[type.replace('?', '') as keyof typeof types],
        direction: direction as 'in' | 'out' | 'inout',
        optional: type.endsWith('?') || direction !== 'in',
      };
    }),
    returns: returns === 'procedure' ? { kind: 'none' } : returns,
  };
}
