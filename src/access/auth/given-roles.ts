import { StartupError } from '../../base/errors.ts';
import { nameHint } from '../../base/names.ts';
import type { Config } from '../../config/config.ts';
import { ADMIN } from '../../config/settings/roles.ts';
import type { UsersFile } from './users-file.ts';

/** A role that is given to somebody, and the place of the configuration or the users file where it is. */
interface GivenRole {
  readonly role: string;
  /** `config.yaml:7:9`. */
  readonly where: string;
}

/** What of the configuration gives roles, or asks for them. */
type RoleGivers = Pick<Config, 'authentication' | 'roles' | 'locate'> &
  Partial<Pick<Config, 'proxy'>>;

/**
 * Checks the roles that the configuration gives, and those that it asks for. Those that tokens name themselves are not known before they come.
 * @throws StartupError for roles that there are not, for those that nobody can have, and where having none means nothing
 */
export function checkGivenRoles(config: RoleGivers): void {
  const { authentication, roles, locate } = config;
  const refuse = (setting: string, message: string): never => {
    throw new StartupError([{ where: locate(setting), message }]);
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

/**
 * Checks the roles that a users file gives, at the start and whenever it has changed.
 * @throws StartupError for roles that there are not
 */
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

function refuseUnknown(given: readonly GivenRole[], roles: Config['roles']): void {
  const known = [...Object.keys(roles ?? {}), ADMIN];
  const unknown = given.filter(({ role }) => !known.includes(role));
  if (unknown.length === 0) return;
  throw new StartupError(
    unknown.map(({ role, where }) => ({
      where,
      message: `there is no role ${role}.${nameHint(role, known)}`,
    })),
  );
}

function rolesOfConfig({ authentication, proxy = [], locate }: RoleGivers): GivenRole[] {
  const { anonymous = [], apiKeys = [], jwt } = authentication ?? {};
  const listed = (roles: readonly string[], setting: string): GivenRole[] =>
    roles.map((role, index) => ({ role, where: locate(`authentication.${setting}.${index}`) }));
  return [
    ...listed(anonymous, 'anonymous'),
    ...apiKeys.flatMap(({ roles }, index) => listed(roles, `apiKeys.${index}.roles`)),
    ...Object.entries(jwt?.roles ?? {}).map(([word, role]) => ({
      role,
      where: locate(`authentication.jwt.roles.${word}`),
    })),
    ...listed(jwt?.defaultRoles ?? [], 'jwt.defaultRoles'),
    ...proxy.flatMap(({ authentication: needed }, index) =>
      typeof needed === 'boolean'
        ? []
        : needed.map((role, at) => ({
            role,
            where: locate(`proxy.${index}.authentication.${at}`),
          })),
    ),
  ];
}
