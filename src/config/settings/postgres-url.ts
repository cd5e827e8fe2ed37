import { nameHint, nearestNames } from '../../base/names.ts';
import { loginProblem } from './connection-string.ts';

/** The parameters of a URL that decide on encryption, with their values; null for any. The driver ignores what is misspelt, and connects in plain text. */
const PARAMETERS = new Map<string, readonly string[] | null>([
  ['sslmode', ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full']],
  ['ssl', ['true', '1', '0']],
  ['sslrootcert', null],
  ['sslcert', null],
  ['sslkey', null],
  ['sslnegotiation', ['postgres', 'direct']],
  ['uselibpqcompat', ['true', 'false']],
]);

/** Says what is wrong with a PostgreSQL URL; null where nothing is. */
export function postgresUrlProblem(text: string): string | null {
  const login = loginProblem(text);
  if (login !== null) return login;
  const url = parsed(text);
  if (url === null) {
    return (
      'is not a PostgreSQL URL: expected postgres://user:password@host:5432/database, ' +
      'with % / ? # [ ] @ and : in names and password written as %25 %2F %3F %23 %5B %5D %40 and %3A'
    );
  }
  const known = [...PARAMETERS.keys()];
  for (const [name, value] of url.searchParams) {
    const values = PARAMETERS.get(name);
    if (values === undefined && nearestNames(name, known).length > 0) {
      return `there is no parameter ${name}.${nameHint(name, known)}`;
    }
    if (values?.includes(value) === false) {
      return `${name} is one of ${values.join(', ')}, not ${JSON.stringify(value)}`;
    }
  }
  return null;
}

/** @returns null where the driver cannot parse it, for a raw `#` in the name, which would end it, and for a raw `@` or a password in the query, which messages would show */
function parsed(text: string): URL | null {
  try {
    const url = new URL(text);
    decodeURIComponent(url.username + url.password + url.pathname);
    const isWhole = /^postgres(?:ql)?:\/\/[^/?#@]*(?:@[^/?#@]*)?\/[^/?#][^?#]*(?:\?|$)/.test(text);
    return isWhole && !url.searchParams.has('password') ? url : null;
  } catch {
    return null;
  }
}
