/**
 * The rooms of src/ in the order of the pipeline, and which others each may import; a room in a room is listed where it may import less than the whole.
 * `npm run lint` holds the code to it, and a test the table in src/README.md.
 */
export const rooms = {
  base: [],
  config: ['base'],
  protocol: ['base'],
  schema: ['base'],
  'sql/ir': ['base', 'schema'],
  sql: ['base', 'schema'],
  database: ['base', 'config', 'schema', 'sql'],
  model: ['base', 'config', 'protocol', 'schema'],
  plan: ['base', 'protocol', 'schema', 'sql/ir', 'model'],
  state: ['base', 'database', 'sql'],
  run: ['base', 'protocol', 'schema', 'sql', 'database', 'model', 'plan', 'state'],
  answer: ['base', 'protocol', 'schema', 'sql', 'database', 'model', 'plan', 'run'],
  access: ['base', 'config', 'protocol', 'schema', 'sql', 'model', 'run'],
  contract: ['base', 'config', 'protocol', 'schema', 'model', 'plan'],
  server: [
    'base',
    'config',
    'protocol',
    'database',
    'model',
    'plan',
    'state',
    'run',
    'answer',
    'access',
    'contract',
  ],
  'cli/init': ['base', 'config', 'schema', 'model'],
  'cli/types': ['base', 'schema', 'model'],
  client: [],
  explorer: [],
};

/** Packages that one room alone knows. */
export const packages = {
  model: ['node-sql-parser'],
  server: [
    'fastify',
    '@fastify/rate-limit',
    '@fastify/http-proxy',
    '@fastify/static',
    'pino',
    'undici',
    'prom-client',
    '@opentelemetry/api',
  ],
  explorer: ['preact', '@preact/signals', '@dagrejs/dagre'],
  state: ['ioredis'],
  answer: ['sharp'],
  database: ['pg', 'mssql', 'tedious', '@electric-sql/pglite'],
};
