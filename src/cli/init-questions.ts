import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StartupError } from '../base/errors.ts';
import { displayPath } from '../config/document/text-file.ts';
import { checkOverride, type DatabaseOverride, type DatabaseSetting } from '../config/load.ts';
import type { PhysicalSchema } from '../schema/types.ts';
import { isLoopback } from '../config/settings/listening.ts';
import { oidcSetting } from '../config/settings/oidc.ts';
import { configOfDatabase, databasesOf, readTables } from './databases.ts';
import { type SignInPlace, withDatabase } from './init/config-text.ts';
import { choiceProblems } from './init/choice.ts';
import type { Rules } from './init/rules.ts';
import { type CommandIo, withProgress } from './io.ts';
import type { LiveSchema } from './schema.ts';

type Engine = Exclude<DatabaseSetting['engine'], 'pglite'>;

const ENGINES: readonly Engine[] = ['postgres', 'sqlserver'];

const ENCRYPTIONS = ['yes', 'unchecked', 'no'] as const;

type Encryption = (typeof ENCRYPTIONS)[number];

/** The parameters of a URL for each way to encrypt the connection. */
const ENCRYPTION: Readonly<Record<Engine, Record<Encryption, Record<string, string>>>> = {
  postgres: { yes: { sslmode: 'verify-full' }, unchecked: { sslmode: 'no-verify' }, no: {} },
  sqlserver: { yes: {}, unchecked: { trustServerCertificate: 'true' }, no: { encrypt: 'false' } },
};

/** Asks for the server, the login and the database, until tables can be read. @throws StartupError where the person cancels */
export async function askForDatabase(
  io: CommandIo,
): Promise<{ readonly setting: DatabaseOverride; readonly live: LiveSchema }> {
  const engine = await choose(io, 'Engine', ENGINES);
  let server = 'localhost';
  let user = engine === 'postgres' ? 'postgres' : 'sa';
  let encryption: Encryption = 'yes';
  for (;;) {
    server = await ask(io, 'Server, server:port or server:port/database', server);
    user = await ask(io, 'Login', user);
    const password = await io.input.readSecret('Password: ');
    // Most PostgreSQL servers on this machine do not encrypt, and have nobody in between.
    const isLocal = engine === 'postgres' && (await isLoopback(hostOf(server)));
    if (!isLocal) {
      const question = 'Encrypt the connection ("unchecked" accepts any certificate)';
      encryption = await choose(io, question, ENCRYPTIONS, encryption);
    }
    const parameters = ENCRYPTION[engine][isLocal ? 'no' : encryption];
    const url = serverUrl({ engine, server, user, password, parameters });
    try {
      const onServer = { name: 'database', database: { engine, url } };
      const names = await databasesOf(onServer, io);
      const named = names === null ? url : withDatabase(url, await choose(io, 'Database', names));
      const setting = { ...onServer, database: { engine, url: named } };
      checkOverride(setting);
      return { setting, live: await readTables(configOfDatabase(setting), io) };
    } catch (error) {
      if (!(error instanceof StartupError) || error.problems[0]?.where !== 'database') throw error;
      io.error(`${error.message}\n\n`);
    }
  }
}

/** The host of `host:5432/database`. */
function hostOf(server: string): string {
  const [name = '', ipv6] = /^\[([^\]]*)\]|^[^/:,]*/.exec(server) ?? [];
  return ipv6 ?? name;
}

