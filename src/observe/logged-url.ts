import { LRUCache } from 'lru-cache';
import { excerpt } from '../base/excerpt.ts';
import { isSecretName, MASK, unescaped, withoutLogins } from '../base/secret-names.ts';

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
  const shown = withoutLogins(url)
    .replace(/(?<=[?&;])([^?&;=]*)=([^&;]*)/g, (parameter, name: string) =>
      isCredential(name) ? `${name}=${MASK}` : parameter,
    )
    .replace(API_KEY, `egk_${MASK}`);
  return excerpt(shown, LOGGED_URL);
}

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
