import type { Answer } from '../../answer/answer.ts';
import { ProtocolError } from '../../base/errors.ts';
import { SIGN_IN_PATH } from '../../config/settings/oidc.ts';

/** Makes a page of an answer to a sign-in that failed, which leads to another try. It runs nothing and loads nothing. */
export function problemPage({ status, headers }: Answer, error: unknown): Answer {
  const why = error instanceof ProtocolError ? error.message : 'The gateway has failed.';
  const again = SIGN_IN_PATH.slice(SIGN_IN_PATH.lastIndexOf('/') + 1);
  const body = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Not signed in</title></head>
<body><h1>Not signed in</h1><p>${escaped(why)}</p><p><a href="${again}">Sign in again</a></p></body>
</html>
`;
  return { status, headers: { ...headers, 'content-type': 'text/html; charset=utf-8' }, body };
}

/** A text as HTML shows it, whatever signs it has. */
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
