import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { postgresDialect } from '../../src/sql/postgres/dialect.ts';
import { tsqlDialect } from '../../src/sql/tsql/dialect.ts';
import type { Model } from '../../src/model/types.ts';
import type { Dialect } from '../../src/sql/dialect.ts';
import {
  readSnapshot,
  sampleModel,
  sampleSettings,
  type Snapshot,
} from '../fixtures/legacy/model.ts';
import { statementsOf, type BoundStatement } from '../fixtures/statements.ts';

/**
 * What the goldens are printed for, from the schema that its engine introspects: `<case>/<name>.sql` each with the sample's
 * setting `ignoreCase: true`, and `<case>/<name>.exact-case.sql` where the default, `false`, makes another statement.
 */
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

/** What the mapping files say besides, by dataclass: a `where` in a case's `where.yaml`; null where there is none. */
function restrictionsOf(name: string): Readonly<Record<string, string>> | null {
  const file = new URL(`${name}/where.yaml`, folder);
  return existsSync(file) ? (parse(readFileSync(file, 'utf8')) as Record<string, string>) : null;
}

/** What a parameter is that no request says. */
function unsaid(role: string): string {
  return role === 'slice' || role === 'digested' ? 'which bytes' : 'the keys of the parents';
}

/** A line for each clause, so that a change of a statement shows where it is. */
function golden(statements: readonly BoundStatement[]): string {
  return statements
    .map(({ role, text, values }) => {
      const lines = text.replace(
        /(?<!LEFT|CROSS|k\.o) (?=(?:FROM|LEFT JOIN|CROSS JOIN|JOIN|WHERE|ORDER BY|LIMIT|OFFSET) )/g,
        '\n',
      );
      const comments = values.map(
        (value, index) =>
          `-- ${index + 1}: ${value === null ? unsaid(role) : JSON.stringify(value)}\n`,
      );
      return `-- ${role}\n${lines};\n${comments.join('')}`;
    })
    .join('\n');
}

/** Compares with the file, which is there only where something is printed; `UPDATE_GOLDEN=1` makes it so. */
function expectGolden(file: URL, printed: string | null): void {
  if (process.env['UPDATE_GOLDEN'] === '1') {
    if (printed === null) rmSync(file, { force: true });
    else writeFileSync(file, printed);
  }
  expect(existsSync(file) ? readFileSync(file, 'utf8') : null).toBe(printed);
}

describe.each(dialects)('goldens of $name', async ({ name, dialect }) => {
  const schema = readSnapshot(name);
  const exactCase = { ...sampleSettings, ignoreCase: false };
  const folding = await sampleModel(schema);
  const exact = await sampleModel(schema, exactCase);
  const print = (url: string, model: Model): string =>
    golden(statementsOf(url, model, sampleSettings, dialect));

  test.each(cases)('%s', async (directory) => {
    const url = urlOf(directory);
    const where = restrictionsOf(directory);
    const model = where === null ? folding : await sampleModel(schema, sampleSettings, where);
    const exactModel = where === null ? exact : await sampleModel(schema, exactCase, where);
    const printed = print(url, model);
    expectGolden(new URL(`${directory}/${name}.sql`, folder), printed);
    const printedExact = print(url, exactModel);
    expectGolden(
      new URL(`${directory}/${name}.exact-case.sql`, folder),
      printedExact === printed ? null : printedExact,
    );
  });
});
