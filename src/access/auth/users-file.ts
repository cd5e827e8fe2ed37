import { Document, isMap, isScalar, type Node, type Pair, parseDocument, type YAMLMap } from 'yaml';
import { z } from 'zod';
import { StartupError } from '../../base/errors.ts';
import { validate } from '../../config/document/validate.ts';
import { readYaml, YAML_STYLE, type YamlFile } from '../../config/document/yaml.ts';
import {
  claimsSetting,
  type ClaimsSettings,
  nameSetting,
} from '../../config/settings/authentication.ts';
import { givenRolesSetting } from '../../config/settings/identity-provider.ts';
import { type PasswordHash, preparedName, readPasswordHash } from './password-hash.ts';

/** A user's name; a colon would end it in the header Authorization (RFC 7617). */
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

/** A user who logs in with a name and a password. */
export interface User extends Omit<z.output<typeof userSetting>, 'password'> {
  readonly name: string;
  /** The name as the file writes it. */
  readonly written: string;
  readonly password: PasswordHash;
}

/** The users of a file by their names, with the positions of its parts. */
export interface UsersFile extends Pick<YamlFile, 'locate'> {
  readonly users: ReadonlyMap<string, User>;
}

/** Reads a users file. @throws StartupError with every problem found and its position; no message repeats a value of the file */
export async function readUsersFile(path: string): Promise<UsersFile> {
  const file = await readYaml(path);
  if (typeof file.value !== 'object') {
    // It may be a file of another format, whose content must not be shown.
    const message = 'is not a file of users: expected users: and below it an entry for each';
    throw StartupError.at(file.path, message);
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

/** A user's entry to write; in an existing entry the parts that are left out stay as they are. */
export interface UserEntry {
  /** The hash, as text. */
  readonly password: string;
  readonly roles?: readonly string[] | undefined;
  readonly claims?: ClaimsSettings | undefined;
}

/** Writes one entry at a path of names as YAML, with a line for each defined part. @param isItem whether it is an item of the list at the path */
export function entryText(
  path: readonly string[],
  entry: Readonly<Record<string, unknown>>,
  isItem: boolean,
): string {
  const document = new Document({});
  const node = document.createNode(Object.fromEntries(partsOf(entry, document)));
  document.setIn(path, isItem ? document.createNode([node]) : node);
  return document.toString(YAML_STYLE);
}

/** The defined parts of an entry as nodes; lists and claims are on one line each. */
function partsOf(entry: object, document: Document): [string, Node][] {
  return Object.entries(entry)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, document.createNode(value, { flow: true })]);
}

/**
 * Adds or changes a user's entry in the text of a users file, or of a new one for null, and keeps its comments.
 * @throws StartupError where the entry cannot be changed without changing others
 */
export function withUser(
  text: string | null,
  name: string,
  { password, roles, claims }: UserEntry,
): { readonly text: string; readonly isNew: boolean } {
  const document = text === null ? newFile() : parseDocument(text);
  const users = document.get('users', true);
  if (!isMap(users)) throw notByHand('"users"');
  const pair = users.items.find(
    ({ key }) => isScalar(key) && preparedName(String(key.value)) === preparedName(name),
  );
  if (pair === undefined) {
    const parts = partsOf({ password, roles: roles ?? [], claims }, document);
    users.set(name, document.createNode(Object.fromEntries(parts)));
    // A map that began as {} would stay on one line.
    if (users.items.length === 1) users.flow = false;
  } else {
    const entry = entryOf(pair);
    for (const [setting, node] of partsOf({ password, roles, claims }, document)) {
      const before = entry.get(setting, true);
      if (before?.anchor !== undefined) throw notByHand(`"${setting}" of ${name}`);
      node.comment = before?.comment ?? null;
      entry.set(setting, node);
    }
  }
  return { text: document.toString(YAML_STYLE), isNew: pair === undefined };
}

function newFile(): Document {
  const document = new Document({ users: {} });
  document.commentBefore =
    ' Who logs in with a name and a password; entitygate user NAME --file adds and changes entries.';
  return document;
}

function entryOf({ key, value }: Pair): YAMLMap {
  if (isMap(value) && value.anchor === undefined) return value;
  throw notByHand(`the entry of ${String(key)}`);
}

function notByHand(what: string): StartupError {
  const message = `${what} is shared with others by & and *: change it by hand`;
  return StartupError.at(null, message);
}
