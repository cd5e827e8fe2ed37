import type { Shape } from './engines.ts';

/**
 * A schema `app` in both languages.
 * @param statements each with what both read alike, bytes such as `0x0A`, and words in capitals, such as `FLAG_TYPE`, for the rest
 * @param words what these are for PostgreSQL, and for SQL Server
 */
export function inBothLanguages(
  statements: readonly string[],
  words: Readonly<Record<string, readonly [postgres: string, tsql: string]>>,
): Pick<Shape, 'postgres' | 'sqlserver'> {
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
