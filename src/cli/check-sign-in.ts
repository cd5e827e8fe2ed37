import type { StartupProblem } from '../base/errors.ts';
import type { Config } from '../config/config.ts';
import { acceptedAlgorithms, type JwtSettings } from '../config/settings/authentication.ts';
import { isOfThisMachine } from '../config/settings/identity-provider.ts';
import { isLoopback } from '../config/settings/listening.ts';
import type { OidcSettings } from '../config/settings/oidc.ts';

/** The results for all identity providers of a configuration. */
interface CheckedProviders {
  readonly problems: readonly StartupProblem[];
  readonly advice: readonly string[];
  /** The hosts that have answered as they should. */
  readonly hosts: readonly string[];
}

/** Tries the identity providers of a configuration, which the gateway itself asks only once somebody signs in. */
export async function checkProviders({
  authentication,
  locate,
}: Pick<Config, 'authentication' | 'locate'>): Promise<CheckedProviders> {
  const { oidc, jwt } = authentication ?? {};
  if (oidc === undefined && jwt?.jwks === undefined) return { problems: [], advice: [], hosts: [] };
  const { checkIssuer, keysProblem } = await import('../access/auth/check-provider.ts');
  const ofIssuer = async (settings: OidcSettings) => ({
    ...(await checkIssuer(settings)),
    setting: 'authentication.oidc.issuer',
    url: settings.issuer,
  });
  const ofKeys = async (url: string, settings: JwtSettings) => {
    const problem = await keysProblem(url, acceptedAlgorithms(settings));
    const problems = problem === null ? [] : [problem];
    return { problems, doubts: [], setting: 'authentication.jwt.jwks', url };
  };
  const checked = await Promise.all([
    ...(oidc === undefined ? [] : [ofIssuer(oidc)]),
    ...(jwt?.jwks === undefined ? [] : [ofKeys(jwt.jwks, jwt)]),
  ]);
  return {
    problems: checked.flatMap(({ setting, problems }) =>
      problems.map((message) => ({ where: locate(setting), message })),
    ),
    advice: checked.flatMap(({ doubts }) => doubts),
    hosts: [
      ...new Set(
        checked.flatMap(({ url, problems }) => (problems.length === 0 ? new URL(url).host : [])),
      ),
    ],
  };
}

/** Advises on what refuses each sign-in, as far as the configuration shows it: cookies travel by https alone, except on this machine. */
export async function signInAdvice({
  authentication,
  server: { host, tls, trustedProxies, publicUrl },
}: Pick<Config, 'authentication' | 'server'>): Promise<string[]> {
  if (authentication?.oidc === undefined) return [];
  if (publicUrl !== undefined) {
    const url = new URL(publicUrl);
    return url.protocol === 'https:' || isOfThisMachine(url)
      ? []
      : ['A sign-in is refused by http: let server.publicUrl begin with https://.'];
  }
  if (tls !== undefined || trustedProxies.length > 0 || (await isLoopback(host))) return [];
  return [
    'A sign-in is refused by http: set server.tls, or behind a proxy that has the certificate server.trustedProxies or server.publicUrl.',
  ];
}
