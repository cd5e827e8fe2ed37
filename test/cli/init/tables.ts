/** Small schemas, written as briefly as a test can read them, and what `init` plans for them. */
import { rows } from '../../rows.ts';
import { planInit, type InitPlan } from '../../../src/cli/init/plan.ts';
import { rulesSchema } from '../../../src/cli/init/rules.ts';
import type {
  Column,
  ColumnType,
  ForeignKey,
  PhysicalSchema,
  Table,
} from '../../../src/schema/types.ts';

const types = {
  int: { kind: 'integer', bits: 32, signed: true, native: 'int4' },
  text: { kind: 'text', maxLength: null, padded: false, native: 'text' },
  char: { kind: 'text', maxLength: 5, padded: true, native: 'bpchar' },
  date: { kind: 'date', native: 'date' },
  timestamp: { kind: 'timestamp', zoned: false, native: 'timestamp' },
  binary: { kind: 'binary', native: 'bytea' },
} as const satisfies Record<string, ColumnType>;

/**
 * A table out of texts: `['ID int', 'NAME text null', 'FK_B: BANK_ID -> dbo.BANK(ID)']` are two columns, the first of which is the primary key, and a
 * foreign key, unless the rest says otherwise. `KEY: A, B` is another primary key, `KEY:` none, and `UNIQUE: A` an index.
 */
export function table(name: string, texts: readonly string[], rest: Partial<Table> = {}): Table {
  const [schema = '', ...parts] = name.split('.');
  const [, key] = texts.map((text) => /^KEY:(.*)$/.exec(text)).find(Boolean) ?? [];
  const unique = texts.flatMap((text) => /^UNIQUE: (.*)$/.exec(text)?.slice(1) ?? []);
  const columns = texts
    .filter((text) => !text.includes(':'))
    .map((text, index): Column => {
      const [column = '', type = 'int', nullable] = text.split(' ');
      return {
        name: column,
        position: index + 1,
        type: types[type as keyof typeof types],
        nullable: nullable === 'null',
        identity: false,
        computed: false,
        hasDefault: false,
      };
    });
  return {
    schema,
    name: parts.join('.'),
    kind: 'table',
    columns,
    primaryKey:
      key?.match(/[^ ,]+/g) ??
      (key === undefined ? columns.slice(0, 1).map((column) => column.name) : []),
    indexes: unique.map((column) => ({ name: 'UX', unique: true, columns: [column] })),
    foreignKeys: texts.filter((text) => text.includes(' -> ')).map(foreignKey),
    rowVersion: { kind: 'xmin' },
    ...rest,
  };
}

/** A foreign key written `FK_NAME: A, B -> dbo.TABLE(X, Y)`. */
function foreignKey(text: string): ForeignKey {
  const match = /^(\w+): (.+) -> (\w+)\.(.+)\((.+)\)$/.exec(text);
  if (match === null) throw new Error(text);
  const [, name = '', columns = '', targetSchema = '', targetTable = '', targets = ''] = match;
  return {
    name,
    columns: columns.split(', '),
    targetSchema,
    targetTable,
    targetColumns: targets.split(', '),
  };
}

export function schemaOf(...tables: readonly Table[]): PhysicalSchema {
  return { tables };
}

/** A schema as a table of {@link rows}: each line is the name of a table, and its texts. */
export function schemaIn(...text: Parameters<typeof rows>): PhysicalSchema {
  return schemaOf(...rows(...text).map(([name = '', ...texts]) => table(name, texts)));
}

export const SETTINGS = { ignoreCase: false, readOnly: false, requireStamp: true };

/** What a run plans: a first one, with the rules of a new `init.yaml`, unless the rest says otherwise. */
export function planned(
  given: Pick<Parameters<typeof planInit>[0], 'schema'> & Partial<Parameters<typeof planInit>[0]>,
  folder = '/out/mappings',
): Promise<InitPlan> {
  const first = { files: [], prior: null, rules: rulesSchema.parse({}), restore: false };
  return planInit({ ...first, ...given }, folder, SETTINGS);
}
