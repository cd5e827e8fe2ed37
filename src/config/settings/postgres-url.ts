import { nameHint } from '../../base/names.ts';
import { loginProblem } from './connection-string.ts';

/** What the driver reads in a URL, and the values of what decides on encryption: it would ignore all others, and connect in plain text. */
const PARAMETERS: Readonly<Record<string, readonly string[] | null>> = {
  sslmode: ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full'],
  ssl: ['true', '1', '0'],
  sslrootcert: null,
  sslcert: null,
  sslkey: null,
  sslnegotiation: ['postgres', 'direct'],
  uselibpqcompat: ['true', 'false'],
  application_name: null,
  fallback_application_name: null,
  options: null,
  user: null,
  host: null,
  port: null,
};

/** What is wrong with a PostgreSQL URL, which the driver has to parse, and whose password messages have to hide; null where nothing is. */
export function postgresUrlProblem(text: string): string | null {
  const login = loginProblem(text);
  if (login !== null) return login;
  const url = parsed(text);
  if (url === null) {
    return (
      'is not a PostgreSQL URL: expected postgres://user:password@host:5432/database, ' +
      'with % / ? # [ ] @ and : in the password written as %25 %2F %3F %23 %5B %5D %40 and %3A'
    );
  }
  for (const [name, value] of url.searchParams) {
    if (!Object.hasOwn(PARAMETERS, name)) {
      return `there is no parameter ${name}.${nameHint(name, Object.keys(PARAMETERS))}`;
    }
    const values = PARAMETERS[name];
    if (values?.includes(value) === false) {
      return `${name} is one of ${values.join(', ')}, not ${JSON.stringify(value)}`;
    }
  }
  return null;
}

/** @returns null also for a raw `@` and for a password in the query, which messages would show */
function parsed(text: string): URL | null {
  try {
    const url = new URL(text);
    decodeURIComponent(url.username + url.password + url.pathname);
    const isWhole = /^postgres(?:ql)?:\/\/[^/?#@]*(?:@[^/?#@]*)?\/[^/?#]/.test(text);
    return isWhole && !url.searchParams.has('password') ? url : null;
  } catch {
    return null;
  }
}
