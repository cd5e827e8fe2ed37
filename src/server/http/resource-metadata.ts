import type { FastifyInstance } from 'fastify';
import { jsonAnswer } from '../../answer/answer.ts';
import { ProtocolError } from '../../base/errors.ts';
import type { Issuers } from '../../config/settings/authentication.ts';
import { MCP_PATH } from '../../config/settings/mcp.ts';
import { METADATA_PATH, RESOURCES } from './protected-resource.ts';
import { checkedPublicUrl } from './public-url.ts';
import { requestContextOf, send } from './reply.ts';

/** What is told about the tokens that the gateway accepts. */
export interface ResourceHandling {
  /** Null where it accepts none of an issuer that clients could ask. */
  readonly issuers: Issuers | null;
  readonly application: string;
  readonly settings: { readonly publicUrl?: string | undefined; readonly hosts: readonly string[] };
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
      const isServed = resource !== MCP_PATH || server.hasRoute({ method: 'POST', url: MCP_PATH });
      if (issuers === null || !isServed) {
        const message = 'The gateway accepts no tokens of an issuer that clients could ask.';
        throw new ProtocolError('noSuchPath', message).advising(
          'Configure authentication.jwt with the address of the issuer.',
        );
      }
      const metadata = {
        resource: `${checkedPublicUrl(request, settings)}${resource}`,
        resource_name: application,
        authorization_servers: issuers.urls,
        ...(issuers.scopes.length === 0 ? {} : { scopes_supported: issuers.scopes }),
        bearer_methods_supported: ['header'],
      };
      return send(jsonAnswer(JSON.stringify(metadata)), reply);
    });
  }
}
