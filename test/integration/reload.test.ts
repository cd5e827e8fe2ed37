import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type App, buildApp, openDatabase } from '../../src/app.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { Database } from '../../src/database/database.ts';
import { testFolder, type TestFolder } from '../config/files.ts';

const THING = 'dataclass: Thing\ntable: public.thing\n';

let folder: TestFolder;
let app: App;
beforeEach(async () => {
  folder = await testFolder();
  await folder.write(
    'seed.sql',
    "create table thing (id int primary key, name text); insert into thing values (1, 'a'), (2, 'b');",
  );
  await folder.write('mappings/Thing.yaml', THING);
});
afterEach(async () => {
  await app.close();
  await folder.remove();
});

/** Serves what the folder has. @param server settings of the server */
async function serve(server: string, open?: typeof openDatabase): Promise<void> {
  await folder.write(
    'config.yaml',
    `server: { port: 0${server} }
log: { level: silent }
database: { engine: pglite, directory: 'memory:', seed: seed.sql }
audit: { to: audit.log }
authentication: { anonymous: [admin] }
`,
  );
  const load = () => loadConfig(join(folder.path, 'config.yaml'), {});
  app = await buildApp(await load(), open, undefined, null, load);
  await app.server.listen({ host: '127.0.0.1', port: 0 });
}

async function ask(url: string, method: 'GET' | 'POST' = 'GET'): Promise<[number, unknown]> {
  const answer = await app.server.inject({ url, method });
  return [answer.statusCode, answer.json()];
}

test('a request that has begun finishes with the model that it began with; each reload is a line of the audit log', async () => {
  /** Ends the wait of the reads that are held. */
  let holding: Promise<void> | null = null;
  let reached = (): void => undefined;
  await serve('', async (config): Promise<Database> => {
    const database = await openDatabase(config);
    const { run } = database;
    return {
      ...database,
      run: async (...given) => {
        const result = await run.apply(database, given);
        if (holding !== null) {
          reached();
          await holding;
        }
        return result;
      },
    };
  });
  let goOn = (): void => undefined;
  holding = new Promise((resolve) => (goOn = resolve));
  const isHeld = new Promise<void>((resolve) => (reached = resolve));
  const begun = ask('/rest/Thing(2)');
  await isHeld;
  await folder.write('mappings/Thing.yaml', THING.replace('Thing', 'Renamed'));
  expect((await ask('/rest/$info/reload', 'POST'))[1]).toMatchObject({
    dataclasses: { added: ['Renamed'], removed: ['Thing'] },
  });
  const late = ask('/rest/Thing(2)');
  goOn();
  holding = null;
  expect([await begun, (await late)[0]]).toEqual([
    [200, expect.objectContaining({ name: 'b' })],
    404,
  ]);
  await folder.write('mappings/Thing.yaml', 'dataclass: Thing\n');
  expect((await ask('/rest/$info/reload', 'POST'))[0]).toBe(422);
  await app.close();
  const log = await readFile(join(folder.path, 'audit.log'), 'utf8');
  const lines = log.trim().split('\n');
  const told = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(told.map(({ action, outcome }) => [action, outcome])).toEqual([
    ['reload', 'done'],
    ['reload', 'failed'],
  ]);
});

test('files are read again when they change', async () => {
  await serve(', watch: true');
  await folder.write('mappings/Other.yaml', THING.replace('Thing', 'Other'));
  await expect.poll(async () => (await ask('/rest/Other(1)'))[0]).toBe(200);
  // The folder is new, too.
  for (const name of ['first', 'second']) {
    await folder.write(`reports/${name}.yaml`, 'title: Others\ndataclass: Other\n');
    await expect
      .poll(async () => JSON.stringify((await ask('/rest/$reports'))[1]))
      .toContain(`"name":"${name}"`);
  }
});
