import { LRUCache } from 'lru-cache';
import { excerpt } from '../excerpt.ts';
import { isSecretName, MASK, unescaped, withoutLogins } from '../secret-names.ts';

/** The longest URL that a line of the log repeats. */
const LOGGED_URL = 2000;

/** What parameters are called besides that hold a credential, in lower case: no URL of the API has one, and clients send them all the same. */
const CREDENTIALS: ReadonlySet<string> = new Set([
  'user',
  'username',
  'username-4d',
  'pass',
  'password-4d',
  'api-key',
  'api_key',
  'apikey',
  'key',
  'authorization',
]);

/** An API key, wherever it stands. */
const API_KEY = /egk_[\w-]{8,}/g;

/** What holds no parameter, no login and no key, and is not cut. */
const PLAIN = /^[\w/()$.-]{0,200}$/;

/** A URL as the log tells it: cut where it is long, and without what would let somebody in whom the log is shown. */
export function loggedUrl(url: string): string {
  if (PLAIN.test(url) && !url.includes('egk_')) return url;
  const shown = withoutCredentials(withoutLogins(url)).replace(API_KEY, `egk_${MASK}`);
  return excerpt(shown, LOGGED_URL);
}

/** A parameter behind a question mark, an ampersand or a semicolon. */
const PARAMETER = /(?<=[?&;])([^?&;=]*)=([^&;]*)/g;

function withoutCredentials(url: string): string {
  if (!namesCredential(url)) return url;
  return url.replace(PARAMETER, (parameter, name: string) =>
    isCredential(name) ? `${name}=${MASK}` : parameter,
  );
}

/** Whether what stands before any equals sign is the name of a credential: in nearly all URLs nothing is. */
function namesCredential(url: string): boolean {
  for (let sign = url.indexOf('='); sign !== -1; sign = url.indexOf('=', sign + 1)) {
    let start = sign;
    while (start > 0 && !SEPARATORS.has(url[start - 1] ?? '')) start -= 1;
    if (isCredential(url.slice(start, sign))) return true;
  }
  return false;
}

const SEPARATORS: ReadonlySet<string> = new Set(['?', '&', ';', '=']);

function isCredential(name: string): boolean {
  const known = told.get(name);
  if (known !== undefined) return known;
  const found = isSecretName(name) || CREDENTIALS.has(unescaped(name).trim().toLowerCase());
  told.set(name, found);
  return found;
}

/** What is known of names: the same few stand in most URLs. */
const told = new LRUCache<string, boolean>({
  max: 500,
  maxSize: 50_000,
  sizeCalculation: (_is, name) => name.length + 1,
});
