import { isLongText, type Text } from '../../base/text.ts';
import type { Row } from '../../database/database.ts';
import type { EntityShape, RowsPlan } from '../../plan/condition/types.ts';
import { type FetchedRows, MOST_RELATED_ENTITIES, tooManyRelated } from '../../run/read/read.ts';
import { type EntityForm, type EntityOptions, entityParts, type Part } from './entity-parts.ts';
import { ProtocolError } from '../../base/errors.ts';
import type { TimeSlice } from '../../base/time.ts';

/** Text in parts: other requests may run between two of them. */
export type Writing = Generator<string, void>;

/** The largest answer, in characters of text or in bytes: all of it is in memory at once. */
export const LONGEST_ANSWER = 268_435_456;

/** The error for an answer longer than {@link LONGEST_ANSWER}. */
export function answerTooLong(): ProtocolError {
  const message =
    'The answer would be larger than 256 MB: ask for fewer attributes, or for a smaller page.';
  return new ProtocolError('answerTooLarge', message);
}

/** Writes parts one after the other. */
export function* inOrder(parts: readonly (string | Writing)[]): Writing {
  for (const part of parts) {
    if (typeof part === 'string') yield part;
    else yield* part;
  }
}

/** How many characters are joined into one string: to join all of a long answer would block the event loop. */
const PIECE = 131_072;

/** How many characters of short items are written at once: a look at the clock takes as long as a short item. */
const TOGETHER = 4096;

/** Writes a list with a separator between its items. */
export function* listWriting<Item>(
  items: Iterable<Item>,
  write: (item: Item, index: number) => string | Writing,
  separator: string,
): Writing {
  let index = 0;
  let text = '';
  for (const item of items) {
    if (index > 0) text += separator;
    const written = write(item, index);
    index += 1;
    if (typeof written === 'string') {
      text += written;
      if (text.length < TOGETHER) continue;
      yield text;
    } else {
      if (text !== '') yield text;
      yield* written;
    }
    text = '';
  }
  if (text !== '') yield text;
}

/** Joins a text in time slices. @param enough behind so many characters no more is written @throws ProtocolError answerTooLarge beyond `most` characters */
export async function writtenText(
  writing: string | Writing,
  slice: TimeSlice,
  most = LONGEST_ANSWER,
  enough = Infinity,
): Promise<Text> {
  if (typeof writing === 'string') return writing;
  const pieces: string[] = [];
  let texts: string[] = [];
  let [length, open] = [0, 0];
  for (const text of writing) {
    length += text.length;
    if (length > most) throw answerTooLong();
    texts.push(text);
    open += text.length;
    if (length > enough) break;
    if (open > PIECE) {
      pieces.push(texts.join(''));
      texts = [];
      open = 0;
    }
    if (slice.isOver()) await slice.pause();
  }
  const last = texts.join('');
  return pieces.length === 0 ? last : [...pieces, last];
}

/** State that the writers of one answer share. */
export interface AnswerContext {
  readonly globalStamp: string;
  /** How many related entities have been written. */
  relatedEntities: number;
  /** In the answer to a save. */
  saved?: SavedContext;
}

/** How the save of the entity that is being written ended. */
export interface SavedContext {
  /** `"__STATUS":…`. */
  readonly head: string;
  /** JSON of the entities that were saved along with it, by its relations. */
  readonly members: ReadonlyMap<string, Text>;
  /** In a dry run the row of the entity as it is; null for a new entity. */
  readonly current?: Row | null | undefined;
  /** `,"__ERROR":…`; empty where there is no error. */
  readonly tail: string;
}

/** Writes the row `from[index]` as JSON text, in parts where that may take long. @throws ProtocolError answerTooLarge, also while parts are written */
export type EntityWriter = (
  row: Row,
  index: number,
  from: FetchedRows,
  answer: AnswerContext,
) => string | Writing;

