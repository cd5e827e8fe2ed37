/** A request in the forms that people paste elsewhere. */
export interface RequestForms {
  readonly url: string;
  readonly curl: string;
  readonly fetch: string;
}

/**
 * Writes a GET in the forms that people paste elsewhere. Whoever is logged in has to add who they are: no form holds a secret.
 * @param path begins with `/rest/`, escaped
 * @param origin of the gateway: `http://127.0.0.1:8080`
 */
export function requestForms(path: string, origin: string): RequestForms {
  const url = `${origin}${path}`;
  return {
    url,
    // -g, since curl reads braces and brackets of keys as patterns otherwise.
    curl: `curl -g ${shellQuoted(url)}`,
    fetch: `const response = await fetch(${scriptQuoted(url)});\nconst answer = await response.json();`,
  };
}

/** For POSIX shells: nothing but the quote itself means anything between single quotes. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function scriptQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
}
