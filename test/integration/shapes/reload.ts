import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { hashPassword, passwordHashText } from '../../../src/access/auth/password-hash.ts';
import type { Served, Shape, Verb } from './engines.ts';
import { settingsIn, withKeys } from './sample.ts';

const password = passwordHashText(await hashPassword('geheimwort'));
const { apiKeys, users } = withKeys({ boss: { roles: ['admin'] }, clerk: { roles: ['reader'] } });

/** Settings with the users and with the roles `reader` and `writer`, where it does not say otherwise. */
function settings(folder: string, more: object = {}): ReturnType<typeof settingsIn> {
  const reader = { dataclasses: { '*': { read: true } } };
  const writer = { dataclasses: { '*': { read: true, update: true } } };
  return settingsIn({
    authentication: { apiKeys, users: join(folder, 'users.yaml') },
    roles: { reader, writer },
    reports: join(folder, 'reports'),
    ...more,
  });
}

/**
 * `FILE reports/people.yaml {…}` writes a file of the gateway, with the hash of ada's password for `PASSWORD`. Without a text the file goes.
 * `config.yaml` has what differs from the settings that the tests begin with.
 */
const FILE: Verb = async (served, { text, body }) => {
  const folder = dirname(served.mappings);
  const path = join(folder, text);
  if (text === 'config.yaml') {
    const given = JSON.parse(body ?? '{}') as object;
    served.gateway.configure({ ignoreCase: false, timeZone: 'UTC', ...settings(folder, given) });
  } else if (body === null) await rm(path);
  else await writeFile(path, body.replace('PASSWORD', password));
  return null;
};

/** `RELOAD` has the files and the settings read again, and answers what the report has that is not empty. */
const RELOAD: Verb = async ({ gateway }, { headers = {} }) => {
  const answer = await gateway.get('/rest/$info/reload', { method: 'POST', headers });
  if (answer.status !== 200) return answer;
  const { result, milliseconds, ...report } = answer.body as Record<string, object>;
  expect([result, milliseconds]).toEqual([true, expect.any(Number)]);
  const isFull = (told: object): boolean =>
    Array.isArray(told) ? told.length > 0 : Object.values(told).some(isFull);
  const full = (told: object): object =>
    Object.fromEntries(
      Object.entries(told).flatMap(([name, value]: [string, object]) => {
        if (!isFull(value)) return [];
        return [[name, Array.isArray(value) ? value : full(value)]];
      }),
    );
  return { ...answer, body: full(report) };
};

const SCHEMA = [
  'CREATE SCHEMA app',
  'CREATE TABLE app.person (id int NOT NULL PRIMARY KEY, name varchar(20) NOT NULL, city varchar(20) NULL, score int NULL, ver int NOT NULL)',
  "INSERT INTO app.person VALUES (1, 'Ada', 'Bonn', 10, 1), (2, 'Bob', 'Rome', 20, 1), (3, 'Cid', 'Bonn', 30, 1)",
  'CREATE TABLE app.place (id int NOT NULL PRIMARY KEY, name varchar(20) NULL, ver int NOT NULL)',
  "INSERT INTO app.place VALUES (1, 'Rome', 1)",
];

/** Files and settings that cases change, and have read again. */
export const shape: Shape = {
  postgres: [...SCHEMA, "CREATE FUNCTION app.tell() RETURNS int LANGUAGE sql AS 'SELECT 1'"].join(
    ';\n',
  ),
  sqlserver: [...SCHEMA, 'CREATE FUNCTION app.tell() RETURNS int AS BEGIN RETURN 1 END'],
  mappings: {
    person:
      '{"dataclass":"Person","table":"app.person","stamp":{"counter":"ver"},"attributes":{"id":"id","name":"name","city":"city","score":"score"}}',
    place:
      '{"dataclass":"Place","table":"app.place","stamp":{"counter":"ver"},"attributes":{"id":"id","name":"name"}}',
  },
  users: { ...users, nobody: {} },
  verbs: { FILE, RELOAD },
  prepare: async (folder) => {
    await mkdir(join(folder, 'reports'));
    const ada = { password, roles: ['writer'] };
    await writeFile(join(folder, 'users.yaml'), JSON.stringify({ users: { ada } }));
    return settings(folder);
  },
};

/** Requests while a reload changes what they read. */
export function meanwhile(served: Served): void {
  test('is not noticed by requests that are answered meanwhile', async () => {
    const { gateway } = served;
    const headers = users['boss'] ?? {};
    let isOver = false;
    let answered = 0;
    const wrong: unknown[] = [];
    const client = async (): Promise<void> => {
      while (!isOver) {
        const { status, body } = await gateway.get('/rest/Place(1)?$attributes=name', { headers });
        answered += 1;
        if (status !== 200 || (body as { name?: string }).name !== 'Rome') wrong.push(body);
      }
    };
    const clients = Array.from({ length: 32 }, client);
    const place = served.shape.mappings['place'] ?? '';
    try {
      for (const more of [',"readOnly":true}', '}', ',"readOnly":true}', '}']) {
        const before = answered;
        await served.map('place', place.slice(0, -1) + more);
        const { body } = await gateway.get('/rest/$info/reload', { method: 'POST', headers });
        expect(body).toMatchObject({ dataclasses: { changed: ['Place'] } });
        await expect.poll(() => answered - before).toBeGreaterThan(32);
      }
    } finally {
      isOver = true;
      await Promise.all(clients);
    }
    expect(wrong).toEqual([]);
  });
}
