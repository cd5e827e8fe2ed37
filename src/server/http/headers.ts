import type { IncomingMessage } from 'node:http';

/** Headers that concern one connection only (RFC 9110, 7.6.1). */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Splits a header that is a list into its items, in lower case. */
export function listed(value: string | readonly string[] | undefined): readonly string[] {
  return String(value ?? '')
    .toLowerCase()
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** Pairs raw headers, which are names and values in turn. */
export function headerPairs(rawHeaders: readonly string[]): [name: string, value: string][] {
  return Array.from({ length: rawHeaders.length / 2 }, (_, index) => [
    rawHeaders[2 * index] ?? '',
    rawHeaders[2 * index + 1] ?? '',
  ]);
}

/** Removes headers from raw headers. @param names in lower case */
export function withoutHeaders(
  rawHeaders: readonly string[],
  names: ReadonlySet<string>,
): string[] {
  return headerPairs(rawHeaders)
    .filter(([name]) => !names.has(name.toLowerCase()))
    .flat();
}

/** Writes the head of a request, for a connection that takes text. */
export function requestHead(
  { method = 'GET', url = '/' }: IncomingMessage,
  httpVersion: string,
  headers: readonly (readonly [name: string, value: string])[],
): string {
  const fields = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${url} HTTP/${httpVersion}\r\n${fields.join('')}\r\n`;
}
