import { execFile, spawnSync } from 'node:child_process';
import { chmod, readdir } from 'node:fs/promises';
import { delimiter, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testFolder, type TestFolder } from '../config/files.ts';
import { compared, examplesOf } from '../docs/examples.ts';
import { PROGRAM, runGateway, type GatewayProcess } from './gateway-process.ts';

/**
 * Runs the commands of the documents in a shell, in the order in which a reader would, against the sample that `npm start` serves, and compares what they
 * print with what the documents show.
 */
const SAMPLE = 'http://127.0.0.1:8080';

/** Commands that need what is not here, by what they begin with. */
const elsewhere = [
  /^entitygate (?!\w+ --help$)/,
  /^node /,
  /^npm /,
  /^npx /,
  /^docker /,
  /example\.com/,
  /<\w+>/,
  /^ENTITYGATE_\w+='?\S+ +npm start/,
];

let folder: TestFolder;
let gateway: GatewayProcess;
let address: string;

beforeAll(async () => {
  folder = await testFolder();
  const config = `
application: Legacy ERP
server: { port: 0 }
database: { engine: pglite, directory: ${folder.path}/data, seed: ${resolve('test/fixtures/legacy/legacy.postgres.sql.gz')} }
mappings: ${resolve('mappings')}
ignoreCase: true
`;
  gateway = runGateway(['serve', '--config', await folder.write('config.yaml', config)]);
  const program = `#!/bin/sh\nexec '${process.execPath}' '${resolve(PROGRAM)}' "$@"\n`;
  await chmod(await folder.write('bin/entitygate', program), 0o755);
  address = await gateway.serving;
});
afterAll(async () => {
  gateway.child.kill();
  await gateway.ended;
  await folder.remove();
});

/** What a command prints. */
function output(command: string): Promise<string> {
  const PATH = [`${folder.path}/bin`, process.env['PATH']].join(delimiter);
  const options = { env: { ...process.env, PATH }, cwd: folder.path, timeout: 60_000 };
  return new Promise((done) => {
    const replaced = command.replaceAll(SAMPLE, address);
    execFile(
      'sh',
      ['-c', `curl() { command curl -sS "$@"; }\n${replaced}`],
      options,
      (_, stdout, stderr) =>
        done((stdout + stderr).replaceAll(new URL(address).host, '127.0.0.1:8080')),
    );
  });
}

/** The pages of a folder, in the order in which they are run: some change the sample. */
async function pagesOf(folder: string): Promise<string[]> {
  const names = await readdir(`docs/${folder}`);
  return names.filter((name) => name.endsWith('.md')).map((name) => `docs/${folder}/${name}`);
}
const pages = [
  ...(await pagesOf('reference')),
  'README.md',
  ...(await pagesOf('how-to')),
  ...(await pagesOf('guide')),
];

const hasCurl = spawnSync('curl', ['--version']).status === 0;
if (!hasCurl) console.warn('The requests of the documents are not run: there is no curl.');

const runnable = pages
  .map((page) => ({
    page,
    examples: examplesOf(page).filter(
      ({ command }) => !elsewhere.some((needed) => needed.test(command)),
    ),
  }))
  .filter(({ examples }) => examples.length > 0);

describe.skipIf(!hasCurl).each(runnable)('$page', ({ examples }) => {
  test.each(examples)('line $line: $command', async ({ command, shown }) => {
    const printed = await output(command);
    if (shown === null) return;
    const sides = compared(printed, shown);
    expect(sides.actual).toEqual(sides.shown);
  });
});
