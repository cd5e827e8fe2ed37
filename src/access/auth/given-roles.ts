import { StartupError } from '../../base/errors.ts';
import { nameHint } from '../../base/names.ts';
import type { Config } from '../../config/config.ts';
import { ADMIN } from '../../base/principal.ts';
import { readUsersFile, type UsersFile } from './users-file.ts';

/** A role that the configuration or the users file gives to somebody, and its position: `config.yaml:7:9`. */
interface GivenRole {
  readonly role: string;
  readonly where: string;
}

type RoleGivers = Pick<Config, 'authentication' | 'roles' | 'locate'> &
  Partial<Pick<Config, 'proxy' | 'metrics'>>;

/** Checks the roles that the configuration gives or asks for; those of tokens are known only when they come. @throws StartupError */
export function checkGivenRoles(config: RoleGivers): void {
  const { authentication, roles, locate } = config;
  const refuse = (setting: string, message: string): never => {
    throw StartupError.at(locate(setting), message);
  };
  if (roles !== undefined && authentication === undefined) {
    refuse('roles', 'without authentication nobody has a role: configure authentication');
  }
  if (roles === undefined && authentication?.anonymous?.length === 0) {
    refuse(
      'authentication.anonymous',
      'is empty, but without roles requests without credentials may do everything: configure roles, leave it out to have ' +
        'them refused, or write [admin] where everybody may do everything',
    );
  }
  refuseUnknown(rolesOfConfig(config), roles);
}

/** Checks the roles that a users file gives, at the start and whenever it has changed. @throws StartupError for unknown roles */
export function checkUserRoles(
  { users, locate }: UsersFile,
  { roles: known }: Pick<Config, 'roles'>,
): void {
  const given = [...users.values()].flatMap(({ written, roles }) =>
    roles.map((role, index) => ({
      role,
      where: locate(['users', written, 'roles', String(index)]),
    })),
  );
  refuseUnknown(given, known);
}

/** Whether the configuration or the users file makes somebody an administrator. @throws StartupError for a users file that is wrong */
export async function hasAdministrators(config: RoleGivers): Promise<boolean> {
  const { anonymous = [], apiKeys = [], jwt, oidc, users: path } = config.authentication ?? {};
  const users = path === undefined ? [] : (await readUsersFile(path)).users.values();
  const each = [...apiKeys, ...users].flatMap(({ roles }) => roles);
  const ofTokens = [jwt, oidc].flatMap((provider) => [
    ...Object.values(provider?.roles ?? {}),
    ...(provider?.defaultRoles ?? []),
  ]);
  return [...anonymous, ...each, ...ofTokens].includes(ADMIN);
}

function refuseUnknown(given: readonly GivenRole[], roles: Config['roles']): void {
  const known = [...Object.keys(roles ?? {}), ADMIN];
  const problems = given
    .filter(({ role }) => !known.includes(role))
    .map(({ role, where }) => ({
      where,
      message: `there is no role ${role}.${nameHint(role, known)}`,
    }));
  if (problems.length > 0) throw new StartupError(problems);
}

function rolesOfConfig({ authentication, proxy = [], metrics, locate }: RoleGivers): GivenRole[] {
  const { anonymous = [], apiKeys = [], jwt, oidc } = authentication ?? {};
  const given = (role: string, setting: string): GivenRole => ({ role, where: locate(setting) });
  const listed = (roles: readonly string[], setting: string): GivenRole[] =>
    roles.map((role, index) => given(role, `${setting}.${index}`));
  return [
    ...listed(anonymous, 'authentication.anonymous'),
    ...apiKeys.flatMap(({ roles }, index) =>
      listed(roles, `authentication.apiKeys.${index}.roles`),
    ),
    ...Object.entries({ jwt, oidc }).flatMap(([name, provider]) => [
      ...Object.entries(provider?.roles ?? {}).map(([word, role]) =>
        given(role, `authentication.${name}.roles.${word}`),
      ),
      ...listed(provider?.defaultRoles ?? [], `authentication.${name}.defaultRoles`),
    ]),
    ...(metrics?.role === undefined ? [] : [given(metrics.role, 'metrics.role')]),
    ...proxy.flatMap(({ authentication: needed }, index) =>
      typeof needed === 'boolean' ? [] : listed(needed, `proxy.${index}.authentication`),
    ),
  ];
}
