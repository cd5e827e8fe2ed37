import { z } from 'zod';
import { nearestNames } from '../base/names.ts';
import { authenticationSchema } from './settings/authentication.ts';
import {
  flag,
  integer,
  matching,
  optionalFlag,
  reporting,
  seconds,
  text,
} from './settings/fields.ts';
import { proxyProblems, proxySetting } from './settings/proxy.ts';
import { rolesSetting } from './settings/roles.ts';
import { LONGEST_CONNECTION } from './settings/connection-string.ts';
import {
  auditSetting,
  corsSettings,
  imageSettings,
  limitSettings,
  port,
  serverSettings,
} from './settings/server.ts';
import { missingLogin, sqlServerAuthentication } from './settings/sqlserver-authentication.ts';
import { tellPostgres, tellSqlServer } from './settings/session-context.ts';

const pgliteDatabase = z.strictObject({
  engine: z.literal('pglite'),
  directory: z
    .string()
    .default('.data/pglite')
    .describe('Where the embedded database keeps its files, or "memory:" to keep none.'),
  seed: z
    .string()
    .optional()
    .describe('An SQL script (.sql or .sql.gz) that fills the database when it is first made.'),
  statementTimeoutSeconds: seconds(86_400)
    .default(30)
    .describe(
      'How long a statement may take where the database is kept in a folder; who waits for their turn waits ten seconds more.',
    ),
  tellUser: tellPostgres,
});

const startupWaitSeconds = z
  .number()
  .nonnegative()
  .max(86_400)
  .default(30)
  .describe('How long the start waits for a server that does not answer yet.');

const lockTimeoutSeconds = seconds(86_400)
  .default(10)
  .describe('How long a statement waits for another transaction’s lock; then error 9021.');

const connection = z.string().min(1).max(LONGEST_CONNECTION);

const poolSize = integer(1, 1000).default(8).describe('Connections to the database at most.');

const postgresDatabase = z.strictObject({
  engine: z.literal('postgres'),
  url: connection
    .refine(
      isPostgresUrl,
      'is not a PostgreSQL URL: expected postgres://user:password@host:5432/database, ' +
        'with % / ? # [ ] @ and : in the password written as %25 %2F %3F %23 %5B %5D %40 and %3A',
    )
    .describe('postgres://user:password@host:5432/database'),
  poolSize,
  statementTimeoutSeconds: seconds(86_400).default(30),
  lockTimeoutSeconds,
  preparedStatements: flag(true).describe(
    'Whether the server keeps statements parsed for each connection; false behind a pooler that lends connections for single transactions and does not know them.',
  ),
  connectTimeoutSeconds: seconds(600).default(5),
  startupWaitSeconds,
  tellUser: tellPostgres,
});

const sqlServerDatabase = z
  .strictObject({
    engine: z.literal('sqlserver'),
    url: connection
      .optional()
      .describe(
        'mssql://user:password@host:1433/database?encrypt=true, or a connection string: ' +
          'Server=host,1433;Database=…;User Id=…;Password=…;Encrypt=true',
      ),
    host: text.optional().describe('Instead of url: the server’s name or address.'),
    port: port.optional().describe('1433 where it is left out, unless an instance is named.'),
    instance: text.optional().describe('A named instance; its port is asked for.'),
    database: text.optional(),
    user: text.optional(),
    password: z.string().optional(),
    encrypt: z
      .union([z.boolean(), z.literal('strict')])
      .optional()
      .describe(
        'Encrypt the connection; true where it is left out. strict is TDS 8.0, encrypted from the first byte.',
      ),
    trustServerCertificate: optionalFlag.describe(
      'Accept any certificate; false where it is left out.',
    ),
    hostNameInCertificate: text
      .optional()
      .describe('The name that the certificate is for, where it is not that of the host.'),
    readOnlyIntent: optionalFlag.describe(
      'ApplicationIntent=ReadOnly: an availability group answers reads from a readable replica. ' +
        'What writes takes connections of its own, without it.',
    ),
    authentication: sqlServerAuthentication
      .optional()
      .describe('Windows (NTLM) or Microsoft Entra authentication in place of a SQL login.'),
    poolSize,
    statementTimeoutSeconds: seconds(86_400).default(30),
    lockTimeoutSeconds,
    connectTimeoutSeconds: seconds(600).default(15),
    startupWaitSeconds,
    tellUser: tellSqlServer,
  })
  .refine(({ url, host }) => (url === undefined) !== (host === undefined), {
    message: 'says where the server is: either by url or by host, with database, user and password',
  })
  .superRefine(reporting(missingLogin));