/** Compiles the writer of a shape's entities: names, quotes and commas are put together once for all requests of a shape. */
export function compileEntity(
  shape: EntityShape,
  fetch: RowsPlan,
  form: EntityForm,
  options?: EntityOptions,
): EntityWriter {
  return compileParts(entityParts(shape, fetch, form, options));
}

function compileParts(parts: readonly Part[]): EntityWriter {
  const writers = parts.map(compilePart);
  // Without rest parameters: this runs for each entity of each answer.
  return (row, index, from, answer) => {
    let text = '';
    let pieces: (string | Writing)[] | null = null;
    for (const write of writers) {
      const written = write(row, index, from, answer);
      if (typeof written === 'string') {
        text += written;
      } else {
        pieces ??= [];
        pieces.push(text, written);
        text = '';
      }
    }
    return pieces === null ? text : inOrder([...pieces, text]);
  };
}

function compilePart(part: Part): EntityWriter {
  switch (part.kind) {
    case 'text':
      return () => part.text;
    case 'value':
      return compileValue(part);
    case 'row':
      return part.json;
    case 'entity': {
      const { column, whenNull } = part;
      const write = compileParts(part.parts);
      return (row, index, from, answer) =>
        row[column] === null ? whenNull : write(row, index, from, answer);
    }
    case 'list':
      return compileList(part);
    case 'current': {
      const write = compileParts(part.parts);
      return (row, index, from, answer) => {
        const { current = row } = answer.saved ?? {};
        return current === null ? '' : write(current, index, from, answer);
      };
    }
    case 'savedMember': {
      const { name, head } = part;
      const write = compilePart(part.part);
      return (row, index, from, answer) => {
        const saved = answer.saved?.members.get(name);
        if (saved === undefined) return write(row, index, from, answer);
        return typeof saved === 'string' ? head + saved : inOrder([head, ...saved]);
      };
    }
    case 'savedHead':
      return (_row, _index, _from, { saved }) => saved?.head ?? '';
    case 'savedTail':
      return (_row, _index, _from, { saved }) => {
        if (saved === undefined || saved.members.size === 0) return saved?.tail ?? '';
        return inOrder([...memberTexts(saved.members, part.shown), saved.tail]);
      };
  }
}

function compileValue({
  head,
  column,
  whenNull,
  json,
  longJson,
}: Extract<Part, { kind: 'value' }>): EntityWriter {
  const write = (row: Row): string => (row[column] === null ? whenNull : head + json(row[column]));
  if (longJson === undefined) return write;
  return (row) => {
    const value = row[column];
    const isLong = typeof value === 'string' && isLongText(value);
    const pieces = isLong ? longJson(value) : null;
    return pieces === null ? write(row) : inOrder([head, pieces]);
  };
}

function compileList({ child, head, tail, parts }: Extract<Part, { kind: 'list' }>): EntityWriter {
  const write = compileParts(parts);
  return function* (row, index, { children }, answer) {
    const related = children[child];
    const list = related?.groupOf[index] ?? -1;
    const group = related?.groups[list];
    if (related === undefined || group === undefined) {
      // The answer is usually cut before a list that was not read.
      if (list >= 0) throw tooManyRelated(related?.fetched.rows.length);
      yield head(row, 0, answer.globalStamp) + tail(0);
      return;
    }
    const { start, end, count } = group;
    answer.relatedEntities += end - start;
    if (answer.relatedEntities > MOST_RELATED_ENTITIES) throw tooManyRelated();
    yield head(row, count, answer.globalStamp);
    const { fetched } = related;
    const one = (found: Row, at: number): string | Writing =>
      write(found, start + at, fetched, answer);
    yield* listWriting(fetched.rows.slice(start, end), one, ',');
    yield tail(end - start);
  };
}

/** Members of an object as JSON, each behind a comma. @param but the names of those that are left out */
export function memberTexts(
  members: ReadonlyMap<string, Text>,
  but: ReadonlySet<string> = new Set(),
): string[] {
  return [...members].flatMap(([name, json]) =>
    but.has(name) ? [] : [`,${JSON.stringify(name)}:`, json].flat(),
  );
}
