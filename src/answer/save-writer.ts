import { ProtocolError } from '../base/errors.ts';
import { textPieces, wholeText, type Text } from '../base/text.ts';
import { mapInSlices, type TimeSlice } from '../base/time-slice.ts';
import { isFailed, type Failure, type Outcome } from '../run/write/outcome.ts';
import type { PrintedSave } from '../run/save/print-save.ts';
import type { FetchedRows } from '../run/read/read.ts';
import type { SaveOutcome, SaveResult, SaveResultBelow } from '../run/save/save-answer.ts';
import type { Dataclass } from '../model/types.ts';
import { keyText, keyValues } from '../run/body/entity-key.ts';
import type { KeyTexts } from '../run/convert/types.ts';
import { jsonAnswer, type Answer } from './answer.ts';
import { entityUri } from './entities/entity-uri.ts';
import { listWriting, writtenText, type Writing } from './entities/list-writing.ts';
import { compileEntity, membersText, type AnswerContext } from './entities/entity-writer.ts';

/** Behind so many characters entities are answered by their keys and addresses alone. */
const MOST_CHARACTERS = 67_108_864;

/** The writer of the entities of one place of a save's bodies, and those of the places below it, by their relations. */
export interface SaveWriterPlace {
  readonly write: SaveWriter;
  readonly below: (relation: string) => SaveWriterPlace;
}

/** Writes how a save ended. */
export interface SaveWriter {
  /** One entity that was saved, at once; null of a save that is more, and where it takes steps. */
  readonly saved: (result: SaveResult, form: 'one' | 'many') => Answer | null;
  /** One object, or, for a body of several, `{"__ENTITIES": […]}`. */
  readonly answer: (
    result: SaveResult,
    form: 'one' | 'many',
    below: SaveWriterPlace['below'],
    slice: TimeSlice,
  ) => Promise<Answer>;
  /** Each entity with what was saved along with it, in the order of the body. */
  readonly texts: (
    result: SaveResult,
    below: SaveWriterPlace['below'],
    slice: TimeSlice,
  ) => Promise<Text[]>;
}

/**
 * Compiles the writer of a save (§4.6 rule 4; DECISIONS, "Updates"): each entity as it is now with its `__STATUS`, and where it
 * was not saved with its `__ERROR`.
 */
export function compileSave({ plan, answer }: PrintedSave): SaveWriter {
  const { dataclass, filtered, ordered, asArray } = plan;
  const names = `"__entityModel":${JSON.stringify(dataclass.name)},"__DATACLASS":${JSON.stringify(dataclass.name)}`;
  const write = compileEntity(answer.shape, answer, asArray ? 'array' : 'object', {
    ofSave: true,
  });
  const shownEntity = async (
    row: number,
    fetched: FetchedRows,
    context: AnswerContext,
    slice: TimeSlice,
  ): Promise<string | null> => {
    const found = fetched.rows[row];
    if (found === undefined) return null;
    try {
      const written = (write.steps ?? write)(found, row, fetched, context);
      return typeof written === 'string' ? written : wholeText(await writtenText(written, slice));
    } catch (error) {
      // What is saved is saved, also where more is related to it than one answer holds: clients must not save it twice.
      if (error instanceof ProtocolError) return null;
      throw error;
    }
  };
  const one = async (
    { failure, key, row, current }: SaveOutcome,
    fetched: FetchedRows,
    context: AnswerContext,
    within: ReadonlyMap<string, string>,
    slice: TimeSlice,
  ): Promise<string> => {
    context.instead = within;
    context.current = current;
    const isShown = failure === null || failure.stampChanged;
    const shown = isShown ? await shownEntity(row, fetched, context, slice) : null;
    const entity =
      shown === null
        ? keyFields(key, dataclass, failure === null ? names : null) + membersText(within)
        : `${names},${shown.slice(1, -1)}`;
    return joined(statusField(failure), entity, errorField(failure));
  };
  const saved: SaveWriter['saved'] = ({ outcomes, fetched, globalStamp, below }, form) => {
    const [outcome] = outcomes;
    const row = outcome?.failure === null ? fetched.rows[outcome.row] : undefined;
    const isDryRun = outcome?.current !== undefined;
    const isOne = form === 'one' && outcomes.length === 1 && below.length === 0 && !isDryRun;
    if (row === undefined || !isOne || asArray || write.steps !== null) return null;
    if (fetched.children.length > 0) return null;
    const text = write(row, 0, fetched, { globalStamp, relatedEntities: 0 });
    return jsonAnswer(`{${statusField(null)},${names},${text.slice(1)}`);
  };
  const texts: SaveWriter['texts'] = async (result, below, slice) => {
    const { outcomes, fetched, globalStamp } = result;
    const context: AnswerContext = { globalStamp, relatedEntities: 0 };
    const within = await membersWithin(result.below, below, asArray, slice);
    let length = 0;
    const all: Text[] = [];
    for (const [at, outcome] of outcomes.entries()) {
      // What is saved is saved, also where the answer has no more room to show it.
      const shown = length < MOST_CHARACTERS ? outcome : { ...outcome, row: -1 };
      const members = await within(at);
      const written = await one(shown, fetched, context, members.texts, slice);
      const text = members.lists.length === 0 ? written : withLists(written, members.lists);
      for (const piece of textPieces(text)) length += piece.length;
      all.push(text);
      if (slice.isOver()) await slice.pause();
    }
    return all;
  };
  const answerOf: SaveWriter['answer'] = async (result, form, below, slice) => {
    const { outcomes, unread } = result;
    const entities = await texts(result, below, slice);
    const answered = outcomes
      .map((outcome, at) => ({ text: entities[at] ?? '', ...outcome }))
      .filter(
        ({ failure, row }) =>
          form === 'one' || failure !== null || row >= 0 || !filtered || unread !== null,
      );
    if (ordered) answered.sort((a, b) => place(a) - place(b));
    const told = answered.map(({ text }) => text);
    const failure = outcomes[0]?.failure ?? null;
    const [only] = told;
    if (form === 'one' && only !== undefined && !asArray) {
      return jsonAnswer(only, failure?.error.status);
    }
    const list = await listText(told, asArray, slice);
    return jsonAnswer(list, asArray && form === 'one' ? failure?.error.status : 200);
  };
  return { saved, answer: answerOf, texts };
}

