import { expect, test } from 'vitest';
import { apiKeyHash, makeApiKey } from '../../../src/access/auth/api-keys.ts';
import { configSchema, type Config } from '../../../src/config/config.ts';
import { pgliteTarget } from '../../targets/pglite.ts';
import { postgresTarget } from '../../targets/postgres.ts';
import { sqlServerTarget } from '../../targets/sqlserver.ts';
import { READ, type Served, type Shape } from './engines.ts';

const targets = { pglite: pgliteTarget, postgres: postgresTarget, sqlserver: sqlServerTarget };

/** The sample database, with the repository's mapping files. */
export const sample: Shape = {
  postgres: '',
  sqlserver: [],
  mappings: {},
  open: (engine) => targets[engine].open(),
};

/** The sample on one engine: `READ Employee(1)` tells how many statements that takes. */
export const counted: Shape = { ...sample, engines: ['pglite'], verbs: { READ } };

/** Requests at the same time. */
export function manyClients(served: Served): void {
  test('many clients at once are all answered, each with its own', async () => {
    const keys = Array.from({ length: 200 }, (_, index) => (index % 400) + 1);
    const asked = keys.map((key) => served.gateway.get(`/rest/Employee(${key})?$attributes=ID`));
    const answers = await Promise.all(asked);
    expect(answers.map(({ body }) => (body as { ID: number }).ID)).toEqual(keys);
  });
}

/** The settings that a configuration file has, by their names. */
export function settingsIn(file: object): Partial<Config> {
  const config = configSchema.parse(file);
  const names = Object.keys(file) as (keyof typeof config)[];
  return Object.fromEntries(names.map((name) => [name, config[name]]));
}

/** The sample with low limits, where nulls are not equal to any value. */
export const strict: Shape = {
  ...sample,
  engines: ['pglite'],
  settings: {
    ...settingsIn({ nullsMatchNotEqual: true, limits: { maxExpandDepth: 1, maxEntities: 3 } }),
    // Those of the sample go over more relations.
    reports: undefined,
  },
};

/** Users with a key each, by their names, with what the configuration says of them. */
export function withKeys(
  users: Readonly<Record<string, { readonly roles: readonly string[]; readonly claims?: object }>>,
): { readonly apiKeys: readonly object[]; readonly users: NonNullable<Shape['users']> } {
  const keys = Object.keys(users).map((name) => [name, makeApiKey()] as const);
  return {
    apiKeys: keys.map(([name, key]) => ({
      ...{ name, hash: `sha256:${apiKeyHash(key)}`, claims: {}, ...users[name] },
    })),
    users: Object.fromEntries(keys.map(([name, key]) => [name, { 'api-key': key }])),
  };
}
