import type { StartupProblem } from '../base/errors.ts';
import type { Config } from '../config/config.ts';
import { acceptedAlgorithms } from '../config/settings/authentication.ts';
import { isLoopback } from '../config/settings/listening.ts';

/** Tries the identity providers of a configuration, which the gateway itself asks only once somebody signs in. */
export async function providerProblems({
  authentication,
  locate,
}: Pick<Config, 'authentication' | 'locate'>): Promise<StartupProblem[]> {
  const { oidc, jwt } = authentication ?? {};
  if (oidc === undefined && jwt?.jwks === undefined) return [];
  const { issuerProblems, keysProblem } = await import('../access/auth/check-provider.ts');
  const [ofIssuer, ofKeys] = await Promise.all([
    oidc === undefined ? [] : issuerProblems(oidc),
    jwt?.jwks === undefined ? null : keysProblem(jwt.jwks, acceptedAlgorithms(jwt)),
  ]);
  const at = (setting: string, message: string): StartupProblem => ({
    where: locate(setting),
    message,
  });
  return [
    ...ofIssuer.map((message) => at('authentication.oidc.issuer', message)),
    ...(ofKeys === null ? [] : [at('authentication.jwt.jwks', ofKeys)]),
  ];
}

/** Advises on what refuses each sign-in, as far as the configuration shows it: cookies travel by https alone, except on this machine. */
export async function signInAdvice({
  authentication,
  server: { host, tls, trustedProxies, publicUrl },
}: Pick<Config, 'authentication' | 'server'>): Promise<string[]> {
  const isReachedByHttps =
    tls !== undefined || publicUrl !== undefined || trustedProxies.length > 0;
  if (authentication?.oidc === undefined || isReachedByHttps || (await isLoopback(host))) return [];
  return [
    'A sign-in is refused by http: set server.tls, or behind a proxy that has the certificate server.trustedProxies or server.publicUrl.',
  ];
}
