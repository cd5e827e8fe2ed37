import type { FastifyRequest } from 'fastify';
import { ProtocolError } from '../../base/errors.ts';
import type { RestRequest } from '../../protocol/rest-request.ts';
import { checkHosts } from './admission.ts';

/** A host, with its port (RFC 3986 §3.2.2). */
const HOST = /^[\w.:[\]-]+$/;

/**
 * The address by which clients reach the gateway, without a slash at its end, as `server.publicUrl` or else the request itself says it.
 * @returns null where the request does not say it
 */
export function publicUrlOf(
  { isSecure, host }: Pick<RestRequest, 'isSecure' | 'host'>,
  { publicUrl }: { readonly publicUrl?: string | undefined },
): string | null {
  if (publicUrl !== undefined) return publicUrl;
  const url = `${isSecure ? 'https' : 'http'}://${host}`;
  return HOST.test(host) && URL.canParse(url) ? new URL(url).origin : null;
}

/** As {@link publicUrlOf}, for answers that lead somebody there. @throws ProtocolError badHost for a name that is not the gateway's, badRequest without one */
export function checkedPublicUrl(
  request: FastifyRequest,
  settings: { readonly publicUrl?: string | undefined; readonly hosts: readonly string[] },
): string {
  const { publicUrl, hosts } = settings;
  if (publicUrl === undefined && hosts.length > 0) checkHosts(request, hosts);
  const { protocol, host } = request;
  const url = publicUrlOf({ isSecure: protocol === 'https', host }, settings);
  if (url !== null) return url;
  throw new ProtocolError('badRequest', 'The Host header is missing, or is not a host.');
}
