/** How much of a name or of a value messages repeat, in characters. */
export const LONGEST_SHOWN = 60;

/** A name or a value as messages repeat it. @param most how much of it, in characters */
export function excerpt(text: string, most = LONGEST_SHOWN): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** How long a message may be, and a word of one. */
const MOST_MESSAGE = 4000;
const LONG_WORD = /\S{200,}/g;

/** A message without what would fill pages: names and keys come from clients, who may send megabytes of them. */
export function readable(message: string): string {
  const short =
    message.length <= MOST_MESSAGE
      ? message
      : `${message.slice(0, MOST_MESSAGE / 2)}…${message.slice(-MOST_MESSAGE / 2)}`;
  return short.replace(LONG_WORD, (word) => excerpt(word));
}
