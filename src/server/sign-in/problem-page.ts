import { hash } from 'node:crypto';
import type { Answer } from '../../answer/answer.ts';
import { ProtocolError } from '../../base/errors.ts';
import { SIGN_IN_PATH } from '../../config/settings/oidc.ts';

const STYLE =
  ':root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}main{max-width:36rem;margin:15vh auto;padding:0 1rem}a{display:inline-block;padding:.25rem 0;color:inherit}';

/** The page runs nothing, and shows its own style alone (CSP 3). */
const POLICY = `default-src 'none';style-src 'sha256-${hash('sha256', STYLE, 'base64')}';frame-ancestors 'none'`;

/** Makes a page of an answer to a sign-in that failed, which leads to another try. @param wanted where the user goes on then */
export function problemPage(
  { status, headers }: Answer,
  error: unknown,
  wanted: string | null,
): Answer {
  const why = error instanceof ProtocolError ? error.message : 'The gateway has failed.';
  const returnTo = wanted === null ? '' : `?return_to=${encodeURIComponent(wanted.toWellFormed())}`;
  const again = `${SIGN_IN_PATH.slice(SIGN_IN_PATH.lastIndexOf('/') + 1)}${returnTo}`;
  const body = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Not signed in</title><style>${STYLE}</style></head>
<body><main><h1>Not signed in</h1><p>${escaped(why)}</p><a href="${escaped(again)}">Sign in again</a></main></body>
</html>
`;
  const own = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY };
  return { status, headers: { ...headers, ...own }, body };
}

/** A text as HTML shows it, whatever signs it has. */
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
