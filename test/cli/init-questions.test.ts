import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  askForDatabase,
  askForFolder,
  askForSignIn,
  askForTables,
  confirm,
  serverUrl,
} from '../../src/cli/init-questions.ts';
import { rulesSchema } from '../../src/cli/init/rules.ts';
import { sharedFolder } from '../config/files.ts';
import { startOpenIdProvider } from '../integration/sign-in/provider.ts';
import { schemaOf, table } from './init/tables.ts';
import { person, terminal } from './person.ts';
import { commandIo, run } from './run.ts';
import { parsed, rows } from '../rows.ts';

test.each(rows`
  postgres  | h:5433          | p@/w:% | {} | postgres://Ada%20B:p%40%2Fw%3A%25@h:5433
  postgres  | [::1]           | ${''}  | {} | postgres://Ada%20B@[::1]
  postgres  | h:5433/my erp   | ${''}  | {} | postgres://Ada%20B@h:5433/my%20erp
  sqlserver | h, 1434         | p      | {} | mssql://Ada%20B:p@h:1434
  sqlserver | h\\SQLEXPRESS/erp | p    | {encrypt: 'false'} | mssql://Ada%20B:p@h/erp?encrypt=false&instanceName=SQLEXPRESS
`)('on %s, %s with %j and %o has the URL %s', (engine, server, password, parameters, url) => {
  const given = { engine: engine as 'postgres' | 'sqlserver', server, user: 'Ada B', password };
  expect(serverUrl({ ...given, parameters: parsed(parameters) })).toBe(url);
});

describe('tables', () => {
  const one = schemaOf(
    ...['dbo.ORD_HDR', 'dbo.ORD_LOG', 'dbo.EMP'].map((name) => table(name, ['ID int'])),
  );
  const two = schemaOf(...['HR.EMP', 'SALES.ORD'].map((name) => table(name, ['ID int'])));
  const tables = (kept: string) => `Tables to map: names or globs such as ORD_* [${kept}]: `;
  const exclude = (kept: string) => `Tables to leave out [${kept}]: `;

  test.each(rows`
    Enter maps all                               | {} | ['', ''] | {} | all | none
    globs choose some                            | {} | ['ord_*, EMP,', '*_LOG'] | {tables: ['ord_*', EMP], exclude: ['*_LOG']} | all | none
    Enter keeps the options of the command line  | {tables: ['ORD_*', EMP], exclude: ['*_LOG']} | ['', ''] | {tables: ['ORD_*', EMP], exclude: ['*_LOG']} | ORD_*, EMP | *_LOG
    all and none override them                   | {tables: [EMP], exclude: ['*_LOG']} | [all, none] | {} | EMP | *_LOG
    schemas are asked for where there are several | {} | [HR, '', ''] | {schemas: [HR]} | all | none | Schemas to map, of HR, SALES [all]:
  `)('%s', async (_, given, answers, chosen, kept, left, ...before) => {
    const input = person(parsed<string[]>(answers));
    const schema = before.length === 0 ? one : two;
    const rules = await askForTables(
      rulesSchema.parse(parsed(given)),
      schema,
      commandIo({ input }),
    );
    expect(rules).toEqual(rulesSchema.parse(parsed(chosen)));
    const first = before.map((text) => `${text} `);
    expect(input.asked).toEqual([...first, tables(kept), exclude(left)]);
  });

  test.each([
    [['', '*', '', '*_LOG'], { exclude: ['*_LOG'] }, 'the choice leaves no table or view'],
    [
      ['EPM', '', 'EMP', ''],
      { tables: ['EMP'] },
      'EPM matches no table or view. Did you mean EMP?',
    ],
  ])('after %j it is asked for again', async (answers, chosen, said) => {
    const input = person(answers);
    let error = '';
    const io = commandIo({ input, error: (text) => (error += text) });
    expect(await askForTables(rulesSchema.parse({}), one, io)).toEqual(rulesSchema.parse(chosen));
    expect(error).toBe(`Tables to map: ${said}\n\n`);
    expect(input.asked).toEqual([tables('all'), exclude('none'), tables('all'), exclude('none')]);
  });
});

test('a provider is tried, and asked for again where it cannot be one', async () => {
  const provider = await startOpenIdProvider();
  provider.register([], { clientAuthMethods: ['client_secret_basic'] });
  onTestFinished(() => provider.close());
  const { issuer } = provider;
  const place = 'Identity provider where people sign in (https://…) [none]: ';
  const [nevertheless, client] = [
    'Take it nevertheless (yes or no) [no]: ',
    'Client ID [entitygate]: ',
  ];
  const asking = async (...answers: readonly string[]): Promise<unknown[]> => {
    let error = '';
    const input = person(answers);
    const io = commandIo({ input, error: (text) => (error += text) });
    return [await askForSignIn(io), input.asked, error];
  };
  const [wrong, none] = [
    'This is not an address of a provider: expected https://… as it names itself.\n',
    `${issuer}/a/.well-known/openid-configuration answers 404 without the configuration of an identity provider: correct the address\n`,
  ];
  expect(await asking('')).toEqual([null, [place], '']);
  expect(await asking('login', issuer, '')).toEqual([
    { issuer, clientId: 'entitygate' },
    [place, place, client],
    wrong,
  ]);
  expect(await asking(`${issuer}/a`, '', `${issuer}/a`, 'yes', 'erp')).toEqual([
    { issuer: `${issuer}/a`, clientId: 'erp' },
    [place, nevertheless, place, nevertheless, client],
    none + none,
  ]);
});

