/** In whatever quotes a language has; an apostrophe within a word is none. */
const QUOTED = /(?<![\p{L}\p{N}])'[^']+'(?![\p{L}\p{N}])|"[^"]+"|«[^»]+»|[“„][^“”]+[“”]/gu;

/** What stands in quotes in an engine's message, whatever its language; each once. */
export function quotedIn(message: string): readonly string[] {
  const found = Array.from(message.matchAll(QUOTED), ([whole]) =>
    whole.replace(/^['"«“„]\s*|\s*['"»“”]$/g, ''),
  );
  return [...new Set(found)];
}
