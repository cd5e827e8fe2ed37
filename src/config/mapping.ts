import { z } from 'zod';
import { StartupError } from '../base/errors.ts';
import {
  column,
  databaseName,
  description,
  flag,
  identifier,
  integer,
  matching,
  member,
  NAME,
  optionalFlag,
  text,
} from './settings/fields.ts';
import {
  dataclassFunctions,
  type FunctionFile,
  functionFileSchema,
  isFunctionFile,
} from './settings/functions.ts';
import { validate } from './document/validate.ts';
import { displayPath } from './document/text-file.ts';
import type { YamlFile } from './document/yaml.ts';
import { readFolder } from './document/yaml-folder.ts';

const dialects = ['postgres', 'tsql'] as const;

/** The types of calculated attributes: those of the protocol, and days apart from times. */
const CALCULATED_TYPES = [
  'bool',
  'byte',
  'word',
  'long',
  'long64',
  'number',
  'string',
  'uuid',
  'date',
  'datetime',
  'duration',
] as const;

const ignoreCase = optionalFlag.describe(
  'Text comparisons ignore case, in the gateway. Default: as in config.yaml.',
);

const exposed = flag(true).describe(
  'false hides the attribute: clients cannot read it, filter or sort by it.',
);

const simpleDate = optionalFlag.describe(
  'The gateway answers a date without time as d!m!yyyy, for older clients. Default: simpleDates of config.yaml.',
);

const calculated = z
  .strictObject({
    sql: z
      .union([
        text,
        z
          .partialRecord(z.enum(dialects), text)
          .refine((texts) => Object.keys(texts).length > 0, 'holds no SQL'),
      ])
      .describe(
        'An SQL expression over columns of this table, or one for each dialect: { tsql: …, postgres: … }.',
      ),
    type: z
      .enum(CALCULATED_TYPES)
      .describe(
        'The type that the expression is converted to: date is a day, datetime has a time.',
      ),
    maxLength: integer(1, 4000)
      .optional()
      .describe('The greatest length of a string; longer ones are cut. Default: no limit.'),
    scale: integer(0, 30)
      .optional()
      .describe('The digits behind the point of a number, which is exact. Default: a float.'),
    exposed,
    ignoreCase,
    simpleDate,
    description,
  })
  .refine(({ type, scale }) => scale === undefined || type === 'number', {
    path: ['scale'],
    message: 'is for type: number',
  })
  .refine(({ type, maxLength }) => maxLength === undefined || type === 'string', {
    path: ['maxLength'],
    message: 'is for type: string',
  });

const alias = z.strictObject({
  alias: matching(
    new RegExp(`^${NAME}(\\.${NAME})+$`, 'u'),
    'is written relation.attribute',
  ).describe('A path over relations to one, and the attribute at its end.'),
  exposed,
  description,
});

const stored = z.strictObject({
  column: column.describe('The column.'),
  type: z
    .enum(['image', 'blob', 'object', 'string'])
    .optional()
    .describe(
      'image or blob for binary columns, object for JSON text, string for text. Default: by the column type.',
    ),
  trim: flag(false).describe('Removes blanks at the end (CHAR padding).'),
  exposed,
  readOnly: flag(false).describe('Clients cannot change the attribute.'),
  ignoreCase,
  simpleDate,
  description,
});

const attribute = z.union([column, stored, calculated, alias]);

const relation = z.union([
  z.strictObject({
    to: identifier,
    foreignKey: text.describe('A foreign key of this table.'),
    description,
  }),
  z.strictObject({
    to: identifier,
    columns: z
      .record(column, column)
      .refine((pairs) => Object.keys(pairs).length > 0, 'names no column')
      .describe('This table’s column: the other table’s column.'),
    description,
  }),
  z.strictObject({
    inverse: matching(
      new RegExp(`^${NAME}(\\.${NAME})?$`, 'u'),
      'is written relation or Dataclass.relation',
    ).describe('The to-one relation, of this dataclass or of Dataclass, that this one inverts.'),
    description,
  }),
  z.strictObject({
    through: z.array(identifier).min(2).describe('A path of relations: [assignments, project].'),
    description,
  }),
]);

const changes = z
  .union([
    z.literal(false),
    z.strictObject({
      timestamp: column
        .optional()
        .describe(
          'A date-time column that every program sets with each change. Default: the rowversion column or xmin, which miss no change.',
        ),
      marginSeconds: integer(1, 86_400)
        .default(60)
        .describe(
          'How long after its time a change is told: no transaction may be open for longer. For timestamp only.',
        ),
      deleted: identifier
        .optional()
        .describe('The dataclass whose entities have the keys of those that were deleted.'),
      keptDays: integer(1, 36_500)
        .optional()
        .describe('How long the entities of deleted are kept. Default: forever.'),
    }),
  ])
  .describe('How $changes knows which entities have changed; false for not at all.');