/** What was saved along with each entity, as members of it: a list as that of a body of several, the only one as an object. */
async function membersWithin(
  results: SaveResult['below'],
  below: SaveWriterPlace['below'],
  asArray: boolean,
  slice: TimeSlice,
): Promise<(at: number) => Promise<Members>> {
  const written: (Pick<SaveResultBelow, 'relation' | 'spans'> & {
    readonly texts: readonly Text[];
  })[] = [];
  for (const { relation, result, spans } of results) {
    const place = below(relation.name);
    written.push({ relation, spans, texts: await place.write.texts(result, place.below, slice) });
  }
  return async (at) => {
    const members = new Map<string, string>();
    const lists: Text[] = [];
    for (const { relation, spans, texts } of written) {
      const span = spans.get(at);
      if (span === undefined) continue;
      const some = texts.slice(span.from, span.end);
      const isOne = relation.kind === 'relatedEntity';
      const text = isOne ? (some[0] ?? '') : await listText(some, asArray, slice);
      if (typeof text !== 'string') lists.push(text);
      members.set(
        relation.name,
        typeof text === 'string' ? text : `${LIST_PLACE}${lists.length - 1}${LIST_PLACE}`,
      );
    }
    return { texts: members, lists };
  };
}

/** What was saved along with an entity. */
interface Members {
  /** The texts of its members, by their names. */
  readonly texts: ReadonlyMap<string, string>;
  /** Those that are long: in their places among the texts stand their indexes, between two of {@link LIST_PLACE}. */
  readonly lists: readonly Text[];
}

/** No JSON text has this character: JSON escapes it. */
const LIST_PLACE = '\0';

/** The text of an entity with long lists in their places. */
function withLists(text: string, lists: readonly Text[]): Text {
  return text
    .split(LIST_PLACE)
    .flatMap((part, at) => (at % 2 === 0 ? part : (lists[Number(part)] ?? [])));
}

/** Entities as a list: that of a body of several. What is saved is told, however long it is. */
function listText(texts: readonly Text[], asArray: boolean, slice: TimeSlice): Promise<Text> {
  const writing = function* (): Writing {
    yield asArray ? '[' : '{"__ENTITIES":[';
    yield* listWriting(texts, (text) => (typeof text === 'string' ? text : textPieces(text)), ',');
    yield asArray ? ']' : ']}';
  };
  return writtenText(writing(), slice, Infinity);
}

/** What went wrong with some of the entities, or with showing them, that is not the fault of the client's: each kind once. */
export function problemsOf(result: SaveResult): ProtocolError[] {
  const problems = new Map<string, ProtocolError>();
  const collect = ({ outcomes, unread, below }: SaveResult): void => {
    if (unread !== null) problems.set(unread.errorName, unread);
    for (const { failure } of outcomes) {
      if (failure !== null && failure.error.status >= 500) {
        problems.set(failure.error.errorName, failure.error);
      }
    }
    for (const within of below) collect(within.result);
  };
  collect(result);
  return [...problems.values()];
}

/** Entities in the order that was asked for; what could not be read stands behind them, in the order of the body. */
function place({ row }: SaveOutcome): number {
  return row < 0 ? Number.MAX_SAFE_INTEGER : row;
}

/** Writes how the delete of a body's entities ended. */
export async function deleteText(
  outcomes: readonly Outcome[],
  dataclass: Dataclass,
  slice: TimeSlice,
): Promise<string> {
  const one = (outcome: Outcome): string => {
    const failure = isFailed(outcome) ? outcome.failure : null;
    const key = keyFields(outcome.key, dataclass, null);
    return joined(statusField(failure), key, errorField(failure));
  };
  const entities = await mapInSlices(outcomes, one, slice);
  const ok = !outcomes.some(isFailed);
  return `{"ok":${ok},"__ENTITIES":[${entities.join(',')}]}`;
}

function joined(...fields: readonly string[]): string {
  return `{${fields.filter((field) => field !== '').join(',')}}`;
}

/** The status of a stamp that changed is that of a lock (§7); everything else is said by `__ERROR`. */
function statusField(failure: Failure | null): string {
  if (failure === null) return '"__STATUS":{"success":true}';
  return failure.stampChanged
    ? '"__STATUS":{"status":2,"statusText":"Stamp has changed","success":false}'
    : '"__STATUS":{"success":false}';
}

function errorField(failure: Failure | null): string {
  return failure === null ? '' : `"__ERROR":${errorItems(failure.error)}`;
}

function errorItems(error: ProtocolError): string {
  return JSON.stringify(error.toItems());
}

/** What is known of an entity that cannot be shown: its key, and where it was saved its address. */
function keyFields(key: KeyTexts | null, dataclass: Dataclass, names: string | null): string {
  if (key === null || dataclass.key.length === 0) return names ?? '';
  const values = keyValues(dataclass, key);
  const field = `"__KEY":${JSON.stringify(keyText(values))}`;
  return names === null
    ? field
    : `${names},${field},"uri":${JSON.stringify(entityUri(dataclass.name, values))}`;
}
