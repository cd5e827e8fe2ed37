/**
 * The other side of the ratios: endpoints for the same data as a good developer writes them by hand, with Fastify and the same driver, of the
 * same answers. Compiled before it runs, so that nothing but itself is in its memory.
 */
import { readFile } from 'node:fs/promises';
import fastify from 'fastify';
import { openPostgres } from './postgres.ts';
import { addRoutes } from './routes.ts';

interface Settings {
  readonly engine: 'postgres';
  readonly url: string;
}

const settings = JSON.parse(await readFile(process.argv[2] ?? '', 'utf8')) as Settings;
const sql = openPostgres(settings.url);
const app = fastify();
addRoutes(app, sql);
app.addHook('onClose', () => sql.close());
process.once('SIGTERM', () => void app.close());
console.error(`serves at ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
