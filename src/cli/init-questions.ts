import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StartupError } from '../base/errors.ts';
import { displayPath } from '../config/document/text-file.ts';
import { checkOverride, type DatabaseOverride, type DatabaseSetting } from '../config/load.ts';
import type { PhysicalSchema } from '../schema/types.ts';
import { databasesOf } from './databases.ts';
import { withDatabase } from './init/config-text.ts';
import { choiceProblems } from './init/choice.ts';
import type { Rules } from './init/rules.ts';
import type { CommandIo } from './io.ts';

type Engine = Exclude<DatabaseSetting['engine'], 'pglite'>;

const ENGINES: readonly Engine[] = ['postgres', 'sqlserver'];

/** The parameters of a SQL Server's URL for each way to encrypt the connection. */
const ENCRYPTION = {
  yes: {},
  unchecked: { trustServerCertificate: 'true' },
  no: { encrypt: 'false' },
} as const;

/** Asks for the server, the login and the database, until the database can be opened. @throws StartupError where the person cancels */
export async function askForDatabase(io: CommandIo): Promise<DatabaseOverride> {
  const engine = await choose(io, 'Engine', ENGINES);
  let server = 'localhost';
  let user = engine === 'postgres' ? 'postgres' : 'sa';
  for (;;) {
    server = await ask(io, 'Server, with its port where it is not the usual one', server);
    user = await ask(io, 'Login', user);
    const password = await io.input.readSecret('Password: ');
    const parameters =
      engine === 'postgres'
        ? {}
        : ENCRYPTION[
            await choose(
              io,
              'Encrypt the connection (unchecked: with any certificate)',
              Object.keys(ENCRYPTION) as (keyof typeof ENCRYPTION)[],
            )
          ];
    const url = serverUrl({ engine, server, user, password, parameters });
    try {
      const onServer = { name: 'database', database: { engine, url } };
      const name = await choose(io, 'Database', (await databasesOf(onServer, io)) ?? []);
      const found = { ...onServer, database: { engine, url: withDatabase(url, name) } };
      checkOverride(found);
      return found;
    } catch (error) {
      if (!(error instanceof StartupError) || error.problems[0]?.where !== 'database') throw error;
      io.error(`${error.message}\n\n`);
    }
  }
}

interface ServerAnswers {
  readonly engine: Engine;
  readonly server: string;
  readonly user: string;
  readonly password: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Makes the URL of a server, whose name may be written as SQL Server's tools do: `host,1433`, `host\INSTANCE`. */
export function serverUrl({ engine, server, user, password, parameters }: ServerAnswers): string {
  const [host = '', instance] = server.replace(/,\s*(\d+)$/, ':$1').split('\\', 2);
  const given = new URLSearchParams({
    ...parameters,
    ...(instance === undefined ? {} : { instanceName: instance }),
  });
  const scheme = engine === 'postgres' ? 'postgres' : 'mssql';
  const secret = password === '' ? '' : `:${encodeURIComponent(password)}`;
  const query = given.size === 0 ? '' : `?${given.toString()}`;
  return `${scheme}://${encodeURIComponent(user)}${secret}@${host}${query}`;
}

/** Asks for a folder that holds no configuration yet. */
export async function askForFolder(io: CommandIo): Promise<string> {
  for (;;) {
    const folder = await ask(io, 'Folder for the files', 'gateway');
    if (!existsSync(join(folder, 'config.yaml'))) return folder;
    io.error(`${displayPath(folder)} holds the files of another gateway already.\n`);
  }
}

/** Asks which schemas and tables are mapped, until each name is one of the database. */
export async function askForTables(
  rules: Rules,
  schema: PhysicalSchema,
  io: CommandIo,
): Promise<Rules> {
  const schemas = [...new Set(schema.tables.map((table) => table.schema))];
  const list = async (question: string, otherwise: string): Promise<string[]> => {
    const answer = await ask(io, question, otherwise);
    return answer === otherwise ? [] : answer.split(',').flatMap((name) => name.trim() || []);
  };
  for (;;) {
    const chosen = {
      ...rules,
      schemas:
        schemas.length < 2 ? [] : await list(`Schemas to map, of ${schemas.join(', ')}`, 'all'),
      tables: await list('Tables to map: names or globs such as ORD_*', 'all'),
      exclude: await list('Tables to leave out', 'none'),
    };
    const problems = choiceProblems(chosen, schema);
    if (problems.length === 0) return chosen;
    for (const { message } of problems) io.error(`${message}\n`);
  }
}

/** Asks whether to go on; on Enter, yes. */
export async function confirm(io: CommandIo, question: string): Promise<boolean> {
  return /^(?:y|yes)$/i.test(await ask(io, `${question} (yes or no)`, 'yes'));
}

async function ask(io: CommandIo, question: string, otherwise: string): Promise<string> {
  const answer = await io.input.readLine(`${question} [${otherwise}]: `);
  return answer === '' ? otherwise : answer;
}

/** Asks for one of several names, by itself or by its number. */
async function choose<Name extends string>(
  io: CommandIo,
  question: string,
  names: readonly Name[],
): Promise<Name> {
  const [first] = names;
  if (first === undefined) {
    throw StartupError.at('database', 'the server has no database that the login may open');
  }
  io.error(`${question}:\n${names.map((name, index) => `  ${index + 1}  ${name}\n`).join('')}`);
  for (;;) {
    const answer = await ask(io, 'Number or name', first);
    const chosen = names.find((name) => name === answer) ?? names[Number(answer) - 1];
    if (chosen !== undefined) return chosen;
  }
}
