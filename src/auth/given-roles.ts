import type { Config } from '../config/config.ts';
import { readUsersFile } from './users-file.ts';

/** A role that is given to somebody, and the place of the configuration or the users file where it is. */
export interface GivenRole {
  readonly role: string;
  /** `config.yaml:7:9`. */
  readonly where: string;
}

/**
 * All roles that the configuration and the users file give, so that one that is not known can be told at the start. Those that tokens
 * name themselves are not among them, nor those of users who are added later.
 * @throws StartupError with the problems of the users file
 */
export async function givenRoles({
  authentication,
  locate,
}: Pick<Config, 'authentication' | 'locate'>): Promise<readonly GivenRole[]> {
  const { anonymous = [], apiKeys = [], jwt, users } = authentication ?? {};
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
    ...(users === undefined ? [] : await rolesOfUsers(users)),
  ];
}

async function rolesOfUsers(path: string): Promise<GivenRole[]> {
  const { users, locate } = await readUsersFile(path);
  return [...users.values()].flatMap(({ written, roles }) =>
    roles.map((role, index) => ({
      role,
      where: locate(['users', written, 'roles', String(index)]),
    })),
  );
}
