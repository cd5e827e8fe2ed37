/** What the security headers depend on. */
export interface Surroundings {
  /** Whether the gateway itself speaks TLS: only then may browsers be told to insist on it. */
  readonly isTls: boolean;
  /** Whether pages of other origins are served: what they may read is then decided by CORS. */
  readonly isShared: boolean;
}

/** How long browsers insist on TLS, in seconds: a year. */
const INSIST = 31_536_000;

/**
 * What browsers are told besides: nothing here is a page, to be framed, to run scripts, or to be linked from. Headers that mean
 * something to pages alone are left out. The names below this one are not the gateway's to decide over.
 */
export function securityHeaders({
  isTls,
  isShared,
}: Surroundings): Readonly<Record<string, string>> {
  return {
    'content-security-policy': "default-src 'none';frame-ancestors 'none'",
    'cross-origin-resource-policy': isShared ? 'cross-origin' : 'same-origin',
    'referrer-policy': 'no-referrer',
    ...(isTls ? { 'strict-transport-security': `max-age=${INSIST}` } : {}),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  };
}
