import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import {
  hashPassword,
  newPasswordProblem,
  passwordHashText,
  preparedName,
  preparedPassword,
} from '../access/auth/password-hash.ts';
import {
  entryText,
  readUsersFile,
  type UserEntry,
  userNameSetting,
  withUser,
} from '../access/auth/users-file.ts';
import { StartupError } from '../base/errors.ts';
import { claimsSetting } from '../config/settings/authentication.ts';
import { givenRolesSetting } from '../config/settings/identity-provider.ts';
import { displayPath } from '../config/document/text-file.ts';
import { writeFiles } from './init/files.ts';
import { defineCommand } from './command.ts';
import { checked, claimsOf, grantOptions } from './grants.ts';
import type { CommandIo } from './io.ts';

const usage = `Usage: entitygate user NAME [options]

Asks for a password, and writes the entry of a user. If standard input is not a terminal, its first
line is the password.

Options:
  --role ROLE         a role of the user; repeat it for more roles
  --claim NAME=VALUE  a claim for row policies; repeat a name for a list of values
  --file FILE         the users file; created if missing. An existing entry gets the new password, and
                      the roles and claims given (default: prints the entry)
  --help              show this text
`;

const grants = z.object({
  name: userNameSetting,
  roles: givenRolesSetting.optional(),
  claims: claimsSetting.optional(),
});

/** Only the owner reads the file: hashes can be attacked. */
const PRIVATE = 0o600;

export const userCommand = defineCommand({
  name: 'user',
  usage,
  options: { ...grantOptions, file: { type: 'string' } },
  argument: 'NAME, the name of the user',
  run: async ({ values, positionals: [written = ''] }, io) => {
    const { name, ...given } = checked(
      grants,
      {
        name: preparedName(written),
        roles: values.role,
        claims: values.claim === undefined ? undefined : claimsOf(values.claim),
      },
      { name: 'NAME', roles: '--role', claims: '--claim' },
    );
    // A file that cannot take the entry is refused before a password is typed.
    if (values.file !== undefined) await textOf(values.file);
    const password = await newPassword(name, io);
    const entry = { password: passwordHashText(await hashPassword(password)), ...given };
    io.out(
      values.file === undefined
        ? entryText(['users', name], defined(entry), false)
        : await writeUser(values.file, name, entry),
    );
    return 0;
  },
});

/** Orders an entry as files have it. */
function defined({ password, roles = [], claims }: UserEntry): Record<string, unknown> {
  return { password, roles, ...(claims === undefined ? {} : { claims }) };
}

async function writeUser(path: string, name: string, entry: UserEntry): Promise<string> {
  const { text, isNew } = withUser(await textOf(path), name, entry);
  await writeFiles([{ path, text, mode: PRIVATE }]);
  const done = isNew ? 'added to' : 'changed in';
  return `${name}: ${done} ${displayPath(path)}. A running gateway reads the file within a second.\n`;
}

/** Reads a valid users file; null where there is none yet. */
async function textOf(path: string): Promise<string | null> {
  if (!existsSync(path)) return null;
  await readUsersFile(path);
  return readFile(path, 'utf8');
}

async function newPassword(name: string, { input }: CommandIo): Promise<string> {
  const typed = await input.readSecret(`Password for ${name}: `);
  const problem = newPasswordProblem(typed);
  if (problem !== null) {
    const hint = input.isTerminal ? '' : '; it is the first line of standard input';
    throw StartupError.at(null, problem + hint);
  }
  if (input.isTerminal && (await input.readSecret('Repeat the password: ')) !== typed) {
    throw StartupError.at(null, 'the passwords differ');
  }
  return preparedPassword(typed) ?? typed;
}
