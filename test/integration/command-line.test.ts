import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { run } from '../cli/run.ts';
import { sharedFolder } from '../config/files.ts';
import { PROGRAM, runGateway } from './gateway-process.ts';
import { rows } from '../rows.ts';

/** What the command line answers with nothing to serve: one readable message, and an exit code. */
const folder = await sharedFolder();
beforeAll(async () => {
  await folder.write('mappings/t.yaml', 'table: public.t');
  await folder.write('seed.sql', 'create table t (id int primary key);');
});

/** What `serve` says when it cannot start, and how it ends. */
async function refusal(config: string): Promise<{ code: number; lines: string[] }> {
  const path = await folder.write('config.yaml', config);
  const { code, error } = await run(['serve', '--config', path]);
  return { code, lines: error.replaceAll(`${folder.path}/`, '').trimEnd().split('\n') };
}

const cannot = 'entitygate cannot start:';
const reached = (host: string): string =>
  `other machines reach ${host}, and would read and write what the mapping files expose without saying who they are. ` +
  `Configure authentication, as ${resolve('docs/how-to/security.md')} shows, or listen on 127.0.0.1. Where something else decides who reaches the port, ` +
  'say so by server.allowUnauthenticated: true (also ENTITYGATE_ALLOW_UNAUTHENTICATED=true)';
const database = (settings: string): string => `database:\n  engine: pglite\n  ${settings}\n`;

describe('the program', () => {
  test('ends with the exit code of what it was asked for', async () => {
    const version = await runGateway(['--version']).ended;
    expect(version).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      stderr: '',
    });
    const wrong = await runGateway(['serv']).ended;
    expect(wrong).toEqual({
      code: 2,
      stdout: '',
      stderr: 'Unknown command serv. Did you mean serve? See "entitygate --help".\n',
    });
    const failed = await runGateway(['serve', '--config', `${folder.path}/none.yaml`]).ended;
    expect(failed).toEqual({
      code: 1,
      stdout: '',
      stderr: `${cannot}\n  ${folder.path}/none.yaml: there is no such file; "entitygate init" writes one, and --config names another\n`,
    });
  });
});

