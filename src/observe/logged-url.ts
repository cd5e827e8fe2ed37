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

/** A URL as the log tells it: cut where it is long, and without what would let somebody in whom the log is shown. */
export function loggedUrl(url: string): string {
  const told = withoutLogins(url)
    .replace(/(?<=[?&;])([^?&;=]*)=([^&;]*)/g, (parameter, name: string) =>
      isCredential(name) ? `${name}=${MASK}` : parameter,
    )
    .replace(API_KEY, `egk_${MASK}`);
  return told.length > LOGGED_URL ? `${told.slice(0, LOGGED_URL)}…` : told;
}

function isCredential(name: string): boolean {
  return isSecretName(name) || CREDENTIALS.has(unescaped(name).trim().toLowerCase());
}
