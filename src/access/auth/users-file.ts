import { z } from 'zod';
import { Document, isMap, isScalar, type Node, type Pair, parseDocument, type YAMLMap } from 'yaml';
import { StartupError } from '../../base/errors.ts';
import {
  claimsSetting,
  type ClaimsSettings,
  givenRolesSetting,
  nameSetting,
} from '../../config/settings/authentication.ts';
import { validate } from '../../config/document/validate.ts';
import { readYaml, type YamlFile } from '../../config/document/yaml.ts';
import { type PasswordHash, preparedName, readPasswordHash } from './password-hash.ts';

/** How files of the gateway's are written. */
const STYLE = { lineWidth: 0, singleQuote: true, flowCollectionPadding: true } as const;

/**
 * YAML text of the one entry at a path of names, for people to paste: a line for each thing that it says.
 * @param isItem whether it is an item of the list at the path
 */
export function entryText(
  path: readonly string[],
  entry: Readonly<Record<string, unknown>>,
  isItem: boolean,
): string {
  const document = new Document({});
  const node = document.createNode(Object.fromEntries(linesOf(document, entry)));
  document.setIn(path, isItem ? document.createNode([node]) : node);
  return document.toString(STYLE);
}

/** An entry's parts as nodes: lists and claims each on a line of their own. */
function linesOf(document: Document, entry: Readonly<Record<string, unknown>>): [string, Node][] {
  return Object.entries(entry).map(([name, value]) => [
    name,
    document.createNode(value, { flow: true }),
  ]);
}

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
    const message = 'is not a file of users: expected users: and below it an entry for each';
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

/** What a user's entry is to say; of one that is there already, what is left out stays as it is. */
export interface UserEntry {
  /** The hash, as text. */
  readonly password: string;
  readonly roles?: readonly string[] | undefined;
  readonly claims?: ClaimsSettings | undefined;
}

/** A users file with an entry added or changed. */
export interface EditedUsers {
  readonly text: string;
  /** Whether the user had no entry before. */
  readonly isNew: boolean;
}

/**
 * The text of a users file with a user's entry, and with the comments that it had.
 * @param text a file that `readUsersFile` reads, or null for a new one
 * @throws StartupError where the entry is written in a way that cannot be changed without changing others
 */
export function withUser(
  text: string | null,
  name: string,
  { password, roles, claims }: UserEntry,
): EditedUsers {
  const document = text === null ? newFile() : parseDocument(text);
  const users = document.get('users', true);
  const said = {
    password,
    ...(roles === undefined ? {} : { roles }),
    ...(claims === undefined ? {} : { claims }),
  };
  if (!isMap(users)) throw notByHand('"users"');
  const pair = users.items.find(({ key }) => isScalar(key) && isNamed(key.value, name));
  if (pair === undefined) {
    const entry = { password, roles: roles ?? [], ...(claims === undefined ? {} : { claims }) };
    users.set(name, document.createNode(Object.fromEntries(linesOf(document, entry))));
    // What began as {} would go on in one line.
    if (users.items.length === 1) users.flow = false;
  } else {
    const entry = entryOf(pair);
    for (const [setting, node] of linesOf(document, said)) {
      const before = entry.get(setting, true);
      if (before?.anchor !== undefined) throw notByHand(`"${setting}" of ${name}`);
      node.comment = before?.comment ?? null;
      entry.set(setting, node);
    }
  }
  return { text: document.toString(STYLE), isNew: pair === undefined };
}

function newFile(): Document {
  const document = new Document({ users: {} });
  document.commentBefore =
    ' Who logs in with a name and a password; entitygate user NAME --file adds and changes entries.';
  return document;
}

function isNamed(key: unknown, name: string): boolean {
  return preparedName(String(key)) === preparedName(name);
}

function entryOf({ key, value }: Pair): YAMLMap {
  if (isMap(value) && value.anchor === undefined) return value;
  throw notByHand(`the entry of ${String(key)}`);
}

function notByHand(what: string): StartupError {
  const message = `${what} is shared with others by & and *: change it by hand`;
  return new StartupError([{ where: null, message }]);
}
