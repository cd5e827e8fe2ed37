import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
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
import { displayPath, unreadable } from './document/text-file.ts';
import { readYaml, type YamlFile } from './document/yaml.ts';
import pLimit from 'p-limit';

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

const ignoreCase = optionalFlag.describe('Overrides config.yaml for this attribute.');

const simpleDate = optionalFlag.describe(
  'Overrides simpleDates of config.yaml: whether the date is answered as d!m!yyyy.',
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
      .describe('One SQL expression over columns of this table, or one for each dialect.'),
    type: z.enum(CALCULATED_TYPES).describe('What the expression is converted to.'),
    maxLength: integer(1, 4000)
      .optional()
      .describe('Of a string: its length at most; without limit where it is left out.'),
    scale: integer(0, 30)
      .optional()
      .describe(
        'Of a number: how many digits it has behind the point, exactly; a float where it is left out.',
      ),
    exposed: flag(true),
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
  exposed: flag(true),
  description,
});

const stored = z.strictObject({
  column,
  type: z
    .enum(['image', 'blob', 'object', 'string'])
    .optional()
    .describe('What the column holds, where its type does not tell: an image, JSON text.'),
  trim: flag(false).describe('Drop the blanks at the end (CHAR padding).'),
  exposed: flag(true),
  readOnly: flag(false).describe('Clients may read the attribute, not change it.'),
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

/** A mapping file: the exposed parts of one table or view, and their names. */
export const mappingSchema = z
  .strictObject({
    dataclass: identifier.optional(),
    collection: identifier.optional(),
    description,
    table: databaseName.optional(),
    view: databaseName.optional(),
    key: z.array(column).min(1).optional(),
    stamp: z
      .union([
        z.enum(['hash', 'xmin', 'none']),
        z.strictObject({ counter: column }),
        z.strictObject({ rowversion: column }),
        z.strictObject({ hash: z.array(column).min(1) }),
      ])
      .optional(),
    timestamp: column.optional(),
    readOnly: optionalFlag.describe('Entities are read only: none is created, updated or deleted.'),
    requireStamp: optionalFlag.describe(
      'Overrides config.yaml: whether an update has to send the __STAMP it was made from.',
    ),
    where: text
      .optional()
      .describe(
        'A $filter over attributes of the dataclass, exposed or not: other rows do not exist.',
      ),
    attributes: z.record(member, attribute).optional(),
    relations: z.record(member, relation).optional(),
    messages: z
      .record(text, text)
      .optional()
      .describe(
        'What clients are told when a check, unique constraint or foreign key of the table refuses a change, by its name.',
      ),
    functions: dataclassFunctions.optional(),
  })
  .refine(({ table, view }) => table !== undefined || view !== undefined, {
    message: 'names no table: expected "table: SCHEMA.NAME" or "view: SCHEMA.NAME"',
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

const FILES_AT_ONCE = 32;

/** Reads the folder's `*.yaml` and `*.yml` files in the order of their names. @throws StartupError with the problems of all files */
export async function loadMappings(
  folder: string,
  where: string | null = null,
  mayBeEmpty = false,
): Promise<MappingFolder> {
  let names: string[];
  try {
    names = (await readdir(folder)).filter((name) => /\.ya?ml$/.test(name)).sort();
  } catch (error) {
    throw StartupError.at(where, `${displayPath(folder)}: ${unreadable(error, 'folder')}`);
  }
  if (names.length === 0 && !mayBeEmpty) {
    const message = 'the folder has no mapping file (*.yaml); "entitygate init" writes them';
    throw StartupError.at(where, `${displayPath(folder)}: ${message}`);
  }
  // A process may not have as many open files as there may be mappings.
  const atOnce = pLimit(FILES_AT_ONCE);
  const results = await Promise.allSettled(
    names.map((name) =>
      atOnce(async (): Promise<MappingFile | FunctionFile> => {
        const file = await readYaml(join(folder, name));
        return isFunctionFile(file)
          ? { file, content: validate(file, functionFileSchema) }
          : { file, mapping: validate(file, mappingSchema) };
      }),
    ),
  );
  let more = 0;
  const problems = results.flatMap((result) => {
    if (result.status === 'fulfilled') return [];
    if (!(result.reason instanceof StartupError)) throw result.reason;
    more += result.reason.more;
    return result.reason.problems;
  });
  if (problems.length > 0) throw new StartupError(problems, more);
  const read = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  return {
    dataclasses: read.filter((file) => 'mapping' in file),
    functions: read.filter((file) => 'content' in file),
  };
}
