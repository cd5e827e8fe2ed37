/** How long an engine's message may be: values may stand in it. */
const MOST = 4000;

/** In whatever quotes a language has; an apostrophe within a word is none. */
// eslint-disable-next-line regexp/no-super-linear-move -- of what is as short as that
const QUOTED = /(?<![\p{L}\p{N}])'[^']+'(?![\p{L}\p{N}])|"[^"]+"|«[^»]+»|[“„][^“”]+[“”]/gu;

/** What stands in quotes in an engine's message, whatever its language; each once. */
export function quotedIn(message: string): readonly string[] {
  const found = Array.from(message.slice(0, MOST).matchAll(QUOTED), ([whole]) =>
    whole.slice(1, -1).trim(),
  );
  return [...new Set(found)];
}