test('Enter and yes agree to what will be written', async () => {
  for (const answer of ['', 'Y', 'yes', 'n', 'no', 'what?']) {
    const isAgreed = !/^[nw]/.test(answer);
    let error = '';
    const io = commandIo({ input: person([answer]), error: (text) => (error += text) });
    expect([answer, await confirm(io, 'Write these files?')]).toEqual([answer, isAgreed]);
    expect(error).toBe(isAgreed ? '\n' : '\nNothing was written.\n');
  }
});

describe('in a folder', async () => {
  const { path: folder, write } = await sharedFolder();
  await write('config.yaml', '');

  test('a file, or a folder in use, is asked for again', async () => {
    let error = '';
    const file = join(folder, 'config.yaml');
    const input = person([folder, file, join(folder, 'new')]);
    const io = commandIo({ input, error: (text) => (error += text) });
    expect(await askForFolder(io)).toBe(join(folder, 'new'));
    expect(error).toBe(
      `${folder} holds the files of another gateway already.\n${file} is a file, not a folder.\n`,
    );
    expect(await askForFolder(commandIo({ input: person(['']) }))).toBe('gateway');
  });

  // Nothing listens at port 1.
  test.each([
    ['postgres', ['3', ''], [], 'postgres://ada:***@127.0.0.1:1/postgres'],
    ['sqlserver', ['2'], ['no'], '127.0.0.1'],
  ])(
    'a server of %s that is away is asked for again, and leaving leaves no files',
    async (engine, chosen, encryption, named) => {
      const password = 'geheim-1';
      for (const last of [[], ['\u0003']]) {
        const input = terminal([
          ...[...chosen, '127.0.0.1:1', 'ada', password, ...encryption],
          ...['', '', password, ...encryption, ...last],
        ]);
        const out = join(folder, engine);
        const ended = await run(['init', '--out', out], {}, true, input);
        expect([ended.code, ended.out]).toEqual([1, '']);
        const said = ended.error;
        expect(said.split(`at ${named}`).length - 1).toBe(2);
        expect(said.split('cannot be used').length - 1).toBe(2);
        expect(said).toMatch(/\n {2}cancelled; nothing was written\n$/);
        expect(input.shown).toContain(
          'Server, server:port or server:port/database [127.0.0.1:1]: ',
        );
        expect(input.shown).toContain('Login [ada]: ');
        expect(input.shown + ended.error).not.toContain(password);
        expect(await readdir(folder)).toEqual(['config.yaml']);
        if (engine === 'postgres') expect(said).toContain('3 is not in the list.\n');
      }
    },
  );
});

describe('whether a connection is encrypted', () => {
  const asking = async (...answers: readonly string[]): Promise<[string[], string]> => {
    let error = '';
    const input = person(answers);
    const io = commandIo({ input, error: (text) => (error += text) });
    await expect(askForDatabase(io)).rejects.toThrow('cancelled; nothing was written');
    return [input.asked, error];
  };
  const refused = (url: string, address: string): string =>
    `PostgreSQL at ${url} cannot be used: connect ECONNREFUSED ${address}. Nothing listens there: start the server, or correct host and port.`;

  test('is asked of a PostgreSQL server elsewhere', async () => {
    const [asked, error] = await asking('postgres', '0.0.0.0:1/erp', 'ada', 'pw', 'unchecked');
    expect(asked.slice(0, 6)).toEqual([
      'Number or name [postgres]: ',
      ...['Server, server:port or server:port/database [localhost]: ', 'Login [postgres]: '],
      ...['Password: ', 'Number or name [yes]: '],
      'Server, server:port or server:port/database [0.0.0.0:1/erp]: ',
    ]);
    expect(error).toContain(
      refused('postgres://ada:***@0.0.0.0:1/erp?sslmode=no-verify', '0.0.0.0:1'),
    );
  });

  test.each([
    ['127.0.0.1:1/erp', '127.0.0.1:1'],
    ['[::1]:1/erp', '::1:1'],
  ])('is not asked of one on this machine: %s', async (server, address) => {
    const [asked, error] = await asking('postgres', server, 'ada', 'pw');
    expect(asked).toHaveLength(5);
    expect(error).toContain(refused(`postgres://ada:***@${server}`, address));
  });
});
