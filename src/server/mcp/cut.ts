/** An answer that fits, and what is to be said of it. */
export interface Fitted {
  /** JSON text. */
  readonly data: string;
  /** Null where it is complete. */
  readonly note: string | null;
}

/** A part of a list: how many items were passed over, and how many asked for at most. */
export interface Window {
  readonly skip: number;
  readonly top: number;
}

interface FitOptions {
  /** How many bytes of JSON text it may have. */
  readonly maxBytes: number;
  /** Which part of its list was asked for; null where none can be. */
  readonly window: Window | null;
}

/** The beginning of an answer that is a list: a collection or groups with their header, a bare array, or the rows of a function. */
const LIST = /^(?:\{(?:"__\w+":(?:"[^"\\]*"|\d+|null),)*"__(?:ENTITIES|GROUPS)":|\{"result":|)\[/;

/** Cuts an answer that is too large, where only its beginning may be there: a list behind a whole item, and anything else within its text. The result is JSON, and says how to go on. */
export function fitted(text: string, { maxBytes, window }: FitOptions): Fitted {
  const [head = ''] = LIST.exec(text) ?? [];
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes && head === '') return beginning(text, maxBytes);
  const { end, count } = itemsWithin(text, head.length, maxBytes);
  if (bytes <= maxBytes)
    return { data: text, note: head === '' ? null : restOf(head, count, window) };
  const isGroups = head.includes('"__GROUPS":');
  const sent = isGroups || head.includes('"__ENTITIES":') ? `,"__SENT":${count}` : '';
  const data = `${text.slice(0, end)}]${sent}${head === '[' ? '' : '}'}`;
  const all = countIn(head);
  const what =
    count === 0
      ? `the first item alone is larger than ${maxBytes} bytes`
      : `sent ${count}${all === null ? '' : ` of ${all}`}, since an answer has at most ${maxBytes} bytes`;
  const next = window === null || count === 0 ? '' : `, or go on with skip: ${window.skip + count}`;
  const fewer = isGroups ? 'groups and aggregates' : 'attributes and relations';
  return { data, note: `Cut: ${what}. Ask for fewer ${fewer}${next}.` };
}

/** How many there are, as the head of a collection says; null where it does not. */
function countIn(head: string): number | null {
  const [, count] = /"__COUNT":(\d+)/.exec(head) ?? [];
  return count === undefined ? null : Number(count);
}

/** Says of a page how to go on; null where nothing is left. */
function restOf(head: string, count: number, window: Window | null): string | null {
  if (window === null || count === 0) return null;
  const all = countIn(head);
  const next = window.skip + count;
  if (all === null) {
    return count < window.top
      ? null
      : `Sent ${count}; there may be more. Go on with skip: ${next}.`;
  }
  return next >= all ? null : `Sent ${count} of ${all}. Go on with skip: ${next}.`;
}

/** Finds the items of a list that fit. @returns the offset behind the last of them, and how many they are */
function itemsWithin(
  text: string,
  from: number,
  maxBytes: number,
): { readonly end: number; readonly count: number } {
  let [end, count, bytes, depth, inText] = [from, 0, 0, 0, false];
  for (let at = from; at < text.length && at - end <= maxBytes; at += 1) {
    const character = text[at];
    const isEnd = !inText && depth === 0 && (character === ',' || character === ']');
    if (isEnd && at > from) {
      bytes += Buffer.byteLength(text.slice(end, at));
      if (bytes > maxBytes) break;
      [end, count] = [at, count + 1];
    }
    if (isEnd && character === ']') break;
    if (character === '"') inText = !inText;
    else if (inText && character === '\\') at += 1;
    else if (!inText && (character === '[' || character === '{')) depth += 1;
    else if (!inText && (character === ']' || character === '}')) depth -= 1;
  }
  return { end, count };
}

/** A character takes at most so many bytes as JSON within JSON. */
const MOST_BYTES = 3;

function beginning(text: string, maxBytes: number): Fitted {
  const part = text.slice(0, Math.floor(maxBytes / MOST_BYTES)).toWellFormed();
  const note = `Cut: the answer has more than ${maxBytes} bytes. data is a text: the beginning of the answer, which ends in the middle. Ask for fewer attributes and relations.`;
  return { data: JSON.stringify(part), note };
}
