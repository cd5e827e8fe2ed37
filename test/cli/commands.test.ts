import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commands } from '../../src/cli/commands.ts';
import { sharedFolder } from '../config/files.ts';
import { run } from './run.ts';
import { parsed, rows } from '../rows.ts';
import { startTdsEndpoint } from '../database/sqlserver/tds-endpoint.ts';
import { apiKeyHash, isApiKey } from '../../src/access/auth/api-keys.ts';
import { loadConfig } from '../../src/config/load.ts';

const folder = await sharedFolder();

describe.each(commands.map(({ name }) => name))('%s', (name) => {
  test('shows how it is used', async () => {
    const { code, out } = await run([name, '--help']);
    expect(code).toBe(0);
    expect(out).toContain(`Usage: entitygate ${name}`);
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(110);
  });

  test('refuses an option that it does not know, with exit code 2', async () => {
    expect(await run([name, '--hlep'])).toEqual({
      code: 2,
      out: '',
      error: expect.stringMatching(
        new RegExp(`^Unknown option --hlep\\. .* See "entitygate ${name} --help"\\.\\n$`),
      ),
    });
  });

  test('refuses a second argument', async () => {
    expect((await run([name, 'one', 'two'])).code).toBe(2);
  });
});

test('help and README list every command', async () => {
  const names = commands.map(({ name }) => name);
  const { out } = await run(['--help']);
  expect(out.split('\n').length).toBeLessThanOrEqual(24);
  expect([...out.matchAll(/^ {2}entitygate (\w+)/gm)].map(([, name]) => name)).toEqual(names);
  const [, listed = ''] =
    /\[Commands\]\(docs\/reference\/commands\.md\): (.*)\./.exec(
      await readFile('README.md', 'utf8'),
    ) ?? [];
  expect(listed.split(', ')).toEqual(names.map((name) => `\`${name}\``));
});

describe('a line that names no command', () => {
  test.each(rows`
    [--port, '1']             | Name the command first: entitygate serve --port.
    [--config, c.yaml, check] | Name the command first: entitygate check --config.
    [chekc]                   | Unknown command chekc. Did you mean check?
    [chekc, --strict]         | Unknown command chekc. Did you mean check?
    [--versoin]               | Unknown option --versoin. Did you mean --version?
    [start]                   | Unknown command start. Known: serve, init, check, schema, openapi, sql, types, key, user.
  `)('%j', async (args, message) => {
    expect(await run(parsed(args))).toEqual({
      code: 2,
      out: '',
      error: `${message} See "entitygate --help".\n`,
    });
  });

  test.each([
    [['--help'], 0],
    [['-h'], 0],
    [['nonsense', '--help'], 0],
    [[], 2],
  ])('%j shows the help, and ends with %d', async (args, code) => {
    const { out } = await run(['--help']);
    const said = code === 0 ? { out, error: '' } : { out: '', error: out };
    expect(await run(args)).toEqual({ code, ...said });
    expect(out).toMatch(/^Usage: entitygate COMMAND/);
  });
});

describe('init', () => {
  const NAME = 'add the name of the database; those of the server cannot be listed: ';

  test.each(rows`
    [] | add --database URL: there is no /no/such/config.yaml that names a database
    [--out, package.json] | --out: package.json is a file, not a folder
    [--database, 'pglite:/no/such'] | --database: there is no folder /no/such
    [] | ENTITYGATE_DATABASE_URL: there is no folder /no/such | pglite:/no/such
    [] | ENTITYGATE_DATABASE_URL: ${NAME} | postgres://h/
    [--database, 'mssql://127.0.0.1:1']
      | --database: ${NAME}SQL Server at 127.0.0.1:1/master cannot be used: connect ECONNREFUSED 127.0.0.1:1. Nothing listens there:
    [--database, 'postgres://u:p@w@h/d'] | --database: user and password of a URL have to be percent-encoded: write @ as %40\n
    [--database, 'mssql://u:p#w@h/d'] | --database: user and password of a URL have to be percent-encoded: write # as %23\n
  `)('%j says what is wrong: %s', async (args, message, url = '') => {
    const given = ['init', '--out', '/no/such', ...parsed<string[]>(args)];
    const { code, error } = await run(given, { ENTITYGATE_DATABASE_URL: url });
    expect([code, error]).toEqual([1, expect.stringContaining(`init:\n  ${message}`)]);
  });

  test.each(rows`
    [--case, kamel] | --case: expected camel, pascal, snake or keep
    [--word, EMP]   | --word: expected NAME=TEXT, found "EMP"
    [--strip, '']   | --strip: is empty
  `)('%j is a wrong command line', async (args, message) => {
    const given = ['init', '--database', 'postgres://h/d', '--out', '/no/such'];
    const { code, error } = await run([...given, ...parsed<string[]>(args)]);
    expect([code, error]).toEqual([2, `${message}. See "entitygate init --help".\n`]);
  });

  test('says of a folder of mapping files that is none', async () => {
    const own = await folder.write(
      'init/config.yaml',
      'database: { engine: postgres, url: "postgres://h/d" }\n',
    );
    await folder.write('init/mappings', '');
    expect(await run(['init', '--out', dirname(own)])).toEqual({
      code: 1,
      out: '',
      error: `entitygate init:\n  ${dirname(own)}/mappings: is a file, not a folder\n`,
    });
  });
});

