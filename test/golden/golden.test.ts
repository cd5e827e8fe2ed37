import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { postgresDialect } from '../../src/sql/postgres/dialect.ts';
import { tsqlDialect } from '../../src/sql/tsql/dialect.ts';
import type { Dialect } from '../../src/sql/dialect.ts';
import {
  readSnapshot,
  sampleModel,
  sampleSettings,
  type Snapshot,
} from '../fixtures/legacy/model.ts';
import { planUrl, type BoundStatement } from '../fixtures/statements.ts';

/** What the goldens are printed for: `<case>/<name>.sql` each, from the schema that its engine introspects. */
const dialects: readonly { readonly name: Snapshot; readonly dialect: Dialect }[] = [
  {
    name: 'postgres',
    dialect: postgresDialect({ timeZone: 'UTC', bigNumbersAsStrings: false }, { version: 17 }),
  },
  { name: 'tsql', dialect: tsqlDialect({ timeZone: 'UTC', bigNumbersAsStrings: false }) },
];

const folder = new URL('.', import.meta.url);
const cases = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort();

/** The URL in the request line; what stands in other lines is for readers. */
function urlOf(name: string): string {
  const text = readFileSync(new URL(`${name}/request.http`, folder), 'utf8');
  const url = /^GET (\S+)$/m.exec(text)?.[1];
  if (url === undefined) throw new Error(`${name}/request.http has no line "GET <url>".`);
  return url;
}

/** What the mapping files say besides, by dataclass: a `where` in a case's `where.yaml`. */
function restrictionsOf(name: string): Readonly<Record<string, string>> {
  const file = new URL(`${name}/where.yaml`, folder);
  return existsSync(file) ? (parse(readFileSync(file, 'utf8')) as Record<string, string>) : {};
}

/** A line for each clause, so that a change of a statement shows where it is. */
function golden(statements: readonly BoundStatement[]): string {
  return statements
    .map(({ role, text, values }) => {
      const lines = text.replace(
        /(?<!LEFT|k\.o) (?=(?:FROM|LEFT JOIN|JOIN|WHERE|ORDER BY|LIMIT|OFFSET) )/g,
        '\n',
      );
      const comments = values.map(
        (value, index) =>
          `-- ${index + 1}: ${value === null ? 'the keys of the parents' : JSON.stringify(value)}\n`,
      );
      return `-- ${role}\n${lines};\n${comments.join('')}`;
    })
    .join('\n');
}

describe.each(dialects)('goldens of $name', ({ name, dialect }) => {
  test.each(cases)('%s', async (directory) => {
    const model = await sampleModel(readSnapshot(name), restrictionsOf(directory));
    const printed = golden(planUrl(urlOf(directory), model, sampleSettings, dialect).statements);
    const file = new URL(`${directory}/${name}.sql`, folder);
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, printed);
    expect(existsSync(file) ? readFileSync(file, 'utf8') : null).toBe(printed);
  });
});
