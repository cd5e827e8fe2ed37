import { readFile } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { postgresStatements, type Prepared, type Sql } from './statements.ts';

/** PostgreSQL in this process, as its documentation has it, filled by a script. */
export async function openPglite(seed: string): Promise<Sql> {
  const parsers = { 20: Number, 1700: Number, 1082: (text: string): string => text };
  const database = await PGlite.create({ parsers });
  await database.exec(await readFile(seed, 'utf8'));
  return {
    statements: postgresStatements,
    query: async <Row>({ text }: Prepared, values: readonly unknown[]) =>
      (await database.query<Row>(text, [...values])).rows,
    close: () => database.close(),
  };
}
