/**
 * The other side of the ratios: endpoints for the same data as a good developer writes them by hand, with Fastify and the same driver, of the
 * same answers. Compiled before it runs, so that nothing but itself is in its memory.
 */
import { readFile } from 'node:fs/promises';
import fastify from 'fastify';
import type sql from 'mssql';
import { openPglite } from './pglite.ts';
import { openPostgres } from './postgres.ts';
import { addReads } from './reads.ts';
import type { Seen } from './rows.ts';
import { addSets } from './sets.ts';
import { openSqlServer } from './sqlserver.ts';
import type { Sql } from './statements.ts';
import { addWrites } from './writes.ts';

/** What is served, and what clients see, by the hashes of their keys. */
interface Settings {
  readonly database:
    | { readonly engine: 'postgres'; readonly url: string }
    | { readonly engine: 'pglite'; readonly seed: string }
    | { readonly engine: 'sqlserver'; readonly connection: sql.config };
  readonly seen: Readonly<Record<string, Seen>>;
}

async function open(database: Settings['database']): Promise<Sql> {
  switch (database.engine) {
    case 'postgres':
      return openPostgres(database.url);
    case 'pglite':
      return openPglite(database.seed);
    case 'sqlserver':
      return openSqlServer(database.connection);
  }
}

const { database, seen } = JSON.parse(await readFile(process.argv[2] ?? '', 'utf8')) as Settings;
const opened = await open(database);
const app = fastify();
addReads(app, opened, new Map(Object.entries(seen)));
addSets(app, opened);
addWrites(app, opened);
app.addHook('onClose', () => opened.close());
process.once('SIGTERM', () => void app.close());
console.error(`serves at ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
