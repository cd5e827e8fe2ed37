import { Audiences } from '../access/roles/audiences.ts';
import { readRoles } from '../access/roles/roles.ts';
import { nameHint } from '../base/names.ts';
import { type Claims, NOBODY } from '../base/principal.ts';
import type { Config } from '../config/config.ts';
import { ADMIN } from '../base/principal.ts';
import type { Model } from '../model/types.ts';
import type { Dialect } from '../sql/dialect.ts';
import { UsageError } from './command.ts';

/** The model as the holder of the roles of `--role` sees it; all of it without roles. @throws UsageError for a role that is not configured */
export function seenBy(
  names: readonly string[],
  model: Model,
  config: Config,
  { limits }: Pick<Dialect, 'limits'>,
  claims: Claims = NOBODY.claims,
): Model {
  if (names.length === 0) return model;
  const roles = config.roles === undefined ? null : readRoles(config.roles, { ...config, model });
  const known = [ADMIN, ...(roles?.keys() ?? [])];
  for (const name of names) {
    if (known.includes(name)) continue;
    throw new UsageError(`--role ${name}: there is no such role.${nameHint(name, known)}`);
  }
  return new Audiences(model, roles, limits).of({ ...NOBODY, roles: names, claims }).model;
}