interface ServerAnswers {
  readonly engine: Engine;
  readonly server: string;
  readonly user: string;
  readonly password: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Makes the URL of a server, whose name may be written as SQL Server's tools do, `host,1433` or `host\INSTANCE`, with a database after a slash. */
export function serverUrl({ engine, server, user, password, parameters }: ServerAnswers): string {
  const slash = server.indexOf('/');
  const [address, path] =
    slash === -1
      ? [server, '']
      : [server.slice(0, slash), `/${encodeURIComponent(server.slice(slash + 1))}`];
  const [host = '', instance] = address.replace(/,\s*(\d+)$/, ':$1').split('\\', 2);
  const given = new URLSearchParams({
    ...parameters,
    ...(instance === undefined ? {} : { instanceName: instance }),
  });
  const scheme = engine === 'postgres' ? 'postgres' : 'mssql';
  const secret = password === '' ? '' : `:${encodeURIComponent(password)}`;
  const query = given.size === 0 ? '' : `?${given.toString()}`;
  return `${scheme}://${encodeURIComponent(user)}${secret}@${host}${path}${query}`;
}

/** Asks for a folder that holds no configuration yet. */
export async function askForFolder(io: CommandIo): Promise<string> {
  for (;;) {
    const folder = await ask(io, 'Folder for the files', 'gateway');
    if (existsSync(folder) && !statSync(folder).isDirectory()) {
      io.error(`${displayPath(folder)} is a file, not a folder.\n`);
    } else if (existsSync(join(folder, 'config.yaml'))) {
      io.error(`${displayPath(folder)} holds the files of another gateway already.\n`);
    } else return folder;
  }
}

/** Asks which schemas and tables are mapped, until each name is one of the database. @param rules the choice that Enter keeps */
export async function askForTables(
  rules: Rules,
  schema: PhysicalSchema,
  io: CommandIo,
): Promise<Rules> {
  const schemas = [...new Set(schema.tables.map((table) => table.schema))];
  const list = async (
    question: string,
    kept: readonly string[],
    none: string,
  ): Promise<string[]> => {
    const answer = await ask(io, question, kept.length === 0 ? none : kept.join(', '));
    return answer === none ? [] : answer.split(',').flatMap((name) => name.trim() || []);
  };
  const questions = {
    schemas: `Schemas to map, of ${schemas.join(', ')}`,
    tables: 'Tables to map: names or globs such as ORD_*',
    exclude: 'Tables to leave out',
  };
  for (;;) {
    const chosen = {
      ...rules,
      schemas:
        schemas.length < 2 ? rules.schemas : await list(questions.schemas, rules.schemas, 'all'),
      tables: await list(questions.tables, rules.tables, 'all'),
      exclude: await list(questions.exclude, rules.exclude, 'none'),
    };
    const problems = choiceProblems(chosen, schema);
    if (problems.length === 0) return chosen;
    for (const { rule, message } of problems) {
      const [question] = questions[rule].split(/[:,]/);
      io.error(`${question}: ${message}\n`);
    }
    io.error('\n');
  }
}

/** Asks where people sign in, and tries the provider. @returns null where they do not, as on Enter */
export async function askForSignIn(io: CommandIo): Promise<SignInPlace | null> {
  for (;;) {
    const question = 'Identity provider where people sign in (https://…)';
    const issuer = await ask(io, question, 'none');
    if (issuer === 'none') return null;
    // Its name and secret do not matter yet, but that it will have a secret.
    const { data: settings } = oidcSetting.safeParse({ issuer, clientId: '-', clientSecret: '-' });
    if (settings === undefined) {
      io.error('This is not an address of a provider: expected https://… as it names itself.\n');
      continue;
    }
    const { checkIssuer } = await import('../access/auth/check-provider.ts');
    const { problems } = await withProgress(io, 'Asking the provider', () => checkIssuer(settings));
    for (const problem of problems) io.error(`${problem}\n`);
    const isTaken = problems.length === 0 || (await isAgreed(io, 'Take it nevertheless', 'no'));
    if (isTaken) return { issuer, clientId: await ask(io, 'Client ID', 'entitygate') };
  }
}

/** Asks whether files are written; on Enter, they are. */
export async function confirm(io: CommandIo, question: string): Promise<boolean> {
  io.error('\n');
  const isWanted = await isAgreed(io, question, 'yes');
  if (!isWanted) io.error('Nothing was written.\n');
  return isWanted;
}

async function isAgreed(io: CommandIo, question: string, otherwise: string): Promise<boolean> {
  return /^(?:y|yes)$/i.test(await ask(io, `${question} (yes or no)`, otherwise));
}

async function ask(io: CommandIo, question: string, otherwise: string): Promise<string> {
  const answer = await io.input.readLine(`${question} [${otherwise}]: `);
  return answer === '' ? otherwise : answer;
}

/** Asks for one of several names, by itself or by its number. @param otherwise the one that Enter chooses */
async function choose<Name extends string>(
  io: CommandIo,
  question: string,
  names: readonly Name[],
  otherwise = names[0],
): Promise<Name> {
  if (otherwise === undefined) {
    throw StartupError.at(
      'database',
      'the server lists no database that the login may open; name it after the server, and a slash',
    );
  }
  io.error(`${question}:\n${names.map((name, index) => `  ${index + 1}  ${name}\n`).join('')}`);
  for (;;) {
    const answer = await ask(io, 'Number or name', otherwise);
    const chosen = names.find((name) => name === answer) ?? names[Number(answer) - 1];
    if (chosen !== undefined) return chosen;
    io.error(`${answer} is not in the list.\n`);
  }
}
