import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readUsersFile } from '../../src/access/auth/users-file.ts';
import { loadConfig } from '../../src/config/load.ts';
import { testFolder, type TestFolder } from '../config/files.ts';
import { read } from './markdown.ts';

let folder: TestFolder;
beforeAll(async () => {
  folder = await testFolder();
  const { publicKey } = generateKeyPairSync('ed25519');
  await folder.write('issuer.pem', publicKey.export({ type: 'spki', format: 'pem' }).toString());
});
afterAll(() => folder.remove());

/** The YAML that the page shows. */
const examples = [
  ...read('docs/reference/authentication.md').matchAll(/^```yaml\n([\s\S]*?)^```$/gm),
].map(([, text = '']) => text);

test('the page has examples', () => {
  expect(examples.length).toBeGreaterThan(5);
});

test.each(examples)('what the page shows is what the gateway reads: %s', async (text) => {
  const path = await folder.write('example.yaml', text);
  const isUsersFile = /^users:/m.test(text);
  const reading = isUsersFile
    ? readUsersFile(path)
    : loadConfig(path, { TOKEN_SECRET: 'x'.repeat(32) });
  await expect(reading).resolves.toBeDefined();
});
