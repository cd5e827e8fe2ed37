import type { RestRequest } from '../../protocol/rest-request.ts';

/** The address by which clients reach the gateway, without a slash at its end, as `server.publicUrl` or else the request itself says it. */
export function publicUrlOf(
  { isSecure, host }: Pick<RestRequest, 'isSecure' | 'host'>,
  { publicUrl }: { readonly publicUrl?: string | undefined },
): string {
  return publicUrl ?? `${isSecure ? 'https' : 'http'}://${host}`;
}
