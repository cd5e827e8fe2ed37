import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { StartupError } from '../base/errors.ts';
import { readYaml, validate } from './yaml.ts';

const port = z.int().min(0).max(65_535);

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
});

const postgresDatabase = z.strictObject({
  engine: z.literal('postgres'),
  url: z.string().min(1).describe('postgres://user:password@host:5432/database'),
  poolSize: z.int().min(1).max(1000).default(8).describe('Connections to the database at most.'),
  statementTimeoutSeconds: z.number().positive().max(86_400).default(30),
  connectTimeoutSeconds: z.number().positive().max(600).default(5),
});

/** `config.yaml`. Every setting has a default, so that an empty file serves the embedded database. */
export const configSchema = z.strictObject({
  application: z
    .string()
    .min(1)
    .default('Entitygate')
    .describe('The application name that the catalog answers as __NAME.'),
  server: z
    .strictObject({
      host: z.string().min(1).default('127.0.0.1'),
      port: port.default(8080),
      shutdownSeconds: z
        .number()
        .nonnegative()
        .default(10)
        .describe('How long requests in flight may take to finish when the gateway is stopped.'),
    })
    .prefault({}),
  database: z
    .discriminatedUnion('engine', [pgliteDatabase, postgresDatabase])
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
  ignoreCase: z
    .boolean()
    .default(false)
    .describe(
      'Text comparisons of $filter fold case in the gateway, whatever the columns’ collations say. ' +
        'An index on the plain column then no longer serves them.',
    ),
  nullsMatchNotEqual: z
    .boolean()
    .default(false)
    .describe('attribute != value also returns the entities whose attribute is null.'),
  timeZone: z
    .string()
    .default('UTC')
    .refine(isTimeZone, 'is not an IANA time zone such as Europe/Paris')
    .describe('The time zone in which the database writes date-times that carry no offset.'),
  bigNumbersAsStrings: z
    .boolean()
    .default(false)
    .describe('Integers past 2^53 and decimals past 15 digits are answered as JSON strings.'),
  stampBits: z
    .union([z.literal(53), z.literal(31)])
    .default(53)
    .describe('31 for clients that hold __STAMP in 32 bits.'),
  planCacheSize: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(1000)
    .describe('How many request shapes keep their plan and SQL text.'),
});

/** The validated configuration; its paths are absolute. */
export type Config = z.output<typeof configSchema>;

/** The embedded database's part of the configuration. */
export type PgliteConfig = Extract<Config['database'], { engine: 'pglite' }>;

/** A PostgreSQL server's part of the configuration. */
export type PostgresConfig = Extract<Config['database'], { engine: 'postgres' }>;

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** What the command line says over and above the file; what is left out is not said. */
export interface CommandLineSettings {
  readonly host?: string;
  readonly port?: string;
}

/**
 * Reads `config.yaml`, lays environment variables over it (`ENTITYGATE_HOST`, `ENTITYGATE_PORT`,
 * `ENTITYGATE_DATABASE_URL`, `ENTITYGATE_LOG_LEVEL`) and the command line over those, and freezes the result.
 * Relative paths in the file are relative to the file.
 * @throws StartupError with every problem found
 */
export async function loadConfig(
  path: string,
  environment: NodeJS.ProcessEnv,
  commandLine: CommandLineSettings = {},
): Promise<Config> {
  const config = validate(await readYaml(path), configSchema);
  const override = <T>(
    schema: z.ZodType<T>,
    sources: readonly (readonly [name: string, value: string | undefined])[],
    fallback: T,
    read: (text: string) => unknown = (text) => text,
  ): T => {
    for (const [name, value] of sources) {
      if (value === undefined || value === '') continue;
      const result = schema.safeParse(read(value));
      if (result.success) return result.data;
      throw new StartupError([
        {
          where: name,
          message: `"${value}": ${result.error.issues[0]?.message ?? 'is not valid'}`,
        },
      ]);
    }
    return fallback;
  };
  const base = dirname(resolve(path));
  const url = environment['ENTITYGATE_DATABASE_URL'];
  const database =
    url === undefined || url === ''
      ? config.database
      : postgresDatabase.parse({
          ...(config.database.engine === 'postgres' ? config.database : {}),
          engine: 'postgres',
          url,
        });
  return Object.freeze({
    ...config,
    server: Object.freeze({
      ...config.server,
      host: override(
        z.string().min(1),
        [
          ['--host', commandLine.host],
          ['ENTITYGATE_HOST', environment['ENTITYGATE_HOST']],
        ],
        config.server.host,
      ),
      port: override(
        port,
        [
          ['--port', commandLine.port],
          ['ENTITYGATE_PORT', environment['ENTITYGATE_PORT']],
        ],
        config.server.port,
        (text) => (/^\d+$/.test(text) ? Number(text) : text),
      ),
    }),
    log: Object.freeze({
      level: override(
        configSchema.shape.log.unwrap().shape.level,
        [['ENTITYGATE_LOG_LEVEL', environment['ENTITYGATE_LOG_LEVEL']]],
        config.log.level,
      ),
    }),
    database: Object.freeze(
      database.engine === 'pglite'
        ? {
            ...database,
            directory:
              database.directory === 'memory:'
                ? database.directory
                : resolve(base, database.directory),
            ...(database.seed === undefined ? {} : { seed: resolve(base, database.seed) }),
          }
        : database,
    ),
    mappings: resolve(base, config.mappings),
  });
}