describe('what a command prints', () => {
  test('may be read in part, as by head', async () => {
    const { child, ended } = runGateway(['schema', '--help']);
    child.stdout?.destroy();
    const { code, stderr } = await ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  test.skipIf(!existsSync('/dev/full'))('is not lost in silence', () => {
    const shell = spawnSync(
      'sh',
      ['-c', `'${process.execPath}' ${PROGRAM} schema --help > /dev/full`],
      { encoding: 'utf8' },
    );
    expect([shell.status, shell.stderr]).toEqual([
      1,
      'The output cannot be written: ENOSPC: no space left on device, write\n',
    ]);
  });
});

const hasTerminal = spawnSync('script', ['--version']).status === 0;
test.skipIf(!hasTerminal)('the log of serve is text on a terminal', async () => {
  const config = await folder.write(
    'first.yaml',
    `server: { port: 0 }\n${database('directory: "memory:"\n  seed: seed.sql')}`,
  );
  const line = `exec ${process.execPath} ${PROGRAM} serve --config ${config}`;
  const child = spawn('script', ['-q', '-e', '-f', '/dev/null', '-c', line], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString('utf8');
    // The line of the server comes last. script passes the signal on.
    if (said.includes('Server listening at')) child.kill();
  });
  await once(child, 'close');
  for (const fill of ['Filling the new database with ', 'The database is filled, after ']) {
    expect(said).toMatch(new RegExp(`^\\d{4}-\\d\\d-\\d\\dT[\\d:.]{12}Z INFO {2}${fill}`, 'm'));
  }
  expect(said).not.toMatch(/^\{/m);
});

describe('entitygate serve cannot start', () => {
  const inMemory = database('directory: "memory:"');
  const seeded = database('directory: "memory:"\n  seed: seed.sql');

  test.each(rows`
    with a setting that is none        | ignorCase: true | config.yaml:1:1: unknown setting "ignorCase". Did you mean ignoreCase?
    without mapping files              | mappings: none  | config.yaml:1:11: none: there is no such folder
    with a seed that is not there      | ${database('directory: data\n  seed: none.sql')} | config.yaml:4:9: none.sql: there is no such file
    in a folder of something else      | ${database('directory: mappings')}
      | config.yaml:3:14: mappings holds other files and no embedded database: name another folder
    in a folder that is a file         | ${database('directory: seed.sql')} | config.yaml:3:14: seed.sql is a file, not a folder
    without an address that is its own | server: { host: 192.0.2.1, allowUnauthenticated: true }\n${seeded}
      | config.yaml:1:17: 192.0.2.1 is not an address of this machine; choose one with --host
    where other machines reach it and nobody has to log in | server: { host: 0.0.0.0 }\n${seeded} | config.yaml:1:17: ${reached('0.0.0.0')}
    without the files of TLS           | server: { tls: { certificate: no.crt, key: no.key } }\n${inMemory}
      | config.yaml:1:31: no.crt: there is no such file | config.yaml:1:44: no.key: there is no such file
    below a file                       | ${database('directory: seed.sql/data')} | config.yaml:3:14: seed.sql/data is a file, not a folder
    with an empty database             | ${inMemory} | config.yaml:1:1: the database is empty, or the login may not read anything in it
  `)('%s', async (_title, config, ...lines) => {
    const told = lines.map((line) => `  ${line}`);
    expect(await refusal(config)).toEqual({ code: 1, lines: [cannot, ...told] });
  });

  test('with a script that is wrong, and leaves nothing behind', async () => {
    await folder.write('bad.sql', 'create table t (id int);\ninsert into u values (1);');
    const found = await refusal(database('directory: broken/data\n  seed: bad.sql'));
    expect(found).toEqual({
      code: 1,
      lines: [cannot, '  config.yaml:4:9: bad.sql:2: relation "u" does not exist'],
    });
  });

  test('with a damaged database', async () => {
    await folder.write('damaged/PG_VERSION', '17\n');
    const { code, lines } = await refusal(database('directory: damaged'));
    expect({ code, lines }).toEqual({
      code: 1,
      lines: [
        cannot,
        expect.stringMatching(
          /^ {2}config\.yaml:3:14: the embedded database in damaged does not start; its files may be damaged\. /,
        ),
      ],
    });
  });

  test('on a port that is taken, and ends', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    const config = database('directory: "memory:"\n  seed: seed.sql');
    const path = await folder.write('config.yaml', config);
    const { ended } = runGateway(['serve', '--config', path], { ENTITYGATE_PORT: String(port) });
    expect(await ended).toMatchObject({
      code: 1,
      stderr: `${cannot}\n  ENTITYGATE_PORT: port ${port} on 127.0.0.1 is in use by another program; choose one with --port\n`,
    });
    other.close();
  });

  test('without a PostgreSQL server, and keeps the password to itself', async () => {
    const url = 'postgres://user:s3cret@127.0.0.1:1/name';
    const config = `database: { engine: postgres, url: ${url}, startupWaitSeconds: 5 }\n`;
    const path = await folder.write('config.yaml', config);
    const { code, stdout, stderr } = await runGateway(['serve', '--config', path], {
      ENTITYGATE_DATABASE_URL: url,
    }).ended;
    const [first = ''] = stdout.split('\n');
    expect(JSON.parse(first)).toMatchObject({
      level: 40,
      msg: expect.stringMatching(
        /^waiting for PostgreSQL at postgres:\/\/user:\*\*\*@127\.0\.0\.1:1\/name: connect ECONNREFUSED 127\.0\.0\.1:1 \(\d s of 5 s\)$/,
      ) as unknown,
    });
    expect([code, stderr]).toEqual([
      1,
      `${cannot}\n  ENTITYGATE_DATABASE_URL: PostgreSQL at postgres://user:***@127.0.0.1:1/name cannot be used: connect ECONNREFUSED 127.0.0.1:1. Nothing listens there: start the server, or correct host and port.\n`,
    ]);
  });
});
