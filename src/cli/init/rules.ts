import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { Document, parseDocument } from 'yaml';
import { z } from 'zod';
import { StartupError } from '../../base/errors.ts';
import { validate } from '../../config/document/validate.ts';
import { readYaml } from '../../config/document/yaml.ts';

const names = z.array(z.string().min(1)).default([]);

/** `init.yaml`: which schemas are read, and how names are made. Every rule has a default. */
export const rulesSchema = z.strictObject({
  schemas: names.describe('The database schemas to map; all, where none is named.'),
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
  singular: z.boolean().default(false).describe('Dataclasses in the singular: Order for ORDERS.'),
  stampColumns: names.describe('Integer columns that every writer counts up: the stamp.'),
  timestampColumns: names.describe('Columns that hold the time of the last change.'),
});

/** The rules by which names are made. */
export type Rules = z.output<typeof rulesSchema>;

/**
 * The rules of an earlier run, or the defaults.
 * @throws StartupError when the file cannot be read or holds something else
 */
export async function readRules(path: string): Promise<Rules> {
  if (!existsSync(path)) return rulesSchema.parse({});
  const file = await readYaml(path);
  return validate(file, rulesSchema);
}

/** What the command line says of the rules; what it does not say is left as an earlier run had it. */
export interface RuleOptions {
  readonly schema?: readonly string[] | undefined;
  readonly case?: string | undefined;
  readonly strip?: readonly string[] | undefined;
  readonly 'strip-column'?: readonly string[] | undefined;
  readonly word?: readonly string[] | undefined;
  readonly plural?: readonly string[] | undefined;
  readonly 'no-plurals'?: boolean | undefined;
  readonly singular?: boolean | undefined;
  readonly 'stamp-column'?: readonly string[] | undefined;
  readonly 'timestamp-column'?: readonly string[] | undefined;
}

/**
 * Lays the command line over the rules.
 * @throws StartupError naming the option that cannot be read
 */
export function withOptions(rules: Rules, options: RuleOptions): Rules {
  const changed = {
    ...rules,
    schemas: options.schema ?? rules.schemas,
    case: options.case ?? rules.case,
    strip: options.strip ?? rules.strip,
    stripColumns: options['strip-column'] ?? rules.stripColumns,
    words: { ...rules.words, ...pairs('--word', options.word) },
    plurals:
      options['no-plurals'] === true
        ? false
        : options.plural === undefined
          ? rules.plurals
          : { ...rules.plurals, ...pairs('--plural', options.plural) },
    singular: options.singular ?? rules.singular,
    stampColumns: options['stamp-column'] ?? rules.stampColumns,
    timestampColumns: options['timestamp-column'] ?? rules.timestampColumns,
  };
  const result = rulesSchema.safeParse(changed);
  if (result.success) return result.data;
  const setting = result.error.issues[0]?.path[0];
  throw new StartupError([
    setting === 'case'
      ? { where: '--case', message: 'expected camel, pascal, snake or keep' }
      : { where: `--${String(setting)}`, message: 'is empty' },
  ]);
}

function pairs(option: string, given: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const [name = '', value] = text.split('=', 2);
      if (name !== '' && value !== undefined) return [name, value];
      throw new StartupError([{ where: option, message: `expected NAME=TEXT, found "${text}"` }]);
    }),
  );
}

/**
 * The rules as a file, with the comments of the file that is there.
 * @param before the text of the file and the rules it holds, or null where there is none
 * @returns null where the file says the same already
 */
export function rulesText(
  rules: Rules,
  before: { readonly text: string; readonly rules: Rules } | null,
): string | null {
  const document = before === null ? new Document({}) : parseDocument(before.text);
  if (before === null) {
    document.commentBefore =
      ' The rules by which `entitygate init` makes names; docs/commands.md explains them.\n' +
      ' Names in use stay as they are when a rule is changed, new ones follow it.';
  }
  let changed = before === null;
  for (const [key, value] of Object.entries(rules)) {
    if (before !== null && isDeepStrictEqual(value, before.rules[key as keyof Rules])) continue;
    document.set(key, document.createNode(value, { flow: true }));
    changed = true;
  }
  return changed ? document.toString({ lineWidth: 0, singleQuote: true }) : null;
}