/** What `check` says of a database without tables, whose reads are snapshots or not. */
async function checked(isSnapshot: boolean): Promise<string> {
  const endpoint = await startTdsEndpoint(
    () => ({ kind: 'rows', values: [] }),
    () => [],
    () => null,
    { kind: 'mixed', values: [15, 130, isSnapshot] },
  );
  try {
    await folder.write(
      'config.yaml',
      `database:\n  engine: sqlserver\n  url: mssql://sa:secret@127.0.0.1:${endpoint.port}/legacy?encrypt=false\nmappings: mappings\n`,
    );
    await folder.write('mappings/thing.yaml', 'table: dbo.THING\n');
    const { out } = await run(['check', '--config', `${folder.path}/config.yaml`]);
    return out.replaceAll(folder.path, '');
  } finally {
    await endpoint.close();
  }
}

test('check recommends snapshots for reads where they are off (learn: sys-databases-transact-sql)', async () => {
  const error =
    'error: /config.yaml:1:1: the database is empty, or the login may not read anything in it\n' +
    'error: /mappings/thing.yaml:1:8: the database has no table dbo.THING that its user may read.\n';
  const count = '2 errors, 0 notes.\n';
  expect(await checked(true)).toBe(error + count);
  expect(await checked(false)).toBe(
    `${error}advice: is_read_committed_snapshot_on is 0: reads wait for writes, and writes for reads. ` +
      `ALTER DATABASE CURRENT SET READ_COMMITTED_SNAPSHOT ON lets neither wait for the other\n${count}`,
  );
});

const NO_ROLE =
  '\nThe key has no role. Where config.yaml has roles, it may do nothing: add --role.\n';

/** The key that a command printed, and what it printed around it. */
async function made(...options: readonly string[]): Promise<{ key: string; text: string }> {
  const { code, out, error } = await run(['key', ...options]);
  expect([code, error]).toEqual([0, options.includes('--role') ? '' : NO_ROLE]);
  const [, key = ''] = /^ {2}(egk_.*)$/m.exec(out) ?? [];
  const text = out.replaceAll(key, 'KEY').replaceAll(apiKeyHash(key), 'HASH');
  return { key, text };
}

test('a key, and the entry that knows it', async () => {
  const { key, text } = await made('reporting');
  expect(isApiKey(key)).toBe(true);
  expect(text).toBe(
    'The key, shown only once:\n\n  KEY\n\nIts entry in config.yaml:\n\n' +
      '  authentication:\n    apiKeys:\n      - name: reporting\n        hash: sha256:HASH\n        roles: []\n',
  );
});

test('with all that an entry may say, it is what the configuration reads', async () => {
  const { key, text } = await made(
    'night: "job"',
    ...['--role', 'reader', '--role', 'a, b'],
    ...['--claim', 'région=North', '--claim', 'x=1', '--claim', 'x=a=b', '--claim', 'e='],
    ...['--expires', '2027-01-31'],
  );
  expect(text).toContain(`        roles: [ reader, 'a, b' ]
        claims: { région: North, x: [ '1', a=b ], e: '' }
        expires: 2027-01-31
`);
  const [, entry = ''] = text.split('config.yaml:\n');
  const path = await folder.write('config.yaml', entry.replace('HASH', apiKeyHash(key)));
  expect((await loadConfig(path, {})).authentication).toEqual({
    apiKeys: [
      {
        name: 'night: "job"',
        hash: `sha256:${apiKeyHash(key)}`,
        roles: ['reader', 'a, b'],
        claims: { région: 'North', x: ['1', 'a=b'], e: '' },
        expires: '2027-01-31',
      },
    ],
  });
});

test.each(rows`
  []                         | Missing argument: NAME, the name of the client
  ['']                       | NAME: is empty
  [\n  a\n\n    b\n]         | NAME: holds a control character
  [a, --role, '']            | --role: is empty
  [a, --claim, region]       | --claim region: expected a name and a value, as region=North
  [a, --claim, =x]           | --claim =x: expected a name and a value, as region=North
  [a, --claim, user=b]       | --claim: is reserved for the user’s name
  [a, --claim, a b=c]        | --claim: is not a name of a claim, as filters name them: expected letters, digits and _ . : / -
  [a, --expires, 2027-02-30] | --expires: is not a date such as 2027-01-31 or 2027-01-31T18:00:00Z
`)('%j is a wrong command line', async (args, message) => {
  expect(await run(['key', ...parsed<string[]>(args)])).toEqual({
    code: 2,
    out: '',
    error: `${message}. See "entitygate key --help".\n`,
  });
});
