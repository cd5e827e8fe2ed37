import type { Shape } from './engines.ts';

type Words = Readonly<Record<string, readonly [postgres: string, tsql: string]>>;

/** Words that mean the same in all schemas. */
const COMMON: Words = {
  FLAG_TYPE: ['boolean', 'bit'],
  YES_VALUE: ['true', '1'],
  NO_VALUE: ['false', '0'],
  UUID_TYPE: ['uuid', 'uniqueidentifier'],
  JSON_TYPE: ['jsonb', 'nvarchar(max)'],
};

/**
 * A schema `app` in both languages.
 * @param statements each with what both read alike, bytes such as `0x0A`, and words in capitals, such as `FLAG_TYPE`, for the rest
 * @param own what those are for PostgreSQL, and for SQL Server, that are not {@link COMMON}
 */
export function inBothLanguages(
  statements: readonly string[],
  own: Words = {},
): Pick<Shape, 'postgres' | 'sqlserver'> {
  const words = { ...COMMON, ...own };
  const written = (at: 0 | 1): string[] =>
    ['CREATE SCHEMA app', ...statements].map((statement) =>
      statement.replace(/\b[A-Z]+_[A-Z]+\b/g, (word) => words[word]?.[at] ?? word),
    );
  const postgres = written(0).join(';\n');
  return {
    postgres: postgres.replace(/\b0x([\dA-F]+)\b/g, String.raw`'\x$1'`),
    sqlserver: written(1),
  };
}
