import type { FastifyInstance } from 'fastify';
import type { Issuers } from '../../config/settings/authentication.ts';
import { jsonAnswer } from '../../answer/answer.ts';
import { ProtocolError } from '../../base/errors.ts';
import type { RestRequest } from '../../protocol/rest-request.ts';
import { publicUrlOf } from './public-url.ts';
import { requestContextOf, send } from './reply.ts';

/** Where clients find who issues tokens for the gateway (RFC 9728 §3.1); the path of the resource follows. */
export const METADATA_PATH = '/.well-known/oauth-protected-resource';

/** What a token may be for, by its path (RFC 8707): the API, agents, and all together. */
export const RESOURCES = ['', '/rest', '/mcp'] as const;

/** The resource that a URL is of. */
function resourceOf(url: string): string {
  return /^\/(?:rest|mcp)(?=[/?]|$)/.exec(url)?.[0] ?? '';
}

/** Adds to the challenge `Bearer …` where its client learns to get a token (RFC 9728 §5.1), and whether the one it sent is refused (RFC 6750 §3.1). */
export function explainedChallenge(
  challenge: string,
  { scopes }: Issuers,
  { url, headers, isSecure, host }: Pick<RestRequest, 'url' | 'headers' | 'isSecure' | 'host'>,
  settings: { readonly publicUrl?: string | undefined },
): string {
  const metadata = `${publicUrlOf({ isSecure, host }, settings)}${METADATA_PATH}${resourceOf(url)}`;
  const parameters = {
    resource_metadata: metadata,
    ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
    ...(headers.authorization === undefined ? {} : { error: 'invalid_token' }),
  };
  return [
    challenge,
    ...Object.entries(parameters).map(([name, value]) => `${name}="${value}"`),
  ].join(', ');
}

/** What is told about the tokens that the gateway accepts. */
export interface ResourceHandling {
  /** Null where it accepts none of an issuer that clients could ask. */
  readonly issuers: Issuers | null;
  readonly application: string;
  readonly settings: { readonly publicUrl?: string | undefined };
}

/** Serves the metadata of the gateway as a resource of OAuth (RFC 9728), for agents and other clients that know no more than its address. */
export function serveResourceMetadata(
  server: FastifyInstance,
  served: { readonly handling: { readonly resource: ResourceHandling } },
): void {
  for (const resource of RESOURCES) {
    server.get(`${METADATA_PATH}${resource}`, (request, reply) => {
      requestContextOf(request).observer.requestNamed?.({ operation: 'metadata', dataclass: null });
      const { issuers, application, settings } = served.handling.resource;
      if (issuers === null) {
        const message = 'The gateway accepts no tokens of an issuer that clients could ask.';
        throw new ProtocolError('noSuchPath', message);
      }
      const isSecure = request.protocol === 'https';
      const metadata = {
        resource: `${publicUrlOf({ isSecure, host: request.host }, settings)}${resource}`,
        resource_name: application,
        authorization_servers: issuers.urls,
        ...(issuers.scopes.length === 0 ? {} : { scopes_supported: issuers.scopes }),
        bearer_methods_supported: ['header'],
      };
      return send(jsonAnswer(JSON.stringify(metadata)), reply);
    });
  }
}
