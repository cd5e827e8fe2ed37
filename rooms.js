/**
 * The rooms of src/ in the order of the pipeline, and which others each may import. `npm run lint` holds the code to it, and a test
 * the table in src/README.md.
 */
export const rooms = {
  base: [],
  observe: ['base'],
  config: ['base'],
  schema: ['base'],
  query: ['schema'],
  sql: ['base', 'schema', 'query'],
  database: ['base', 'observe', 'config', 'schema', 'sql'],
  request: ['base'],
  model: ['base', 'config', 'schema', 'request'],
  init: ['base', 'config', 'schema', 'model'],
  plan: ['base', 'schema', 'query', 'request', 'model'],
  values: ['base', 'schema', 'query', 'sql', 'database', 'request', 'model', 'plan'],
  access: ['base', 'config', 'schema', 'sql', 'request', 'model', 'values'],
  audit: ['base', 'observe', 'config', 'model'],
  execute: [
    'base',
    'observe',
    'schema',
    'query',
    'sql',
    'database',
    'request',
    'model',
    'plan',
    'values',
    'entity-set',
    'lock',
  ],
  respond: ['base', 'schema', 'sql', 'database', 'model', 'plan', 'values', 'execute'],
  upload: [],
  'entity-set': ['base'],
  lock: ['base', 'observe', 'database', 'sql'],
  session: ['base'],
  auth: ['base', 'config'],
  server: [
    'base',
    'observe',
    'database',
    'request',
    'model',
    'plan',
    'values',
    'execute',
    'respond',
    'upload',
    'entity-set',
    'lock',
    'session',
    'auth',
    'access',
  ],
};

/** Packages that one room alone knows. */
export const packages = {
  model: ['node-sql-parser'],
  server: ['fastify', '@fastify/helmet', '@fastify/cors', '@fastify/rate-limit'],
  database: ['pg', 'mssql', 'tedious', '@electric-sql/pglite'],
};
