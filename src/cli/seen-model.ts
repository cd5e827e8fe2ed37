import type { Config } from '../config/config.ts';
import { buildModel } from '../model/build.ts';
import type { Model } from '../model/types.ts';
import { checkRestriction } from '../run/convert/bind.ts';
import type { CommandIo } from './io.ts';
import { seenBy } from './grants.ts';
import { onSchemaOf, readModelSources } from './schema.ts';
import { dialectOf } from './sql.ts';

/** Reads the model as the holder of the roles of `--role` sees it; all of it without roles. @throws UsageError for a role that is not configured */
export async function readSeenModel(
  options: Parameters<typeof readModelSources>[0] & {
    readonly role?: readonly string[] | undefined;
  },
  io: CommandIo,
): Promise<{ readonly config: Config; readonly model: Model }> {
  const { config, mappings, snapshot, file } = await readModelSources(options, io);
  const dialect = dialectOf(config, snapshot);
  const settings = { ...config, dialect: dialect.name };
  const { dataclasses, functions } = mappings;
  const whole = await onSchemaOf(file, (schemaFile) =>
    buildModel(
      dataclasses,
      snapshot.schema,
      { ...settings, schemaFile },
      checkRestriction,
      functions,
    ),
  );
  return { config, model: seenBy(options.role ?? [], whole, config, dialect) };
}
