import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DatabaseOverride } from '../config/load.ts';
import { configPath } from './command.ts';

/** Returns the packaged sample, with its data below the working directory; null where a configuration or a database is named, or there is a config.yaml. */
export function sampleOf(
  config: string | undefined,
  environment: NodeJS.ProcessEnv,
): { readonly config: string; readonly database: DatabaseOverride } | null {
  const named = [config, environment['ENTITYGATE_CONFIG'], environment['ENTITYGATE_DATABASE_URL']];
  if (named.some(Boolean) || existsSync(configPath(undefined, {}))) return null;
  const packaged = (path: string): string =>
    fileURLToPath(new URL(`../../${path}`, import.meta.url));
  const seed = packaged('sample.sql.gz');
  const database = { engine: 'pglite', directory: resolve('.data/sample'), seed } as const;
  return { config: packaged('config.yaml'), database: { name: 'the sample', database } };
}
