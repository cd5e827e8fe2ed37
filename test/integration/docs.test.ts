import { execFile, spawnSync } from 'node:child_process';
import { chmod, copyFile, readdir } from 'node:fs/promises';
import { delimiter, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testFolder, type TestFolder } from '../config/files.ts';
import { compared, examplesOf, type Example } from '../docs/examples.ts';
import { PROGRAM, runGateway, SHORT_LIVED, type GatewayProcess } from './gateway-process.ts';

/**
 * Runs the commands of the documents in a shell, in the order in which a reader would, against the sample that `npm start` serves, and compares what they
 * print with what the documents show.
 */
const SAMPLE = 'http://127.0.0.1:8080';

/** The answer to commands that ask for a password. */
const PASSWORD = 'correct horse battery';

/** Commands that are not run here, by what they begin with, each with the reason. */
const notRun: Readonly<Record<string, string>> = {
  'npm ci && npm start': 'installs packages, and serves the sample as this test does',
  'npm ci && npm test': 'installs packages, and runs this test',
  "node dist/main.js init --database 'mssql://reader:secret@db.example.com":
    'first-hour.test.ts runs it on a server',
  'npm install @opentelemetry/sdk-node':
    'installs packages; traces.test.ts serves with a module of that kind',
  'npx @modelcontextprotocol/inspector': 'downloads a package; mcp.test.ts is another client',
  'npx openapi-typescript': 'downloads a package; test/contract checks the document',
  'docker run': 'needs a container runtime',
  'docker build': 'needs a container runtime',
  kubectl: 'needs a cluster; test/docs/kubernetes.test.ts reads the manifests',
  "curl -H 'api-key: egk_": 'needs the entry of the key; first-hour.test.ts sends one',
  'curl -u ada': 'asks for a password at a terminal; test/access/auth sends one',
  'curl -H "Authorization: Bearer $TOKEN"':
    'needs an identity provider; test/access/auth plays one',
  "curl -i -X POST 'http://localhost:8080/rest/$directory/login'":
    'needs a user; login.cases logs in',
  "curl -g 'http://127.0.0.1:8080/rest/Employee/$entityset/<id>":
    'needs the id of a set; the conformance cases of §4.6 send one',
  'npm run torture': 'takes three minutes; test/tools is not run by tests',
  'entitygate init --database': 'init-server.test.ts and first-hour.test.ts run it on a server',
  'entitygate init --out gateway\n':
    'needs the files of init; init.test.ts runs init again, and check',
  'entitygate init --out gateway --suggest-words': 'needs the files of init; test/cli/init renames',
  'entitygate schema --config gateway': 'needs the files of init; init.test.ts runs it',
};

let folder: TestFolder;
let gateway: GatewayProcess;
let address: string;

/** The sample, on a port of its own. */
const config = (path: string): string => `
application: Legacy ERP
server: { port: 0 }
database: { engine: pglite, directory: ${path}/data, seed: ${resolve('sample.sql.gz')} }
mappings: ${resolve('mappings')}
ignoreCase: true
mcp: { enabled: true }
`;
const READER = "{ dataclasses: { '*': { read: true } } }";
const ROLES = `roles: { clerk: ${READER}, sales: ${READER} }\n`;

beforeAll(async () => {
  folder = await testFolder();
  gateway = runGateway([
    'serve',
    '--config',
    await folder.write('config.yaml', config(folder.path)),
  ]);
  const program = `#!/bin/sh\nexec '${process.execPath}' ${SHORT_LIVED} '${resolve(PROGRAM)}' "$@"\n`;
  await chmod(await folder.write('bin/entitygate', program), 0o755);
  address = await gateway.serving;
});
afterAll(async () => {
  gateway.child.kill();
  await gateway.ended;
  await folder.remove();
});

/** What a command prints. @throws Error where it fails, though the document shows no answer of it that could tell */
function output(command: string, cwd: string, mayFail: boolean): Promise<string> {
  const PATH = [`${folder.path}/bin`, process.env['PATH']].join(delimiter);
  const options = { env: { ...process.env, PATH }, cwd, timeout: 60_000 };
  const script = `set -e\ncurl() { command curl -sS "$@"; }\n${command.replaceAll(SAMPLE, address)}`;
  return new Promise((done, failed) => {
    const child = execFile('sh', ['-c', script], options, (error, stdout, stderr) => {
      const printed = stdout === '' ? stderr : stdout;
      if (error !== null && !mayFail) failed(new Error(printed, { cause: error }));
      else done(printed.replaceAll(new URL(address).host, '127.0.0.1:8080'));
    });
    child.stdin?.end(`${PASSWORD}\n`);
  });
}

/** Keys are random, a stamp that is the number of a transaction depends on what $changes had to write, and what asks for a password shows that on a terminal only. */
function withoutChance(text: string): string {
  return text
    .replace(/egk_[\w-]{48}|sha256:[0-9a-f]{64}/g, '…')
    .replace(/("__STAMP": ?)7\d\d\b/g, '$10')
    .replace(/^(?:Password for \w+|The same again):\n/gm, '');
}

/** The pages of a folder, in the order in which they are run: some change the sample. */
async function pagesOf(folder: string): Promise<string[]> {
  const names = await readdir(`docs/${folder}`);
  return names.filter((name) => name.endsWith('.md')).map((name) => `docs/${folder}/${name}`);
}
const pages = [
  'README.md',
  ...(await pagesOf('how-to')),
  ...(await pagesOf('reference')),
  // first-hour.test.ts walks through the other guide.
  'docs/guide/explorer.md',
];

const begins = Object.keys(notRun);
const isRun = ({ command }: Example): boolean => !begins.some((begin) => command.startsWith(begin));
const commands = pages.flatMap((page) => examplesOf(page).map(({ command }) => command));
test.each(begins)('a document has the command that is not run: %s', (begin) => {
  expect(commands.some((command) => command.startsWith(begin))).toBe(true);
});

const hasCurl = spawnSync('curl', ['--version']).status === 0;
if (!hasCurl) console.warn('The requests of the documents are not run: there is no curl.');

const pagesToRun = pages.filter((page) => examplesOf(page).some(isRun));
describe.skipIf(!hasCurl).each(pagesToRun)('%s', (page) => {
  // What commands write for one page is not there for the next.
  const own = page.replaceAll('/', '-');
  beforeAll(async () => {
    await folder.write(`${own}/config.yaml`, `${config(folder.path)}${ROLES}`);
    await copyFile('schema.json', `${folder.path}/${own}/schema.json`);
  });
  test.each(examplesOf(page).filter(isRun))('line $line: $command', async ({ command, shown }) => {
    const printed = await output(command, `${folder.path}/${own}`, shown !== null);
    if (shown === null) return;
    const sides = compared(withoutChance(printed), {
      ...shown,
      text: withoutChance(shown.text),
    });
    expect(sides.actual).toEqual(sides.shown);
  });
});
