import { z } from 'zod';
import { nameHint, nearestNames } from '../../base/names.ts';
import {
  fieldsOf,
  isConnectionString,
  loginProblem,
  LONGEST_CONNECTION,
} from './connection-string.ts';
import {
  flag,
  integer,
  optionalFlag,
  reporting,
  seconds,
  type SettingProblem,
  text,
} from './fields.ts';
import { port } from './server.ts';
import { tellPostgres, tellSqlServer } from './session-context.ts';

const pglite = z.strictObject({
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
      'How long a statement may take, if the database is in a folder; those that wait for it wait ten seconds more.',
    ),
  tellUser: tellPostgres,
});

const startupWaitSeconds = z
  .number()
  .nonnegative()
  .max(86_400)
  .default(30)
  .describe('How long the start waits for a server that does not answer yet.');

const schemaTimeoutSeconds = seconds(86_400)
  .default(600)
  .describe('How long each statement may run that reads the schema, at the start and at a reload.');

const lockTimeoutSeconds = seconds(86_400)
  .default(10)
  .describe('How long a statement waits for another transaction’s lock; then error 9021.');

const connection = z.string().min(1).max(LONGEST_CONNECTION);

const statementTimeout = seconds(86_400)
  .default(30)
  .describe('How long a statement may run; then error 9003.');
const connectTimeout = (value: number) =>
  seconds(600)
    .default(value)
    .describe('How long a request waits for a connection; then error 9002 or 9070.');
const poolSize = integer(1, 1000).default(8).describe('Connections to the database at most.');

const postgres = z.strictObject({
  engine: z.literal('postgres'),
  url: connection
    .superRefine((url, context) => {
      const problem = postgresUrlProblem(url);
      if (problem !== null) context.addIssue({ code: 'custom', message: problem });
    })
    .describe('postgres://user:password@host:5432/database'),
  poolSize,
  statementTimeoutSeconds: statementTimeout,
  lockTimeoutSeconds,
  preparedStatements: flag(true).describe(
    'Keep statements parsed in each connection; false behind a pooler that lends connections for single transactions.',
  ),
  connectTimeoutSeconds: connectTimeout(5),
  startupWaitSeconds,
  schemaTimeoutSeconds,
  tellUser: tellPostgres,
});

/** The settings that each way to log in needs, and those it may have. */
const LOGINS = {
  default: { needs: [], takes: [] },
  ntlm: { needs: ['domain'], takes: [] },
  'azure-active-directory-default': { needs: [], takes: ['clientId'] },
  'azure-active-directory-password': { needs: ['clientId'], takes: ['tenantId'] },
  'azure-active-directory-access-token': { needs: ['token'], takes: [] },
  'azure-active-directory-msi-vm': { needs: [], takes: ['clientId'] },
  'azure-active-directory-msi-app-service': { needs: [], takes: ['clientId'] },
  'azure-active-directory-service-principal-secret': {
    needs: ['clientId', 'clientSecret', 'tenantId'],
    takes: [],
  },
} as const satisfies Record<string, { needs: readonly string[]; takes: readonly string[] }>;

const types = Object.keys(LOGINS) as (keyof typeof LOGINS)[];

/** The ways to log in that need a user and a password as well, beside them or in the URL. */
const OF_USERS: readonly string[] = ['default', 'ntlm', 'azure-active-directory-password'];

interface Login {
  readonly url?: string | undefined;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly authentication?: { readonly type: string } | undefined;
}

/** Reports a missing user or password of a way to log in that needs them. */
function* missingLogin(database: Login): Generator<SettingProblem> {
  const { url = '', authentication } = database;
  if (authentication === undefined || !OF_USERS.includes(authentication.type)) return;
  for (const name of ['user', 'password'] as const) {
    if (database[name] !== undefined || saysLogin(url, name)) continue;
    yield { path: [name], message: `${authentication.type} needs it, here or in the url` };
  }
}

function saysLogin(url: string, name: 'user' | 'password'): boolean {
  if (isConnectionString(url)) {
    const names = { user: ['user id', 'uid', 'user'], password: ['password', 'pwd'] }[name];
    return names.some((one) => fieldsOf(url).has(one));
  }
  const [, user = '', password = ''] = /^[a-z]+:\/\/([^:@/]*)(?::([^@]*))?@/i.exec(url) ?? [];
  return { user, password }[name] !== '';
}