/** A mapping file: the exposed parts of one table or view, and their names. */
export const mappingSchema = z
  .strictObject({
    dataclass: identifier
      .optional()
      .describe('The name in the API. Default: from the table, OrdHdr for ORD_HDR.'),
    collection: identifier
      .optional()
      .describe('The name of a collection. Default: the dataclass and Selection.'),
    description,
    table: databaseName.optional().describe('The table, as schema.name.'),
    view: databaseName
      .optional()
      .describe('The view or materialized view. A file has either table or view.'),
    children: optionalFlag.describe(
      'Reads the rows of tables that inherit from it, too, and then has no key (PostgreSQL). Default: false.',
    ),
    key: z
      .array(column)
      .min(1)
      .optional()
      .describe(
        'Columns that identify a row, in the order of URLs. Default: the primary key, else the shortest unique index without nulls, else none.',
      ),
    stamp: z
      .union([
        z.enum(['hash', 'xmin', 'none']),
        z.strictObject({ counter: column }),
        z.strictObject({ rowversion: column }),
        z.strictObject({ hash: z.array(column).min(1) }),
      ])
      .optional()
      .describe(
        'Where the version of a row comes from. Default: a rowversion column (SQL Server) or xmin (tables of PostgreSQL), else hash, or none if read only.',
      ),
    timestamp: column
      .optional()
      .describe('A date or date-time column that holds the time of the last change.'),
    changes: changes.optional(),
    readOnly: optionalFlag.describe(
      'Entities cannot be created, updated or deleted. Default: false.',
    ),
    requireStamp: optionalFlag.describe(
      'Updates must send the __STAMP that the client has read. Default: as in config.yaml.',
    ),
    aggregates: optionalFlag.describe(
      'Whether $groupby and $compute may compute something of many entities. Default: true.',
    ),
    where: text
      .optional()
      .describe('A $filter over attributes and relations. Other rows do not exist for clients.'),
    attributes: z
      .record(member, attribute)
      .optional()
      .describe(
        'Attributes by name, in the order of answers. Default: every column, FIRST_NM as firstNm.',
      ),
    relations: z
      .record(member, relation)
      .optional()
      .describe(
        'Relations by name. Default: one for each foreign key to a mapped table, and its inverse.',
      ),
    messages: z
      .record(text, text)
      .optional()
      .describe(
        'Messages by constraint, for changes that it refuses. Default: messages of the gateway.',
      ),
    functions: dataclassFunctions.optional(),
  })
  .refine(({ table, view }) => table !== undefined || view !== undefined, {
    message: 'names no table: expected "table: SCHEMA.NAME" or "view: SCHEMA.NAME"',
  })
  .refine(({ children, key }) => children !== true || key === undefined, {
    path: ['key'],
    message: 'does not hold for the rows that children: true adds: leave it out',
  })
  .refine(({ table, view }) => table === undefined || view === undefined, {
    message: 'names a table and a view: one file maps one of them',
  });

export type Mapping = z.output<typeof mappingSchema>;

/** An attribute, as a mapping file describes it. */
export type MappedAttribute = z.output<typeof attribute>;

/** An attribute and a relation, as they are written in a mapping file. */
export type AttributeSetting = z.input<typeof attribute>;
export type RelationSetting = z.input<typeof relation>;

/** An attribute with a column and further settings. */
export type ColumnSetting = z.output<typeof stored>;

/** An attribute that the database computes. */
export type CalculatedSetting = z.output<typeof calculated>;

/** Returns the column of an attribute, or null where it has none. */
export function columnOf(setting: AttributeSetting): string | null {
  if (typeof setting === 'string') return setting;
  return 'column' in setting ? setting.column : null;
}

export interface MappingFile {
  readonly file: YamlFile;
  readonly mapping: Mapping;
}

export interface MappingFolder {
  readonly dataclasses: readonly MappingFile[];
  /** Files that map no table: functions of the datastore, and singletons. */
  readonly functions: readonly FunctionFile[];
}

/** Reads the mapping files of a folder, as {@link readFolder} does. @throws StartupError with the problems of all files, and where there is none */
export async function loadMappings(
  folder: string,
  where: string | null = null,
  mayBeEmpty = false,
): Promise<MappingFolder> {
  const read = await readFolder(folder, where, (file): MappingFile | FunctionFile =>
    isFunctionFile(file)
      ? { file, content: validate(file, functionFileSchema) }
      : { file, mapping: validate(file, mappingSchema) },
  );
  if (read.length === 0 && !mayBeEmpty) {
    const message = 'the folder has no mapping file (*.yaml); "entitygate init" writes them';
    throw StartupError.at(where, `${displayPath(folder)}: ${message}`);
  }
  return {
    dataclasses: read.filter((file) => 'mapping' in file),
    functions: read.filter((file) => 'content' in file),
  };
}
