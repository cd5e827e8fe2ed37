import type { Issuers } from '../../config/settings/authentication.ts';
import type { RestRequest } from '../../protocol/rest-request.ts';
import { sendsToken } from './admission.ts';
import { publicUrlOf } from './public-url.ts';

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
  const base = publicUrlOf({ isSecure, host }, settings);
  const parameters = {
    ...(base !== null && { resource_metadata: `${base}${METADATA_PATH}${resourceOf(url)}` }),
    ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
    ...(sendsToken(headers) ? { error: 'invalid_token' } : {}),
  };
  return [
    challenge,
    ...Object.entries(parameters).map(([name, value]) => `${name}="${value}"`),
  ].join(', ');
}
