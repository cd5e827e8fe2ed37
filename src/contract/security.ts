import { issuersOf } from '../config/settings/authentication.ts';
import { SIGN_IN_PATH } from '../config/settings/oidc.ts';
import type { JsonObject } from './json-schema.ts';
import type { ContractSettings } from './settings.ts';

/** How a caller says who it is (https://spec.openapis.org/oas/v3.1.0#security-scheme-object). */
interface Security {
  /** The configured ways, by name. */
  readonly schemes: JsonObject;
  /** One of them is enough; an empty object where none is needed. No item where nobody is asked. */
  readonly security: readonly JsonObject[];
}

/** Returns the ways of the configuration; none where everybody is let in. */
export function securityOf({
  authentication,
  sessions,
}: Pick<ContractSettings, 'authentication' | 'sessions'>): Security {
  if (authentication === undefined) return { schemes: {}, security: [] };
  const { anonymous, apiKeys, jwt, oidc, users } = authentication;
  const issuers = (jwt && issuersOf(jwt)?.urls) ?? [];
  const schemes = {
    ...(apiKeys && { apiKey: { type: 'apiKey', in: 'header', name: 'api-key' } }),
    ...((apiKeys ?? jwt) && {
      bearer: {
        type: 'http',
        scheme: 'bearer',
        ...(apiKeys === undefined ? { bearerFormat: 'JWT' } : {}),
        description: [
          ...(apiKeys === undefined ? [] : ['an API key']),
          ...(jwt === undefined ? [] : ['a JSON Web Token']),
        ].join(' or '),
      },
    }),
    ...Object.fromEntries(
      issuers.map((issuer, index) => [
        `openIdConnect${index === 0 ? '' : index + 1}`,
        {
          type: 'openIdConnect',
          openIdConnectUrl: `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
          description: 'A JSON Web Token of this issuer.',
        },
      ]),
    ),
    ...(users && { basic: { type: 'http', scheme: 'basic' } }),
    ...((users ?? oidc) && {
      session: {
        type: 'apiKey',
        in: 'cookie',
        name: sessions.cookie,
        description: `The session that ${[users && '/rest/$directory/login', oidc && SIGN_IN_PATH].filter(Boolean).join(' or ')} opens.`,
      },
    }),
    // A browser that signs in gets the cookie alone.
    ...(users && {
      sessionHeader: {
        type: 'apiKey',
        in: 'header',
        name: sessions.header,
        description: 'The same session, for clients without cookies.',
      },
    }),
  };
  return {
    schemes,
    security: [
      ...Object.keys(schemes).map((name) => ({ [name]: [] })),
      ...(anonymous === undefined ? [] : [{}]),
    ],
  };
}
