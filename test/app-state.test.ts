import { expect, test } from 'vitest';
import { buildApp } from '../src/app.ts';
import { loadConfig } from '../src/config/load.ts';
import { testFolder } from './config/files.ts';

test('a state store that would not be used is refused', async () => {
  const folder = await testFolder();
  const text =
    'database: { engine: postgres, url: postgres://a:b@127.0.0.1:1/erp }\nstate: { url: valkey://127.0.0.1 }\n';
  const path = await folder.write('config.yaml', text);
  try {
    await expect(buildApp(await loadConfig(path, {}))).rejects.toThrow(
      `${path}:2:1: gateways do not keep their state together yet: leave state out`,
    );
  } finally {
    await folder.remove();
  }
});
