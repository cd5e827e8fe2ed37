import { ProtocolError } from '../base/errors.ts';
import type { RequestAst } from '../request/ast.ts';
import type { RestRequest } from '../request/rest-request.ts';

/** Headers that no browser sends for another site before this one has allowed it. */
const OWN_HEADERS = ['x-requested-with', 'api-key'] as const;

/**
 * Refuses what changes something where a browser says that another site has it do so: the browser would send the user's cookie, or password, with it
 * (DECISIONS, "Sessions and login"). Other programs than browsers say nothing of sites.
 * https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Sec-Fetch-Site
 * @param origins those of other sites that may
 * @throws ProtocolError crossSite
 */
export function refuseCrossSite(
  { headers, host }: Pick<RestRequest, 'headers' | 'host'>,
  origins: ReadonlySet<string>,
): void {
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin' || site === 'none') return;
  const { origin } = headers;
  if (site === undefined && origin === undefined) return;
  if (OWN_HEADERS.some((name) => headers[name] !== undefined)) return;
  if (/^bearer /i.test(headers.authorization ?? '')) return;
  if (origin !== undefined && (origins.has(origin) || origins.has('*'))) return;
  if (site === undefined && origin !== undefined && hostOf(origin) === host.toLowerCase()) return;
  throw new ProtocolError(
    'crossSite',
    'A page of another site may not have this done here. Send the header X-Requested-With, or have the gateway’s cors.origins name the site.',
  );
}

function hostOf(origin: string): string | null {
  try {
    return new URL(origin).host;
  } catch {
    return null;
  }
}

/** Whether a request changes something, if only what the gateway keeps for its client. */
export function changesSomething(ast: RequestAst): boolean {
  switch (ast.kind) {
    case 'read':
    case 'entitySet':
    case 'catalog':
    case 'info':
      return false;
    case 'call':
      return !ast.byGet;
    case 'release':
    case 'deleteSet':
    case 'save':
    case 'delete':
    case 'attributeUpload':
    case 'upload':
    case 'lock':
    case 'directory':
      return true;
  }
}
