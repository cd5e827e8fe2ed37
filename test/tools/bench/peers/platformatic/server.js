/** Platformatic's mapper and its REST interface in front of the measured schema, as their documentation registers them in Fastify. */
import console from 'node:console';
import process from 'node:process';
import fastify from 'fastify';
import sqlMapper from '@platformatic/sql-mapper';
import sqlOpenApi from '@platformatic/sql-openapi';

const app = fastify();
app.register(sqlMapper, {
  connectionString: process.env.PEER_DATABASE,
  poolSize: 8,
  schema: ['app'],
});
app.register(sqlOpenApi);
process.once('SIGTERM', () => void app.close());
console.error(`serves at ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
