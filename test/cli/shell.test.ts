import { expect, test } from 'vitest';
import { programName, shellWord } from '../../src/cli/shell.ts';

test.each([
  [`${process.cwd()}/dist/main.js`, {}, 'node dist/main.js'],
  ['/opt/my gateway/dist/main.js', {}, 'node "/opt/my gateway/dist/main.js"'],
  [`${process.cwd()}/src/main.ts`, { npm_command: 'exec' }, 'npx tsx src/main.ts'],
  ['/usr/local/bin/entitygate', {}, 'entitygate'],
  ['C:\\npm\\node_modules\\entitygate\\dist\\main.js', {}, 'entitygate'],
  ['C:\\npx\\node_modules\\entitygate\\dist\\main.js', { npm_command: 'exec' }, 'npx entitygate'],
  ['/home/me/erp/node_modules/.bin/entitygate', {}, 'npx entitygate'],
])('%s is started by %o as %s', (script, environment, name) => {
  expect(programName(script, environment)).toBe(name);
});

test.each([
  ['gateway/config.yaml', 'gateway/config.yaml'],
  ['C:\\erp\\config.yaml', 'C:\\erp\\config.yaml'],
  ['my gateway/config.yaml', '"my gateway/config.yaml"'],
  ["Ada's/config.yaml", '"Ada\'s/config.yaml"'],
  ["Ada's $HOME/config.yaml", "'Ada'\\''s $HOME/config.yaml'"],
  ['', '""'],
])('%s is quoted as %s', (text, word) => {
  expect(shellWord(text)).toBe(word);
});
