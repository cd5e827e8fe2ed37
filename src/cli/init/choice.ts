import { nameHint } from '../../base/names.ts';
import { NameIndex } from '../../model/lookup.ts';
import {
  qualifiedName,
  type ColumnType,
  type PhysicalSchema,
  type Table,
} from '../../schema/types.ts';
import type { Rules } from './rules.ts';

/** Makes the test whether the rules choose a table or a view. @param fold how the database compares the names of schemas */
export function tableChooser(
  { schemas, tables, exclude, views }: Rules,
  fold: (name: string) => string,
): (table: Table) => boolean {
  const isChosenSchema = schemaChooser(schemas, fold);
  const included = tables.map(globTest);
  const excluded = exclude.map(globTest);
  return (table) =>
    isChosenSchema(table) &&
    (views || table.kind !== 'view') &&
    (included.length === 0 || included.some((test) => test(table))) &&
    !excluded.some((test) => test(table));
}

/** Makes the test whether the schema of a table or a routine is chosen: all are, where none is named. */
export function schemaChooser(
  schemas: readonly string[],
  fold: (name: string) => string,
): (named: { readonly schema: string }) => boolean {
  const chosen = new Set(schemas.map(fold));
  return ({ schema }) => chosen.size === 0 || chosen.has(fold(schema));
}

/** A schema, a glob or a column of the rules that the database has nothing for: a misspelt name would silently do nothing, or too much. */
interface RuleProblem<Rule extends keyof Rules> {
  readonly rule: Rule;
  readonly message: string;
}

type ChoiceProblem = RuleProblem<'schemas' | 'tables' | 'exclude'>;

/** Finds schemas without tables and globs that match nothing, each with the nearest names; and a choice that leaves nothing. */
export function choiceProblems(rules: Rules, schema: PhysicalSchema): ChoiceProblem[] {
  const { tables } = schema;
  const { fold } = new NameIndex(schema);
  const known = [...new Set(tables.map((table) => table.schema))];
  const problems = [
    ...rules.schemas
      .filter((name) => !known.some((other) => fold(other) === fold(name)))
      .map((name): ChoiceProblem => {
        const message = `the database has no schema ${name} with tables that the login may read.${nameHint(name, known)}`;
        return { rule: 'schemas', message };
      }),
    ...(['tables', 'exclude'] as const).flatMap((rule) =>
      rules[rule]
        .filter((glob) => !tables.some(globTest(glob)))
        .map((glob): ChoiceProblem => {
          const names = tables.map((table) =>
            glob.includes('.') ? qualifiedName(table) : table.name,
          );
          const hint = nameHint(glob.replace(/[*?]/g, ''), new Set(names));
          return { rule, message: `${glob} matches no table or view.${hint}` };
        }),
    ),
  ];
  if (problems.length > 0 || tables.some(tableChooser(rules, fold))) return problems;
  return [{ rule: 'tables', message: 'the choice leaves no table or view' }];
}

/** The types of the columns that the rules name. */
export const RULED_KINDS = {
  stampColumns: ['integer'],
  timestampColumns: ['timestamp', 'date'],
} as const satisfies Partial<Record<keyof Rules, readonly ColumnType['kind'][]>>;

/** Finds columns of the rules that no table has with such a type, each with the nearest names. */
export function columnProblems(
  rules: Rules,
  schema: PhysicalSchema,
): RuleProblem<keyof typeof RULED_KINDS>[] {
  const { fold } = new NameIndex(schema);
  const columns = schema.tables.flatMap((table) => table.columns);
  return (['stampColumns', 'timestampColumns'] as const).flatMap((rule) => {
    const kinds: readonly ColumnType['kind'][] = RULED_KINDS[rule];
    const known = new Set(
      columns.filter(({ type }) => kinds.includes(type.kind)).map(({ name }) => name),
    );
    const folded = new Set([...known].map(fold));
    return rules[rule]
      .filter((name) => !folded.has(fold(name)))
      .map((name) => ({
        rule,
        message: `no table has a column ${name} of type ${kinds.join(' or ')}.${nameHint(name, known)}`,
      }));
  });
}

/**
 * Makes the test of a glob: `*` is any text, `?` any character, case does not count. A glob with a dot is matched with `schema.table`, any other with the
 * name alone.
 */
function globTest(glob: string): (table: Pick<Table, 'schema' | 'name'>) => boolean {
  const source = glob
    .replace(/[\\^$.+()[\]{}|/-]/g, '\\$&')
    .replace(/\*+/g, '.*')
    .replaceAll('?', '.');
  const pattern = new RegExp(`^${source}$`, 'isu');
  return glob.includes('.')
    ? (table) => pattern.test(qualifiedName(table))
    : ({ name }) => pattern.test(name);
}
