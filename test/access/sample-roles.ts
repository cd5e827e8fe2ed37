import { Audiences, type Audience } from '../../src/access/roles/audiences.ts';
import { readRoles } from '../../src/access/roles/roles.ts';
import { StartupError, type StartupProblem } from '../../src/base/errors.ts';
import type { Principal } from '../../src/base/principal.ts';
import { rolesSetting, type RoleSettings } from '../../src/config/settings/roles.ts';
import type { Model } from '../../src/model/types.ts';
import { postgresDialect } from '../../src/sql/postgres/dialect.ts';
import { readSnapshot, sampleModel } from '../fixtures/legacy/model.ts';

export const { limits } = postgresDialect(
  { timeZone: 'UTC', bigNumbersAsStrings: false },
  { version: 17 },
);

/** The sample's model, for PostgreSQL. */
export function fullModel(): Promise<Model> {
  return sampleModel(readSnapshot('postgres'));
}

/** Settings as a configuration file holds them, with what they leave out. */
export function settingsOf(roles: unknown): RoleSettings {
  return rolesSetting.parse(roles) ?? {};
}

/** What is wrong with roles of the sample. */
export async function problemsOf(roles: unknown): Promise<readonly StartupProblem[]> {
  try {
    readRoles(settingsOf(roles), {
      model: await fullModel(),
      nullsMatchNotEqual: false,
      locate: (setting) => setting,
    });
  } catch (error) {
    if (error instanceof StartupError) return error.problems;
    throw error;
  }
  return [];
}

/** Somebody with roles and claims. */
export function somebody(
  roles: readonly string[],
  claims: Readonly<Record<string, string | readonly string[]>> = {},
): Principal {
  return { name: 'ada', roles, claims: new Map(Object.entries({ user: 'ada', ...claims })) };
}

/** Who sees what of the sample's model, by some roles. */
export async function audiencesOf(roles: unknown): Promise<(principal: Principal) => Audience> {
  return audiencesIn(await fullModel(), roles);
}

/** Who sees what of a model. */
export function audiencesIn(model: Model, roles: unknown): (principal: Principal) => Audience {
  const context = { model, nullsMatchNotEqual: false, locate: (setting: string) => setting };
  const audiences = new Audiences(model, readRoles(settingsOf(roles), context), limits);
  return (principal) => audiences.of(principal);
}
