import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config/load.ts';
import { sharedFolder } from './files.ts';

const folder = await sharedFolder();

interface ComposeFile {
  readonly services: Readonly<Record<string, { readonly environment?: Record<string, string> }>>;
  readonly configs: Readonly<Record<string, { readonly content: string }>>;
}

test('compose.yaml serves SQL Server', async () => {
  const environment = { ENTITYGATE_DATABASE_PASSWORD: 'secret' };
  const { database } = await loadConfig(resolve('compose.config.yaml'), environment);
  expect(database).toMatchObject({ engine: 'sqlserver', host: 'database', password: 'secret' });
});

test('the gateways of compose.instances.yaml share a state, and trust nginx', async () => {
  const text = await readFile('compose.instances.yaml', 'utf8');
  const { services, configs } = parse(text, { merge: true }) as ComposeFile;
  const { 'gateway-1': one, 'gateway-2': other } = services;
  expect(one).toEqual(other);
  const path = await folder.write(
    'config.yaml',
    (configs['gateway']?.content ?? '').replaceAll('$$', '$'),
  );
  const environment = {
    ...one?.environment,
    ENTITYGATE_DATABASE_PASSWORD: 'secret',
  };
  const { database, state, server } = await loadConfig(path, environment);
  expect([database, state, server]).toMatchObject([
    { engine: 'postgres', url: 'postgres://gateway:secret@database:5432/legacy' },
    { url: 'valkey://store:6379' },
    { host: '0.0.0.0', allowUnauthenticated: true, trustedProxies: expect.any(Array) as unknown },
  ]);
  const upstreams = configs['nginx']?.content.match(/(?<=server )gateway-\d/g);
  expect(upstreams).toEqual(Object.keys(services).filter((name) => name.startsWith('gateway-')));
});
