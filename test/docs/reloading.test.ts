import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { read } from './markdown.ts';

test('docs/how-to/reloading.md finds the process that serves, and none of those around it', () => {
  const [, pattern = ''] = /pgrep -of '(.*?)'/.exec(read('docs/how-to/reloading.md')) ?? [];
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    scripts: { start: string };
  };
  const commands = [
    ...['npm start', `sh -c ${scripts.start}`, scripts.start],
    ...['node /usr/bin/entitygate serve --config c.yaml', 'node /usr/bin/entitygate check'],
  ];
  expect(commands.filter((command) => new RegExp(pattern).test(command))).toEqual([
    scripts.start,
    'node /usr/bin/entitygate serve --config c.yaml',
  ]);
});
