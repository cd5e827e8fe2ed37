import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Model } from '../../src/model/types.ts';
import type { Dialect } from '../../src/sql/dialect.ts';
import { postgresDialect } from '../../src/sql/postgres/dialect.ts';
import { tsqlDialect } from '../../src/sql/tsql/dialect.ts';
import { type Golden, GoldenFile, packed } from '../fixtures/golden-file.ts';
import {
  readSnapshot,
  sampleModel,
  sampleSettings,
  type Snapshot,
} from '../fixtures/legacy/model.ts';
import { type BoundStatement, statementsOf } from '../fixtures/statements.ts';

/**
 * What the goldens are printed for, from the schema that its engine introspects: each with the sample's setting `ignoreCase: true`, and as `exact case` where
 * the default, `false`, makes another statement.
 */
const dialects: readonly { readonly name: Snapshot; readonly dialect: Dialect }[] = [
  {
    name: 'postgres',
    dialect: postgresDialect({ timeZone: 'UTC', bigNumbersAsStrings: false }, { version: 17 }),
  },
  { name: 'tsql', dialect: tsqlDialect({ timeZone: 'UTC', bigNumbersAsStrings: false }) },
];

/** The file that shows only how entities are found. */
const FILTERS = 'filters';

const themes = readdirSync(new URL('.', import.meta.url))
  .filter((file) => file.endsWith('.golden'))
  .map((file) => ({
    theme: file.slice(0, -'.golden'.length),
    file: new GoldenFile(new URL(file, import.meta.url)),
  }));

/** The URL in the request line, and what the mapping files say besides, by dataclass: a `where` before it; what else stands there is for readers. */
function caseOf({ name, about }: Golden): {
  readonly url: string;
  readonly where: Readonly<Record<string, string>> | null;
} {
  const url = /^GET (\/rest\/.+)$/m.exec(about)?.[1];
  if (url === undefined) throw new Error(`${name} has no line "GET /rest/…".`);
  if (url.includes(' ')) throw new Error(`${name}: a blank in the URL has to be %20.`);
  const where = about.match(/^\w+: .*\n/gm);
  return { url, where: where === null ? null : (parse(where.join('')) as Record<string, string>) };
}

/** What a parameter is that no request says. */
function unsaid(role: string): string {
  return role === 'slice' || role === 'digested' ? 'which bytes' : 'the keys of the parents';
}

/** A line for each clause. */
function clauses(text: string): string {
  return text.replace(
    /(?<!LEFT|CROSS|k\.o) (?=(?:FROM|LEFT JOIN|CROSS JOIN|JOIN|WHERE|ORDER BY|LIMIT|OFFSET) )/g,
    '\n',
  );
}

/** A statement below what it is for and what its parameters are. */
function whole({ role, text, values }: BoundStatement): string {
  const said = values.map((value) => (value === null ? unsaid(role) : JSON.stringify(value)));
  const given = said.map((value, index) => `${index === 0 ? ' |' : ','} ${index + 1}: ${value}`);
  return `-- ${role}${given.join('')}\n${packed(clauses(text))};\n`;
}

/** How the first statement finds its rows, which others do alike, and the parameters of that. */
function found([first, ...others]: readonly BoundStatement[]): string {
  if (first === undefined) throw new Error('nothing is printed');
  const rows = /\nFROM .*\n((?:.|\n)*?)(?:\nORDER BY .*\n.*(?:\n.*)?)?$/;
  const [, from = ''] = rows.exec(clauses(first.text)) ?? [];
  const where = from.slice(from.indexOf('WHERE '));
  for (const { role, text } of others) {
    if (!role.startsWith('together')) expect(clauses(text)).toContain(where);
  }
  const comments = first.values.flatMap((value, index) =>
    new RegExp(`(?:\\$|@p)${index + 1}\\b`).test(from)
      ? [`${index + 1}: ${JSON.stringify(value)}`]
      : [],
  );
  const given = comments.length === 0 ? '' : `-- ${comments.join(', ')}\n`;
  return `${packed(from)}\n${given}`;
}

describe.each(dialects)('goldens of $name', async ({ name, dialect }) => {
  const schema = readSnapshot(name);
  const exactCase = { ...sampleSettings, ignoreCase: false };
  const folding = await sampleModel(schema);
  const exact = await sampleModel(schema, exactCase);

  describe.each(themes)('$theme', ({ theme, file }) => {
    const print = (url: string, model: Model): string => {
      const statements = statementsOf(url, model, sampleSettings, dialect);
      return theme === FILTERS ? found(statements) : statements.map(whole).join('');
    };
    test.each([...file.goldens.values()])('$name', async (golden) => {
      const { url, where } = caseOf(golden);
      const model = where === null ? folding : await sampleModel(schema, sampleSettings, where);
      const exactModel = where === null ? exact : await sampleModel(schema, exactCase, where);
      const printed = print(url, model);
      file.expect(golden.name, name, printed);
      const printedExact = print(url, exactModel);
      const another = printedExact === printed ? null : printedExact;
      file.expect(golden.name, `${name}, exact case`, another);
    });
  });
});
