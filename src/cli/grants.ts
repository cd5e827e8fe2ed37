import type { z } from 'zod';
import { Audiences } from '../access/roles/audiences.ts';
import { readRoles } from '../access/roles/roles.ts';
import { nameHint } from '../base/names.ts';
import { ADMIN, type Claims, NOBODY } from '../base/principal.ts';
import type { Config } from '../config/config.ts';
import type { Model } from '../model/types.ts';
import type { Dialect } from '../sql/dialect.ts';
import type { ClaimsSettings } from '../config/settings/authentication.ts';
import { UsageError } from './command.ts';

export const grantOptions = {
  role: { type: 'string', multiple: true },
  claim: { type: 'string', multiple: true },
} as const;

/** Reads the claims of `--claim name=value`; a repeated name has a list. @throws UsageError */
export function claimsOf(options: readonly string[]): ClaimsSettings {
  const claims = new Map<string, string | string[]>();
  for (const option of options) {
    const [, name, value = ''] = /^([^=]+)=(.*)$/s.exec(option) ?? [];
    if (name === undefined) {
      throw new UsageError(`--claim ${option}: expected a name and a value, as region=North`);
    }
    const before = claims.get(name);
    claims.set(name, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(claims);
}

/** Validates a value. @param names the option, or the word of the usage, of each of its parts @throws UsageError with the first problem */
export function checked<Schema extends z.ZodType>(
  schema: Schema,
  value: z.input<Schema>,
  names: Readonly<Record<string, string>>,
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const [inner] = issue?.code === 'invalid_key' ? issue.issues : [issue];
  const message = inner?.code === 'too_small' ? 'is empty' : (inner?.message ?? 'is not valid');
  throw new UsageError(`${names[String(issue?.path[0] ?? '')] ?? ''}: ${message}`);
}

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