const settings = z.strictObject({
  application: text
    .default('Entitygate')
    .describe('The application name that the catalog answers as __NAME.'),
  server: serverSettings.prefault({}),
  limits: limitSettings.prefault({}),
  cors: corsSettings
    .optional()
    .describe(
      'Which web pages may call the gateway from another origin; none where it is left out.',
    ),
  database: z
    .discriminatedUnion('engine', [pgliteDatabase, postgresDatabase, sqlServerDatabase])
    .prefault({ engine: 'pglite' }),
  mappings: z.string().default('mappings').describe('The folder of the mapping files.'),
  log: z
    .strictObject({
      level: z
        .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
        .default('info')
        .describe('debug adds every SQL statement, without its values.'),
    })
    .prefault({}),
  ignoreCase: flag(false).describe(
    'Text comparisons of $filter fold case in the gateway, whatever the columns’ collations say. ' +
      'An index on the plain column then serves them only where a collation of SQL Server’s ignores case already.',
  ),
  readOnly: flag(false).describe(
    'Nothing is created, updated or deleted, whatever the mapping files say.',
  ),
  requireStamp: flag(true).describe(
    'An update has to send the __STAMP that the entity was read with, unless it is $atomic. Without it, ' +
      'of two clients that save the same entity the later one wins unnoticed.',
  ),
  compatibility: z
    .strictObject({
      deleteByGet: flag(false).describe(
        'GET with $method=delete deletes, as older clients send it. Links, crawlers and caches send GET, too.',
      ),
      overrideStamp: flag(false).describe(
        'A negative __STAMP overwrites whatever is there, also where requireStamp is true.',
      ),
    })
    .prefault({}),
  nullsMatchNotEqual: flag(false).describe(
    'attribute != value also returns the entities whose attribute is null.',
  ),
  timeZone: z
    .string()
    .default('UTC')
    .refine(isTimeZone, {
      error: ({ input }) => `is not an IANA time zone such as Europe/Paris.${similarZone(input)}`,
    })
    .describe('The time zone in which the database writes date-times that carry no offset.'),
  simpleDates: flag(false).describe(
    'Dates without time are answered as d!m!yyyy, and are simpleDate in the catalog: for older clients of the protocol, ' +
      'which read them in no other form. A mapping file can say otherwise for an attribute.',
  ),
  bigNumbersAsStrings: flag(false).describe(
    'Integers past 2^53 and decimals past 15 digits are answered as JSON strings.',
  ),
  stampBits: z
    .union([z.literal(53), z.literal(31)])
    .default(53)
    .describe('31 for clients that hold __STAMP in 32 bits.'),
  stampSecret: z
    .string()
    .min(16)
    .optional()
    .describe(
      'The secret behind stamps that are hashes of rows and the ids of entity sets, the same for all instances. Where it is left out, it is made of ' +
        'the user, the password (or clientSecret) and the database’s name that the gateway logs in with.',
    ),
  entitySets: z
    .strictObject({
      maxBytes: integer(1_048_576, 17_179_869_184)
        .default(268_435_456)
        .describe('How much memory all entity sets take; those not accessed for longest go first.'),
      maxSetBytes: integer(65_536, 4_294_967_296)
        .default(67_108_864)
        .describe('How much memory one entity set takes; one that would take more is refused.'),
      maxPerSession: integer(1, 1_000_000)
        .default(1000)
        .describe('How many entity sets a session keeps; those not accessed for longest go first.'),
    })
    .refine(({ maxBytes, maxSetBytes }) => maxSetBytes <= maxBytes, {
      path: ['maxSetBytes'],
      message: 'is more than entitySets.maxBytes, which is what all sets may take',
    })
    .prefault({}),
  images: imageSettings.prefault({}),
  queryPlans: z
    .enum(['none', 'api', 'sql'])
    .default('api')
    .describe(
      'What $queryplan and $querypath tell: nothing, the query in the names of the API, or, to those who see everything, also its SQL and ' +
        'what the engine expects to do.',
    ),
  sessions: z
    .strictObject({
      timeoutSeconds: integer(1, 604_800)
        .default(3600)
        .describe('How long a session lives without a request; its locks are given up with it.'),
      max: integer(1, 10_000_000)
        .default(100_000)
        .describe('How many sessions there are at once; more are refused.'),
      cookie: matching(
        /^[\w!#$%&'*+.^`|~-]+$/,
        'is not a name of a cookie: expected letters, digits, - and _',
      )
        .default('ENTITYGATE_SID')
        .describe('The cookie that names a session.'),
      header: matching(
        /^[a-z][a-z\d-]*$/i,
        'is not a name of a header: expected letters, digits and -',
      )
        .default('Entitygate-Session')
        .describe('The header that names a session, for clients that keep no cookies.'),
    })
    .prefault({}),
  locks: flag(true).describe(
    'Entities can be locked by $lock, here and in the database, and what others have locked cannot be written.',
  ),
  authentication: authenticationSchema
    .optional()
    .describe('Who may send requests, and how they identify themselves. Left out, everybody may.'),
  roles: rolesSetting,
  audit: auditSetting,
  proxy: proxySetting,
  sqlFunctions: z
    .array(
      matching(
        /^[^\s.()]+(\.[^\s.()]+)*$/,
        'is not a name of a function: expected a name such as fnAge or dbo.fnAge',
      ),
    )
    .default([])
    .describe(
      'Functions that calculated attributes may call besides those that are known to be harmless.',
    ),
  planCacheSize: integer(1, 1_000_000)
    .default(1000)
    .describe('How many request shapes keep their plan and SQL text.'),
});

/** `config.yaml`. Every setting has a default, those of a database server aside. */
export const configSchema = settings
  .refine(({ server, limits }) => (limits.maxUrlBytes ?? 0) <= server.maxHeaderBytes, {
    path: ['limits', 'maxUrlBytes'],
    message: 'is more than server.maxHeaderBytes, which is what URL and headers may have together',
  })
  .superRefine(reporting(proxyProblems));

/** What `config.yaml` holds once it is validated and every default is filled in. */
export type Settings = z.output<typeof configSchema>;

/** The validated configuration; its paths are absolute. */
export type Config = Settings & {
  /** Where a setting (`database.seed`) was made: `config.yaml:7:9`, an option, or an environment variable. */
  readonly locate: (setting: string) => string;
};

/** The embedded database's part of the configuration. */
export type PgliteConfig = Extract<Config['database'], { engine: 'pglite' }>;

/** A PostgreSQL server's part of the configuration. */
export type PostgresConfig = Extract<Config['database'], { engine: 'postgres' }>;

/** A SQL Server's part of the configuration. */
export type SqlServerConfig = Extract<Config['database'], { engine: 'sqlserver' }>;

/** Whether the driver can parse a URL, and messages can hide its password: one with a raw `@`, or in the query, they would show. */
function isPostgresUrl(text: string): boolean {
  try {
    const url = new URL(text);
    decodeURIComponent(url.username + url.password + url.pathname);
    return (
      /^postgres(?:ql)?:\/\/[^/?#@]*(?:@[^/?#@]*)?\/[^/?#]/.test(text) &&
      !url.searchParams.has('password')
    );
  } catch {
    return false;
  }
}

/** Offsets such as +02:00 are refused: PostgreSQL would invert their sign. */
function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return /^[A-Za-z]/.test(name);
  } catch {
    return false;
  }
}

function similarZone(name: unknown): string {
  const similar = nearestNames(String(name), Intl.supportedValuesOf('timeZone'));
  return similar.length === 0 ? '' : ` Did you mean ${similar.join(', ')}?`;
}
