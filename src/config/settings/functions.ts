import { z } from 'zod';
import {
  column,
  databaseName,
  description,
  flag,
  identifier,
  member,
  optionalFlag,
} from './fields.ts';
import type { YamlFile } from '../document/yaml.ts';

const parameter = z.union([
  column,
  z.strictObject({
    name: column.describe('The routine’s own name of the parameter, without @.'),
    type: z
      .literal('object')
      .optional()
      .describe('Clients send any JSON; the routine gets it as text.'),
    optional: optionalFlag.describe(
      'Clients may leave it out; the routine’s default applies. Known without this setting on PostgreSQL.',
    ),
  }),
]);

const partNames = z.union([column, z.record(member, column)]);

const returned = z.union([
  z.enum(['value', 'row', 'rows', 'all', 'nothing']),
  z.strictObject({
    output: column.describe('The output parameter whose value the function answers.'),
  }),
  z.strictObject({
    dataclass: identifier.describe('The rows are entities of this dataclass.'),
    one: flag(false).describe('Answers one entity, of the first row.'),
    key: partNames
      .optional()
      .describe(
        'The column with the key, or key attribute: column. Default: the columns of the key.',
      ),
  }),
]);

const common = {
  routine: databaseName.describe('A stored procedure or a function: schema.name.'),
  parameters: z
    .array(parameter)
    .default([])
    .describe('The parameters that clients send, in the order of their array.'),
  returns: returned
    .optional()
    .describe('The answer: value, row, rows, all, nothing, an output parameter, or entities.'),
  allowedOnHTTPGET: flag(false).describe('GET may call the function, which must change nothing.'),
  exposed: flag(true),
  description,
  transaction: flag(true).describe('false for a procedure that controls its own transactions.'),
};

const plainFunction = z.strictObject(common);

const entityFunction = z
  .strictObject({
    ...common,
    key: partNames
      .optional()
      .describe(
        'Makes it a function of entities: the parameter for the key, or key attribute: parameter.',
      ),
    keys: column
      .optional()
      .describe('Makes it a function of collections: the parameter for all keys.'),
  })
  .refine(({ key, keys }) => key === undefined || keys === undefined, {
    message: 'has key and keys: a function is one of entities or of collections',
  });

/** The setting `functions` of a dataclass's mapping file. */
export const dataclassFunctions = z
  .record(member, entityFunction)
  .describe('Stored procedures and functions that clients can call.');

const functions = z.record(identifier, plainFunction);

/** A mapping file that maps no table: functions of the datastore, and singletons that group them. */
export const functionFileSchema = z.strictObject({
  functions: functions.optional().describe('Functions of the datastore: /rest/$catalog/name.'),
  singletons: z
    .record(identifier, z.strictObject({ functions }))
    .optional()
    .describe('Functions in groups: /rest/$singleton/Group/name.'),
});

/** A function of the datastore or of a singleton, as a mapping file describes it. */
export type PlainFunctionSetting = z.output<typeof plainFunction>;

export type FunctionSetting = z.output<typeof entityFunction>;

export interface FunctionFile {
  readonly file: YamlFile;
  readonly content: z.output<typeof functionFileSchema>;
}

/** Settings that only a file of a dataclass has. */
const OF_DATACLASSES = ['table', 'view', 'dataclass', 'attributes', 'relations'];

/** Whether a mapping file holds functions alone, by its settings. */
export function isFunctionFile({ value }: YamlFile): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (OF_DATACLASSES.some((name) => name in value)) return false;
  return 'functions' in value || 'singletons' in value;
}
