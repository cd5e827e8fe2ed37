import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../../../src/config/config.ts';
import { connectionTarget } from '../../../../src/database/sqlserver/url.ts';
import { PROGRAM } from '../../../integration/gateway-process.ts';
import { run } from '../../../targets/build.ts';
import { mappings } from './mappings.ts';
import { startSide, type Side, type StartOptions } from './process.ts';
import { seenByHash } from './roles.ts';

/** Compiles the handlers that were written by hand. */
export function buildByHand(): void {
  run('node_modules/typescript/bin/tsc', '-p', 'test/tools/bench/endpoints/by-hand');
}

/** What a gateway is started with. */
export interface GatewayOptions {
  readonly name?: string;
  /** What else its configuration says. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The mapping files, by their names; those of the measured data where they are left out. */
  readonly files?: Readonly<Record<string, string>>;
  /** The program; that of this checkout where it is left out. */
  readonly program?: string;
  /** The URL of a module that is loaded before the program. */
  readonly preload?: string;
  readonly env?: StartOptions['env'];
}

/**
 * Starts a gateway as users run it, with eight connections and all other settings as they are by default.
 * @param folder where a folder for its configuration is made
 */
export async function startGatewaySide(
  folder: string,
  database: Config['database'],
  {
    name = 'gateway',
    settings = {},
    files = mappings,
    program = PROGRAM,
    preload,
    env = {},
  }: GatewayOptions = {},
): Promise<Side> {
  const own = join(folder, name);
  await mkdir(join(own, 'mappings'), { recursive: true });
  for (const [file, text] of Object.entries(files)) {
    await writeFile(join(own, 'mappings', file), text);
  }
  const config = join(own, 'config.yaml');
  const pool = database.engine === 'pglite' ? { directory: join(own, 'data') } : { poolSize: 8 };
  const all = {
    server: { port: 0 },
    database: { ...database, ...pool },
    mappings: 'mappings',
    ...settings,
  };
  // JSON is YAML.
  await writeFile(config, JSON.stringify(all));
  const serves = /^Entitygate serves .* at http:\/\/.*:(\d+)\/rest\/$/m;
  const loaded = preload === undefined ? [] : ['--import', preload];
  return startSide(name, [...loaded, program, 'serve', '--config', config], serves, { env });
}

/** Starts the handlers that were written by hand. */
export async function startByHand(folder: string, database: Config['database']): Promise<Side> {
  const file = join(folder, 'by-hand.json');
  const own =
    database.engine === 'sqlserver'
      ? { engine: database.engine, connection: connectionTarget(database) }
      : database;
  await writeFile(file, JSON.stringify({ database: own, seen: seenByHash() }));
  const program = '.data/bench-by-hand/main.js';
  return startSide('by hand', [program, file], /^serves at http:\/\/.*:(\d+)$/m);
}
