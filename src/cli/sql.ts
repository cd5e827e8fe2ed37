import { errorTable, ProtocolError } from '../base/errors.ts';
import type { Config } from '../config/config.ts';
import { type MappingFile } from '../config/mapping.ts';
import { buildModel } from '../model/build.ts';
import type { SchemaSnapshot } from '../schema/snapshot.ts';
import { translateSchema } from '../schema/translate.ts';
import type { Dialect, DialectSettings } from '../sql/dialect.ts';
import { postgresDialect } from '../sql/postgres/dialect.ts';
import { tsqlDialect } from '../sql/tsql/dialect.ts';
import { checkRestriction } from '../run/convert/bind.ts';
import { defineCommand, UsageError } from './command.ts';
import { claimsOf, grantOptions, seenBy } from './grants.ts';
import { modelOptions, modelUsage, onSchemaOf, readModelSources } from './schema.ts';
import { type RequestStatement, requestStatements } from './statements.ts';

const usage = `Usage: entitygate sql URL [options]

Prints the SQL statements of a GET, with their parameters, without running them. For functions, it takes
the parameters from $params, also for those that need POST.

  entitygate sql '/rest/Employee?$filter="lastName begin D"&$top=10'
  entitygate sql '/rest/Employee(126)/raise?$params=[10]'

Options:${modelUsage}
  --dialect NAME      tsql or postgres (default: that of the database)
  --role NAME         print those of users with this role; repeat it for more roles
  --claim NAME=VALUE  a claim of theirs, for the filters of roles; repeat it for more claims,
                      or for a list of values
  --help              show this text
`;

export const sqlCommand = defineCommand({
  name: 'sql',
  usage,
  options: {
    ...modelOptions,
    dialect: { type: 'string' },
    ...grantOptions,
  },
  argument: 'URL, the path and query of a request',
  run: async ({ values, positionals }, io) => {
    const wanted = dialectName(values.dialect);
    const { config, mappings, snapshot, file } = await readModelSources(values, io);
    const { dataclasses, functions } = mappings;
    const own = ownDialect(config, snapshot);
    const name = wanted ?? own;
    const whole = await onSchemaOf(file, (schemaFile) => {
      const settings = { ...config, dialect: name, schemaFile };
      return name === own
        ? buildModel(dataclasses, snapshot.schema, settings, checkRestriction, functions)
        : buildModel(
            dataclasses.map(forAnotherEngine),
            translateSchema(snapshot.schema, name),
            settings,
            checkRestriction,
          );
    });
    const dialect = makeDialect(name, config, snapshot, own);
    const claims = new Map(Object.entries(claimsOf(values.claim ?? [])));
    if (claims.size > 0 && values.role === undefined) {
      throw new UsageError('--claim is for the filters of roles: name one by --role');
    }
    const model = seenBy(values.role ?? [], whole, config, dialect, claims);
    try {
      const url = positionals[0] ?? '';
      const statements = await requestStatements(url, model, config, dialect, claims);
      io.out(
        statements.length === 0
          ? '-- No statements: the answer comes from the model, or from entity sets in memory.\n'
          : statements
              .map((statement) => statementText(statement, name === 'tsql' ? '@p' : '$'))
              .join('\n'),
      );
      return 0;
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      const { code, status } = errorTable[error.errorName];
      io.error(`${error.message}\n(error ${code}, HTTP status ${status})\n`);
      return 1;
    }
  },
});

/** The release of PostgreSQL that SQL is printed for, where a snapshot does not name its own. */
const POSTGRES_VERSION = 17;

function dialectName(option: string | undefined): Dialect['name'] | null {
  if (option === undefined) return null;
  if (option === 'tsql' || option === 'postgres') return option;
  throw new UsageError(`--dialect ${option} is unknown: expected tsql or postgres`);
}

/** The dialect of the schema of a snapshot. */
export function dialectOf(config: Config, snapshot: SchemaSnapshot): Dialect {
  const own = ownDialect(config, snapshot);
  return makeDialect(own, config, snapshot, own);
}

function ownDialect(
  { database }: Pick<Config, 'database'>,
  { dialect }: SchemaSnapshot,
): Dialect['name'] {
  return dialect ?? (database.engine === 'sqlserver' ? 'tsql' : 'postgres');
}

function makeDialect(
  name: Dialect['name'],
  settings: DialectSettings,
  { version }: SchemaSnapshot,
  own: Dialect['name'],
): Dialect {
  if (name === 'tsql') return tsqlDialect(settings);
  const found = own === 'postgres' ? /PostgreSQL (\d+)/.exec(version ?? '')?.[1] : undefined;
  return postgresDialect(settings, { version: Number(found ?? POSTGRES_VERSION) });
}

/** Removes what only one engine has: its own stamps, which are derived anew, and functions. */
function forAnotherEngine(source: MappingFile): MappingFile {
  const { stamp, ...mapping } = { ...source.mapping, functions: {} };
  const isEngines = stamp === 'xmin' || (typeof stamp === 'object' && 'rowversion' in stamp);
  return {
    ...source,
    mapping: isEngines || stamp === undefined ? mapping : { ...mapping, stamp },
  };
}

/** Prints a statement: a line for each clause, and each parameter in a comment. */
function statementText({ role, text, parameters }: RequestStatement, sign: '@p' | '$'): string {
  const comments = parameters.map((given, index) => `-- ${sign}${index + 1} = ${given}\n`);
  return `-- ${role}\n${inLines(text)};\n${comments.join('')}`;
}

/** Breaks lines before clauses, but not within quoted names and constants. */
function inLines(text: string): string {
  return text.replace(
    /"(?:[^"]|"")*"|'(?:[^']|'')*'|(?<!LEFT|k\.o) (?=(?:FROM|LEFT JOIN|JOIN|WHERE|ORDER BY|LIMIT|OFFSET) )/g,
    (match) => (match === ' ' ? '\n' : match),
  );
}
