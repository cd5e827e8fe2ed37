import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../../src/config/config.ts';
import { PROGRAM } from '../../integration/gateway-process.ts';
import { mappings } from './mappings.ts';
import { startSide, type Side } from './process.ts';

/** Compiles the handlers that were written by hand. */
export function buildByHand(): void {
  const tsc = ['node_modules/typescript/bin/tsc', '-p', 'test/bench/endpoints/by-hand'];
  const { status, stdout } = spawnSync(process.execPath, tsc, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the handlers do not compile:\n${stdout}`);
}

/**
 * Starts a gateway as users run it, with eight connections and all other settings as they are by default.
 * @param folder an empty one, for its configuration
 * @param settings what else the configuration says
 */
export async function startGatewaySide(
  folder: string,
  database: Config['database'],
  settings: Readonly<Record<string, unknown>> = {},
  files: Readonly<Record<string, string>> = mappings,
): Promise<Side> {
  await mkdir(join(folder, 'mappings'), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(folder, 'mappings', name), text);
  }
  const config = join(folder, 'config.yaml');
  const pool = database.engine === 'pglite' ? {} : { poolSize: 8 };
  const all = {
    server: { port: 0 },
    database: { ...database, ...pool },
    mappings: 'mappings',
    ...settings,
  };
  // JSON is YAML.
  await writeFile(config, JSON.stringify(all));
  const serves = /^Entitygate serves .* at http:\/\/.*:(\d+)\/rest\/$/m;
  return startSide('gateway', [PROGRAM, 'serve', '--config', config], serves);
}

/** Starts the handlers that were written by hand. */
export async function startByHand(folder: string, database: Config['database']): Promise<Side> {
  const settings = join(folder, 'by-hand.json');
  await writeFile(settings, JSON.stringify(database));
  const program = '.data/bench-by-hand/main.js';
  return startSide('by hand', [program, settings], /^serves at http:\/\/.*:(\d+)$/m);
}
