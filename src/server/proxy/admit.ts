import type { FastifyReply, FastifyRequest } from 'fastify';
import { ProtocolError } from '../../base/errors.ts';
import type { Principal } from '../../base/principal.ts';
import type { SessionNames } from '../../state/session/sessions.ts';
import { refuseCrossSite, type CrossOrigins } from '../http/cross-site.ts';
import type { Handling } from '../pipeline/handle.ts';
import { attendanceOf } from '../http/reply.ts';
import type { RestRequest } from '../../protocol/rest-request.ts';
import { originForm } from '../http/admission.ts';
import type { ProxyRoute } from './routes.ts';
import { upgradeOf } from './upgrades.ts';

/** Verbs that change nothing (RFC 9110, 9.2.1). */
const SAFE: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'OPTIONS',
  'PROPFIND',
  'REPORT',
  'SEARCH',
]);

/**
 * Tells who has a request forwarded, before anything of it is. Where an application has the gateway's authentication, pages of other sites can have nothing
 * changed in the name of a user, and open no web socket.
 * @returns null where nobody is asked who they are
 * @throws ProtocolError notLoggedIn, roleMissing, crossSite
 */
export async function admitForward(
  request: FastifyRequest,
  reply: FastifyReply,
  { authentication }: ProxyRoute,
  {
    admit,
    refusalHeaders,
    crossOrigins,
    sessionNames,
  }: Pick<Handling, 'admit' | 'refusalHeaders'> & {
    readonly crossOrigins: CrossOrigins;
    readonly sessionNames: SessionNames;
  },
): Promise<Principal | null> {
  if (authentication === false) return null;
  const { raw, ip, host, method } = request;
  const { headers } = raw;
  try {
    const url = originForm(request.originalUrl);
    const head = { verb: method as RestRequest['verb'], url, headers, address: ip };
    const { principal, audience } = await admit(head, attendanceOf(request));
    if (principal.name === null) {
      throw new ProtocolError(
        'notLoggedIn',
        'Say who you are: send credentials, or log in at /rest/$directory/login.',
      );
    }
    const isEnough =
      authentication === true ||
      audience.isAdmin ||
      principal.roles.some((role) => authentication.includes(role));
    if (!isEnough) {
      throw new ProtocolError(
        'roleMissing',
        'None of your roles lets you use what is served here.',
      );
    }
    if (!SAFE.has(method) || upgradeOf(raw) !== null) {
      const isSecure = request.protocol === 'https';
      const verb = method as RestRequest['verb'];
      refuseCrossSite({ verb, headers, host, isSecure }, crossOrigins, sessionNames.header);
    }
    return principal;
  } catch (error) {
    void reply.headers(refusalHeaders(error, request.protocol === 'https'));
    throw error;
  }
}
