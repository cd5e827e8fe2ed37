import { Document, isMap, isScalar, parseDocument, type Pair, type YAMLMap } from 'yaml';
import { StartupError } from '../../base/errors.ts';
import type { ClaimsSettings } from '../../config/settings/authentication.ts';
import { linesOf, STYLE } from './entry-text.ts';
import { preparedName } from './password-text.ts';

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
