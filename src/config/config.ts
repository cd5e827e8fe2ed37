import { z } from 'zod';
import { nearestNames } from '../base/names.ts';
import { authenticationSchema } from './settings/authentication.ts';
import { flag, integer, matching, reporting, seconds, text } from './settings/fields.ts';
import { mcpProblems, mcpSettings } from './settings/mcp.ts';
import { metricsProblems, metricsSetting } from './settings/metrics.ts';
import { oidcProblems } from './settings/oidc.ts';
import { proxyProblems, proxySetting } from './settings/proxy.ts';
import { rolesSetting } from './settings/roles.ts';
import { databaseSettings } from './settings/database.ts';
import { stateProblems, stateSetting, workersProblems } from './settings/state.ts';
import {
  auditSetting,
  corsSettings,
  explorerSettings,
  imageSettings,
  limitSettings,
  serverSettings,
} from './settings/server.ts';

const settings = z.strictObject({
  application: text
    .default('Entitygate')
    .describe('The name in the catalog (__NAME). The uuids of the catalog are derived from it.'),
  server: serverSettings.prefault({}),
  explorer: explorerSettings.prefault({}),
  limits: limitSettings.prefault({}),
  cors: corsSettings
    .optional()
    .describe(
      'Which web pages may call the gateway from another origin; none where it is left out.',
    ),
  database: databaseSettings.prefault({ engine: 'pglite' }),
  state: stateSetting,
  mappings: z.string().default('mappings').describe('The folder of the mapping files.'),
  reports: z
    .string()
    .optional()
    .describe(
      'The folder of the report files. Default: the folder reports beside config.yaml, if there is one.',
    ),
  log: z
    .strictObject({
      level: z
        .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
        .default('info')
        .describe(
          'The least level that is logged; debug adds every SQL statement, without values.',
        ),
      format: z
        .enum(['pretty', 'json'])
        .optional()
        .describe(
          'pretty is text for people, json one object a line. Default: pretty on a terminal, else json.',
        ),
      slowRequestMs: integer(1, 3_600_000)
        .optional()
        .describe(
          'Log requests that take at least this many milliseconds, with statements and query plan.',
        ),
    })
    .prefault({}),
  ignoreCase: flag(false).describe(
    'Text comparisons of $filter ignore case, whatever the collations say. ' +
      'Indexes on plain columns then only serve if a collation of SQL Server ignores case already.',
  ),
  readOnly: flag(false).describe(
    'Nothing is created, updated or deleted, whatever the mapping files say.',
  ),
  requireStamp: flag(true).describe(
    'Updates need the __STAMP that the entity was read with, unless they are $atomic. If false, ' +
      'the last of two saves wins unnoticed.',
  ),
  compatibility: z
    .strictObject({
      deleteByGet: flag(false).describe(
        'GET with $method=delete deletes, as older clients send it. Links, crawlers and caches also send GET.',
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
    'Answer dates without time as d!m!yyyy (simpleDate in the catalog), for older clients of the protocol. ' +
      'Mapping files can differ for an attribute.',
  ),
  bigNumbersAsStrings: flag(false).describe(
    'The gateway answers integers past 2^53 and decimals past 15 digits as JSON strings.',
  ),
  stampBits: z
    .union([z.literal(53), z.literal(31)])
    .default(53)
    .describe('The size of __STAMP: 31 for clients that hold it in 32 bits.'),
  stampSecret: z
    .string()
    .min(16)
    .optional()
    .describe(
      'The secret behind hash stamps and the ids of entity sets, the same for all instances. By default it is derived from ' +
        'the database login.',
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
      'What $queryplan and $querypath answer: nothing, the query in names of the API, or, for users who see everything, ' +
        'also its SQL and the plan of the engine.',
    ),
  sessions: z
    .strictObject({
      timeoutSeconds: integer(1, 604_800)
        .default(3600)
        .describe('How long a session lives without a request; its locks end with it.'),
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
    'Entities can be locked with $lock; locked entities cannot be written by others.',
  ),
  authentication: authenticationSchema
    .optional()
    .describe('Who may send requests, and how they identify themselves. Left out, everybody may.'),
  roles: rolesSetting,
  audit: auditSetting,
  // How `$changes/stream` follows the database.
  changes: z
    .strictObject({
      pollSeconds: seconds(15)
        .default(1)
        .describe('How long to wait between two looks at the database, one for all streams.'),
      maxStreams: integer(0, 100_000)
        .default(2000)
        .describe('How many streams there are at once; more are refused.'),
    })
    .prefault({}),
  metrics: metricsSetting,
  mcp: mcpSettings.prefault({}),
  traces: flag(false).describe(
    'Report requests and statements as spans to the OpenTelemetry SDK of the process.',
  ),
  proxy: proxySetting,
  sqlFunctions: z
    .array(
      matching(
        /^[^\s.()]+(\.[^\s.()]+)*$/,
        'is not a name of a function: expected a name such as fnAge or dbo.fnAge',
      ),
    )
    .default([])
    .describe('More functions that calculated attributes may call: [dbo.fnAge].'),
  planCacheSize: integer(1, 1_000_000)
    .default(1000)
    .describe('How many request shapes (all but the values) keep plan and SQL, within 192 MB.'),
});

/** `config.yaml`. Every setting has a default, those of a database server aside. */
export const configSchema = settings
  .refine(({ server, limits }) => (limits.maxUrlBytes ?? 0) <= server.maxHeaderBytes, {
    path: ['limits', 'maxUrlBytes'],
    message: 'is more than server.maxHeaderBytes, which is what URL and headers may have together',
  })
  .superRefine(reporting(proxyProblems))
  .superRefine(reporting(metricsProblems))
  .superRefine(reporting(mcpProblems))
  .superRefine(reporting(oidcProblems))
  .superRefine(reporting(stateProblems))
  .superRefine(reporting(workersProblems));

/** What `config.yaml` holds once it is validated and every default is filled in. */
export type Settings = z.output<typeof configSchema>;

/** The validated configuration; its paths are absolute. */
export type Config = Settings & {
  /** Where a setting (`database.seed`) was made: `config.yaml:7:9`, an option, or an environment variable. */
  readonly locate: (setting: string) => string;
};

export type PgliteConfig = Extract<Config['database'], { engine: 'pglite' }>;

export type PostgresConfig = Extract<Config['database'], { engine: 'postgres' }>;

export type SqlServerConfig = Extract<Config['database'], { engine: 'sqlserver' }>;

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
