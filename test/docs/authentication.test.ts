import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readUsersFile } from '../../src/access/auth/users-file.ts';
import { loadConfig } from '../../src/config/load.ts';
import { testFolder, type TestFolder } from '../config/files.ts';
import { blocksOf } from './examples.ts';

let folder: TestFolder;
beforeAll(async () => {
  folder = await testFolder();
  const { publicKey } = generateKeyPairSync('ed25519');
  await folder.write('issuer.pem', publicKey.export({ type: 'spki', format: 'pem' }).toString());
});
afterAll(() => folder.remove());

const SECRETS = {
  ...{ TOKEN_SECRET: 'x'.repeat(32), ENTITYGATE_CLIENT_SECRET: 'x', REPORTS_SECRET: 'x' },
};

/** The YAML that the pages show. */
const examples = [
  'docs/reference/authentication.md',
  'docs/how-to/sign-in.md',
  'docs/how-to/entra-id.md',
  'docs/how-to/keycloak.md',
  'docs/how-to/proxy.md',
].flatMap((page) =>
  blocksOf(page).flatMap(({ language, text }) => (language === 'yaml' ? [text] : [])),
);

test('the pages have examples', () => {
  expect(examples.length).toBeGreaterThan(12);
});

test.each(examples)('what a page shows is what the gateway reads: %s', async (text) => {
  const path = await folder.write('example.yaml', text);
  const isUsersFile = /^users:/m.test(text);
  const reading = isUsersFile ? readUsersFile(path) : loadConfig(path, SECRETS);
  await expect(reading).resolves.toBeDefined();
});