/** How the gateway logs in to a SQL Server, as the driver offers it. */
const sqlServerAuthentication = z
  .strictObject({
    type: z.enum(types).describe('How the gateway logs in, if not by a SQL login.'),
    domain: text.optional().describe('The Windows domain, for ntlm.'),
    clientId: text.optional().describe('The id of the application or managed identity.'),
    clientSecret: text.optional().describe('The secret of the application.'),
    tenantId: text.optional().describe('The id of the directory.'),
    token: text.optional().describe('An access token; it is not renewed.'),
  })
  .superRefine(
    reporting(function* ({ type, ...given }) {
      const { needs, takes } = LOGINS[type];
      const known: readonly string[] = [...needs, ...takes];
      for (const name of needs) {
        if (!(name in given)) yield { path: [name], message: `${type} needs it` };
      }
      for (const name of Object.keys(given)) {
        if (!known.includes(name)) yield { path: [name], message: `${type} has no use for it` };
      }
    }),
  );

const sqlServer = z
  .strictObject({
    engine: z.literal('sqlserver'),
    url: connection
      .optional()
      .describe(
        'mssql://user:password@host:1433/database?encrypt=true, or a connection string: ' +
          'Server=host,1433;Database=…;User Id=…;Password=…;Encrypt=true',
      ),
    host: text.optional().describe('Instead of url: the server’s name or address.'),
    port: port.optional().describe('The port; 1433 if neither it nor an instance is given.'),
    instance: text
      .optional()
      .describe('A named instance; the server’s browser service tells its port.'),
    database: text.optional().describe('The name of the database.'),
    user: text.optional().describe('The login.'),
    password: z
      .string()
      .optional()
      .describe('Its password: ${ENV:NAME} or ${FILE:path} keep it out of the file.'),
    encrypt: z
      .union([z.boolean(), z.literal('strict')])
      .optional()
      .describe('Encrypt the connection. Default: true. strict is TDS 8.0.'),
    trustServerCertificate: optionalFlag.describe(
      'Accept any certificate; false where it is left out.',
    ),
    hostNameInCertificate: text
      .optional()
      .describe('The name in the certificate, if it is not that of the host.'),
    readOnlyIntent: optionalFlag.describe(
      'ApplicationIntent=ReadOnly: an availability group answers reads from a readable replica. ' +
        'What writes takes connections of its own, without it.',
    ),
    authentication: sqlServerAuthentication
      .optional()
      .describe('Windows (NTLM) or Microsoft Entra authentication in place of a SQL login.'),
    poolSize,
    statementTimeoutSeconds: statementTimeout,
    lockTimeoutSeconds,
    connectTimeoutSeconds: connectTimeout(15),
    startupWaitSeconds,
    schemaTimeoutSeconds,
    tellUser: tellSqlServer,
  })
  .refine(({ url, host }) => (url === undefined) !== (host === undefined), {
    message: 'says where the server is: either by url or by host, with database, user and password',
  })
  .superRefine(reporting(missingLogin));

/** `database:` of `config.yaml`. */
export const databaseSettings = z.discriminatedUnion('engine', [pglite, postgres, sqlServer]);

export type DatabaseSettings = z.output<typeof databaseSettings>;

/** The parameters of a URL that decide on encryption, with their values; null for any. The driver ignores what is misspelt, and connects in plain text. */
const PARAMETERS = new Map<string, readonly string[] | null>([
  ['sslmode', ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full']],
  ['ssl', ['true', '1', '0']],
  ['sslrootcert', null],
  ['sslcert', null],
  ['sslkey', null],
  ['sslnegotiation', ['postgres', 'direct']],
  ['uselibpqcompat', ['true', 'false']],
]);

/** Says what is wrong with a PostgreSQL URL; null where nothing is. */
export function postgresUrlProblem(text: string): string | null {
  const login = loginProblem(text);
  if (login !== null) return login;
  const url = parsed(text);
  if (url === null) {
    return (
      'is not a PostgreSQL URL: expected postgres://user:password@host:5432/database, ' +
      'with % / ? # [ ] @ and : in names and password written as %25 %2F %3F %23 %5B %5D %40 and %3A'
    );
  }
  const known = [...PARAMETERS.keys()];
  for (const [name, value] of url.searchParams) {
    const values = PARAMETERS.get(name);
    if (values === undefined && nearestNames(name, known).length > 0) {
      return `there is no parameter ${name}.${nameHint(name, known)}`;
    }
    if (values?.includes(value) === false) {
      return `${name} is one of ${values.join(', ')}, not ${JSON.stringify(value)}`;
    }
  }
  return null;
}

/** @returns null where the driver cannot parse it, for a raw `#` in the name, which would end it, and for a raw `@` or a password in the query, which messages would show */
function parsed(text: string): URL | null {
  try {
    const url = new URL(text);
    decodeURIComponent(url.username + url.password + url.pathname);
    const isWhole = /^postgres(?:ql)?:\/\/[^/?#@]*(?:@[^/?#@]*)?\/[^/?#][^?#]*(?:\?|$)/.test(text);
    return isWhole && !url.searchParams.has('password') ? url : null;
  } catch {
    return null;
  }
}
