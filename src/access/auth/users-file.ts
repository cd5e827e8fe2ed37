import { z } from 'zod';
import { StartupError } from '../../base/errors.ts';
import {
  claimsSetting,
  nameSetting,
  givenRolesSetting,
} from '../../config/settings/authentication.ts';
import { validate } from '../../config/document/validate.ts';
import { readYaml, type YamlFile } from '../../config/document/yaml.ts';
import { readPasswordHash, type PasswordHash } from './password-hash.ts';
import { preparedName } from './password-text.ts';

/** The name of a user; a colon would end it in the header Authorization (RFC 7617). */
export const userNameSetting = nameSetting.regex(/^[^:]*$/, 'holds a colon, which no name may');

const userSetting = z.strictObject({
  password: z.string().superRefine((text, context) => {
    const found = readPasswordHash(text);
    if ('problem' in found) context.addIssue({ code: 'custom', message: found.problem });
  }),
  roles: givenRolesSetting.default([]),
  claims: claimsSetting.default({}),
  disabled: z.boolean().default(false),
});

const usersSchema = z.strictObject({ users: z.record(userNameSetting, userSetting) });

/** Somebody who logs in with a name and a password. */
export interface User extends Omit<z.output<typeof userSetting>, 'password'> {
  readonly name: string;
  /** The name as the file writes it. */
  readonly written: string;
  readonly password: PasswordHash;
}

/** A users file that was read: the users by their names, and where each part of the file stands. */
export interface UsersFile extends Pick<YamlFile, 'locate'> {
  readonly users: ReadonlyMap<string, User>;
}

/**
 * Reads a file of users.
 * @throws StartupError with every problem found and its place; no value of the file is part of a message
 */
export async function readUsersFile(path: string): Promise<UsersFile> {
  const file = await readYaml(path);
  if (typeof file.value !== 'object') {
    // It may be a file of another format, whose content is nobody's business.
    const message = 'is no file of users: expected users: and below it an entry for each';
    throw new StartupError([{ where: file.path, message }]);
  }
  const entries = Object.entries(validate(file, usersSchema).users);
  const users = new Map<string, User>();
  const problems = entries.flatMap(([written, { password: text, ...rest }]) => {
    const name = preparedName(written);
    const password = readPasswordHash(text);
    if ('problem' in password || users.has(name)) {
      const message = 'names a user who has an entry already, written with other characters';
      return [{ where: file.locate(['users', written], 'key'), message }];
    }
    users.set(name, { name, written, password, ...rest });
    return [];
  });
  if (problems.length > 0) throw new StartupError(problems);
  return { users, locate: file.locate };
}
