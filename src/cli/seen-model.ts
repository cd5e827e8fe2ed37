import { Audiences } from '../access/roles/audiences.ts';
import { readRoles } from '../access/roles/roles.ts';
import { nameHint } from '../base/names.ts';
import { NOBODY } from '../base/principal.ts';
import type { Config } from '../config/config.ts';
import { ADMIN } from '../config/settings/roles.ts';
import { buildModel } from '../model/build.ts';
import type { Model } from '../model/types.ts';
import { checkRestriction } from '../run/convert/bind.ts';
import type { Dialect } from '../sql/dialect.ts';
import { UsageError } from './command.ts';
import type { CommandIo } from './io.ts';
import { readModelSources } from './schema.ts';
import { dialectOf } from './sql.ts';

/** Reads the model as the holder of the roles of `--role` sees it; all of it without roles. @throws UsageError for a role that is not configured */
export async function readSeenModel(
  options: Parameters<typeof readModelSources>[0] & {
    readonly role?: readonly string[] | undefined;
  },
  io: CommandIo,
): Promise<{ readonly config: Config; readonly model: Model }> {
  const { config, mappings, snapshot } = await readModelSources(options, io);
  const dialect = dialectOf(config, snapshot);
  const settings = { ...config, dialect: dialect.name };
  const { dataclasses, functions } = mappings;
  const whole = buildModel(dataclasses, snapshot.schema, settings, checkRestriction, functions);
  return { config, model: seenBy(options.role ?? [], whole, config, dialect) };
}

function seenBy(
  names: readonly string[],
  model: Model,
  config: Config,
  { limits }: Pick<Dialect, 'limits'>,
): Model {
  if (names.length === 0) return model;
  const roles = config.roles === undefined ? null : readRoles(config.roles, { ...config, model });
  const known = [ADMIN, ...(roles?.keys() ?? [])];
  for (const name of names) {
    if (known.includes(name)) continue;
    throw new UsageError(`--role ${name}: there is no such role.${nameHint(name, known)}`);
  }
  return new Audiences(model, roles, limits).of({ ...NOBODY, roles: names }).model;
}
