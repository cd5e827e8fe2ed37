import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load.ts';
import { appliedTo } from '../../src/config/restart.ts';
import { testFolder, type TestFolder } from './files.ts';

const DATABASE = "database: { engine: pglite, directory: 'memory:' }\n";

let folder: TestFolder;
beforeAll(async () => {
  folder = await testFolder();
  await folder.write('mappings/T.yaml', 'dataclass: T\ntable: public.t\n');
});
afterAll(() => folder.remove());

async function config(text: string): Promise<Config> {
  const database = text.includes('database:') ? '' : DATABASE;
  return loadConfig(await folder.write('config.yaml', `${database}${text}`), {});
}

describe('a setting that needs a restart', () => {
  test.each([
    ['server: { port: 4711 }', ['server.port']],
    ['cors: { origins: [https://a.example] }', ['cors']],
    ["database: { engine: pglite, directory: './other' }", ['database.directory']],
    ['log: { level: debug }', ['log.level']],
    ['timeZone: Europe/Paris', ['timeZone']],
    ['bigNumbersAsStrings: true', ['bigNumbersAsStrings']],
    [`stampSecret: ${'s'.repeat(40)}`, ['stampSecret']],
    ['entitySets: { maxPerSession: 3 }', ['entitySets.maxPerSession']],
    ['sessions: { max: 10, cookie: SID }', ['sessions.cookie', 'sessions.max']],
    ['locks: false', ['locks']],
    ['limits: { requestsPerMinute: 7 }', ['limits.requestsPerMinute']],
    ['limits: { maxUrlBytes: 5000 }', ['limits.maxUrlBytes']],
    ['audit: { to: audit.log }', ['audit']],
  ])('%s is named, and keeps its old value', async (text, expected) => {
    const running = await config('');
    const read = await config(text);
    const { config: applied, needsRestart } = appliedTo(running, read);
    expect([...needsRestart].sort()).toEqual(expected);
    const [name = ''] = text.split(':');
    expect(applied[name as keyof Config]).toEqual(running[name as keyof Config]);
  });

  test('is named when it is left out, too', async () => {
    const running = await config('audit: { to: audit.log }\nserver: { port: 4711 }');
    const { config: applied, needsRestart } = appliedTo(running, await config(''));
    expect(needsRestart).toEqual(['server.port', 'audit']);
    expect([applied.server, applied.audit]).toEqual([running.server, running.audit]);
  });
});

test('nothing is named where nothing has changed', async () => {
  const text = 'audit: { to: audit.log }\nlimits: { requestsPerMinute: 7 }';
  expect(appliedTo(await config(text), await config(text)).needsRestart).toEqual([]);
});

test('what is told of a secret is its name alone', async () => {
  const { needsRestart } = appliedTo(
    await config(`stampSecret: ${'a'.repeat(40)}`),
    await config(`stampSecret: ${'b'.repeat(40)}`),
  );
  expect(needsRestart).toEqual(['stampSecret']);
});

describe('a setting that is read again', () => {
  test('takes its new value, beside one of its section that does not', async () => {
    const running = await config('');
    const read = await config('limits: { requestsPerMinute: 7, maxTop: 11 }\nignoreCase: true');
    const { config: applied, needsRestart } = appliedTo(running, read);
    expect(needsRestart).toEqual(['limits.requestsPerMinute']);
    expect(applied.limits).toEqual({
      ...read.limits,
      requestsPerMinute: running.limits.requestsPerMinute,
    });
    expect(applied.ignoreCase).toBe(true);
  });

  test('audit.values is one, and audit.to is not', async () => {
    const running = await config('audit: { to: audit.log }');
    const read = await config('audit: { to: other.log, values: all }');
    const { config: applied, needsRestart } = appliedTo(running, read);
    expect(needsRestart).toEqual(['audit.to']);
    expect(applied.audit).toEqual({ ...running.audit, values: 'all' });
  });
});
