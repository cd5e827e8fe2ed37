import { existsSync } from 'node:fs';
import { isDeepStrictEqual, type parseArgs } from 'node:util';
import { Document, parseDocument } from 'yaml';
import { z } from 'zod';
import { StartupError } from '../../base/errors.ts';
import { validate } from '../../config/document/validate.ts';
import { readYaml, YAML_STYLE } from '../../config/document/yaml.ts';

const names = z.array(z.string().min(1)).default([]);

/** `init.yaml`: which tables are mapped, and how names are made. Every rule has a default. */
export const rulesSchema = z.strictObject({
  schemas: names.describe('The database schemas to map; all, where none is named.'),
  tables: names.describe(
    'The tables and views to map, as globs: SALES.*, *_MST; all, where none is given.',
  ),
  exclude: names.describe('Tables and views that are not mapped, as globs.'),
  views: z.boolean().default(true).describe('Map views, too.'),
  routines: z
    .boolean()
    .default(false)
    .describe('Write stored procedures and functions, too; none of them is exposed.'),
  case: z.enum(['camel', 'pascal', 'snake', 'keep']).default('camel'),
  strip: names.describe('Taken off names of tables and views: TBL_ in front, _MST at the end.'),
  stripColumns: names.describe('Taken off names of columns.'),
  words: z
    .record(z.string(), z.string())
    .default({})
    .describe('What abbreviations stand for: EMP: employee.'),
  plurals: z
    .union([z.literal(false), z.record(z.string(), z.string())])
    .default({})
    .describe('Plurals that are not English ones, by their singular; false for no plurals.'),
  splitWords: z
    .boolean()
    .default(true)
    .describe('Split words that are written together: companyName for companyname.'),
  singular: z.boolean().default(true).describe('Dataclasses in the singular: Order for ORDERS.'),
  stampColumns: names.describe('Integer columns that every writer counts up: the stamp.'),
  timestampColumns: names.describe('Columns that hold the time of the last change.'),
});

export type Rules = z.output<typeof rulesSchema>;

/** The rules that names depend on. */
const namingSchema = rulesSchema.pick({
  case: true,
  strip: true,
  stripColumns: true,
  words: true,
  plurals: true,
  splitWords: true,
  singular: true,
});

/** Adds the rules that names depend on to those of earlier runs. */
export function withNaming(before: readonly unknown[], rules: Rules): readonly unknown[] {
  const naming = namingSchema.strip().parse(rules);
  return before.some((one) => isDeepStrictEqual(one, naming)) ? before : [...before, naming];
}

/** Returns the rules that made the names in use, as {@link withNaming} kept them; of a version that kept none, those of init.yaml, with words split or not. */
export function rulesOf(namedBy: readonly unknown[] | undefined, rules: Rules): Rules[] {
  if (namedBy === undefined) return [rules, { ...rules, splitWords: false, singular: false }];
  return namedBy.flatMap((one) => {
    const { data } = namingSchema.safeParse(one);
    return data === undefined ? [] : [{ ...rules, ...data }];
  });
}

/** Reads the rules of an earlier run, or the defaults. @throws StartupError when the file cannot be read or is wrong */
export async function readRules(path: string): Promise<Rules> {
  return existsSync(path) ? validate(await readYaml(path), rulesSchema) : rulesSchema.parse({});
}

export const ruleOptions = {
  schema: { type: 'string', multiple: true },
  table: { type: 'string', multiple: true },
  exclude: { type: 'string', multiple: true },
  'no-views': { type: 'boolean' },
  routines: { type: 'boolean' },
  case: { type: 'string' },
  strip: { type: 'string', multiple: true },
  'strip-column': { type: 'string', multiple: true },
  word: { type: 'string', multiple: true },
  plural: { type: 'string', multiple: true },
  'no-plurals': { type: 'boolean' },
  'no-singular': { type: 'boolean' },
  'no-split': { type: 'boolean' },
  'stamp-column': { type: 'string', multiple: true },
  'timestamp-column': { type: 'string', multiple: true },
} as const;

type RuleValues = ReturnType<typeof parseArgs<{ options: typeof ruleOptions }>>['values'];

/** Overrides rules by the command line. @throws StartupError naming the option that cannot be read */
export function withOptions(rules: Rules, options: RuleValues): Rules {
  const plurals =
    options.plural === undefined
      ? rules.plurals
      : { ...rules.plurals, ...pairs('--plural', options.plural) };
  const result = rulesSchema.safeParse({
    schemas: options.schema ?? rules.schemas,
    tables: options.table ?? rules.tables,
    exclude: options.exclude ?? rules.exclude,
    views: options['no-views'] === true ? false : rules.views,
    routines: options.routines ?? rules.routines,
    case: options.case ?? rules.case,
    strip: options.strip ?? rules.strip,
    stripColumns: options['strip-column'] ?? rules.stripColumns,
    words: { ...rules.words, ...pairs('--word', options.word) },
    plurals: options['no-plurals'] === true ? false : plurals,
    splitWords: options['no-split'] === true ? false : rules.splitWords,
    singular: options['no-singular'] === true ? false : rules.singular,
    stampColumns: options['stamp-column'] ?? rules.stampColumns,
    timestampColumns: options['timestamp-column'] ?? rules.timestampColumns,
  });
  if (result.success) return result.data;
  const setting = result.error.issues[0]?.path[0];
  const message = setting === 'case' ? 'expected camel, pascal, snake or keep' : 'is empty';
  throw StartupError.at(`--${String(setting)}`, message);
}

function pairs(option: string, given: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const [name = '', value] = text.split('=', 2);
      if (name !== '' && value !== undefined) return [name, value];
      throw StartupError.at(option, `expected NAME=TEXT, found "${text}"`);
    }),
  );
}

/** Writes the rules as a file, with the comments of the existing one; null where nothing has changed. */
export function rulesText(
  rules: Rules,
  before: { readonly text: string; readonly rules: Rules } | null,
): string | null {
  if (isDeepStrictEqual(rules, before?.rules)) return null;
  const document = before === null ? new Document({}) : parseDocument(before.text);
  if (before === null) {
    document.commentBefore =
      ' The rules by which entitygate init chooses tables and makes names; docs/reference/commands.md explains them.\n' +
      ' When you change a rule, new names follow it; names in use stay until you run init --rename.';
  }
  for (const [key, value] of Object.entries(rules)) {
    if (isDeepStrictEqual(value, before?.rules[key as keyof Rules])) continue;
    document.set(key, document.createNode(value, { flow: Array.isArray(value) }));
  }
  return document.toString(YAML_STYLE);
}
