/** The longest URL that a line of the log repeats. */
const LOGGED_URL = 2000;

/** What parameters are called that hold a credential, in lower case: no URL of the API has one, and clients send them all the same. */
const CREDENTIALS: ReadonlySet<string> = new Set([
  'user',
  'username',
  'username-4d',
  'pass',
  'passwd',
  'password',
  'password-4d',
  'pwd',
  'api-key',
  'api_key',
  'apikey',
  'key',
  'token',
  'access_token',
  'id_token',
  'refresh_token',
  'secret',
  'client_secret',
  'authorization',
]);

/** An API key, wherever it stands. */
const API_KEY = /egk_[\w-]{8,}/g;

const MASK = '***';

/** A URL as the log tells it: cut where it is long, and without what would let somebody in whom the log is shown. */
export function loggedUrl(url: string): string {
  const told = url
    .replace(/^([a-z]+:\/\/)[^/?#@]*@/i, `$1${MASK}@`)
    .replace(/(?<=[?&;])([^?&;=]*)=([^&;]*)/g, (parameter, name: string) =>
      CREDENTIALS.has(readable(name).trim().toLowerCase()) ? `${name}=${MASK}` : parameter,
    )
    .replace(API_KEY, `egk_${MASK}`);
  return told.length > LOGGED_URL ? `${told.slice(0, LOGGED_URL)}…` : told;
}

/** A name without its escapes; as it came where they are none. */
function readable(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch {
    return name;
  }
}
