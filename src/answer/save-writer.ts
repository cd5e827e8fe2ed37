import { ProtocolError } from '../base/errors.ts';
import { lengthOf, textPieces, type Text } from '../base/text.ts';
import { mapInSlices, type TimeSlice } from '../base/time.ts';
import { isFailed, type Failure, type Outcome } from '../run/write/outcome.ts';
import type { FetchedRows } from '../run/read/read.ts';
import type { SaveResult, SaveResultBelow } from '../run/save/save.ts';
import type { Dataclass } from '../model/types.ts';
import type { SavePlan } from '../plan/write/save.ts';
import { keyText, keyValues } from '../run/body/entity-key.ts';
import type { KeyTexts } from '../run/convert/types.ts';
import { jsonAnswer, type Answer } from './answer.ts';
import { entityUri } from './entities/entity-uri.ts';
import {
  type AnswerContext,
  compileEntity,
  inOrder,
  listWriting,
  memberTexts,
  type SavedContext,
  type Writing,
  writtenText,
} from './entities/entity-writer.ts';

/** After so many characters, entities are answered by their keys and URIs alone. */
const MOST_CHARACTERS = 67_108_864;

/** The writer of the entities at one path of a save's bodies, and those for the paths below, by their relations. */
export interface WriterNode {
  readonly write: SaveWriter;
  readonly below: (relation: string) => WriterNode;
}

/** Writes how a save ended. */
export interface SaveWriter {
  /** One object, or, for a body of several, `{"__ENTITIES": […]}`. */
  readonly answer: (
    result: SaveResult,
    form: 'one' | 'many',
    below: WriterNode['below'],
    slice: TimeSlice,
  ) => Promise<Answer>;
  /** Each entity with the entities that were saved along with it, in the order of the body. */
  readonly texts: (
    result: SaveResult,
    below: WriterNode['below'],
    slice: TimeSlice,
  ) => Promise<Text[]>;
}

const NO_MEMBERS: SavedContext['members'] = new Map();

/** What can be filled in anew for each entity. */
type Writable<Type> = { -readonly [Name in keyof Type]: Type[Name] };

/** The rank of entities that could not be read: they follow the others in the order of the body. */
const UNREAD = Number.MAX_SAFE_INTEGER;

/** Compiles the writer of a save (§4.6 rule 4): each entity as it is now with its `__STATUS`, and where it was not saved with its `__ERROR`. */
export function compileSave(plan: SavePlan): SaveWriter {
  const { dataclass, filtered, ordered, asArray, naturalKey } = plan;
  const { rows } = plan.answer;
  const quoted = JSON.stringify(dataclass.name);
  const names = `"__entityModel":${quoted},"__DATACLASS":${quoted}`;
  const write = compileEntity(rows.shape, rows, asArray ? 'array' : 'object', {
    head: `${names},`,
    ofSave: true,
  });
  /** The entity as it is now; null where it is not shown. @param row the index of its row among the fetched ones */
  const whole = (
    { failure }: Outcome,
    row: number,
    fetched: FetchedRows,
    context: AnswerContext,
  ): string | Writing | null => {
    const isShown = failure === null || failure.stampChanged;
    const found = isShown ? fetched.rows[row] : undefined;
    return found === undefined ? null : write(found, row, fetched, context);
  };
  const briefly = ({ failure, key }: Outcome, saved: SavedContext): Writing => {
    const known = keyFields(key, dataclass, failure === null ? names : null);
    const begin = `{${saved.head}${known === '' ? '' : `,${known}`}`;
    return inOrder([begin, ...memberTexts(saved.members), `${saved.tail}}`]);
  };
  const texts: SaveWriter['texts'] = async (result, below, slice) => {
    const { outcomes, rowOf, current, fetched, globalStamp } = result;
    const saved: Writable<SavedContext> = { head: '', members: NO_MEMBERS, tail: '' };
    const context: AnswerContext = { globalStamp, relatedEntities: 0, saved };
    const membersOf = await membersReader(result.below, below, asArray, slice);
    let length = 0;
    const all: Text[] = [];
    for (const outcome of outcomes) {
      const { failure, kind } = outcome;
      const at = all.length;
      // A saved entity is told even where the answer has no room to show it.
      const row = length < MOST_CHARACTERS ? (rowOf[at] ?? -1) : -1;
      saved.head = statusField(failure, naturalKey === null ? undefined : kind === 'created');
      if (result.below.length > 0) saved.members = await membersOf(at);
      saved.current = current?.[at];
      saved.tail = failure === null ? '' : `,${errorField(failure)}`;
      let text: Text | null = null;
      try {
        const written = whole(outcome, row, fetched, context);
        text =
          written === null || typeof written === 'string'
            ? written
            : await writtenText(written, slice);
      } catch (error) {
        // The entity is saved even where more is related to it than one answer holds: clients must not save it twice.
        if (!(error instanceof ProtocolError)) throw error;
      }
      text ??= await writtenText(briefly(outcome, saved), slice, Infinity);
      length += typeof text === 'string' ? text.length : lengthOf([...textPieces(text)]);
      all.push(text);
      if (slice.isOver()) await slice.pause();
    }
    return all;
  };
  const answerOf: SaveWriter['answer'] = async (result, form, below, slice) => {
    const { outcomes, rowOf, unread } = result;
    const entities = await texts(result, below, slice);
    const isAnswered = (at: number): boolean =>
      form === 'one' || outcomes[at]?.failure !== null || rankOf(at) < UNREAD || unread !== null;
    const rankOf = (at: number): number => {
      const row = rowOf[at] ?? -1;
      return row < 0 ? UNREAD : row;
    };
    let places = [...entities.keys()];
    if (filtered) places = places.filter(isAnswered);
    if (ordered) places.sort((a, b) => rankOf(a) - rankOf(b));
    const shown = places.map((at) => entities[at] ?? '');
    const failure = outcomes[0]?.failure ?? null;
    const [only] = shown;
    if (form === 'one' && only !== undefined && !asArray) {
      return jsonAnswer(only, failure?.error.status);
    }
    const list = await listText(shown, asArray, slice);
    return jsonAnswer(list, asArray && form === 'one' ? failure?.error.status : 200);
  };
  return { answer: answerOf, texts };
}

/** Reads which entities were saved along with an outcome, as its members: a list as for a body of several, a single entity as an object. */
async function membersReader(
  results: SaveResult['below'],
  below: WriterNode['below'],
  asArray: boolean,
  slice: TimeSlice,
): Promise<(at: number) => Promise<SavedContext['members']>> {
  const written: (Omit<SaveResultBelow, 'result'> & { readonly texts: readonly Text[] })[] = [];
  for (const { relation, result, spans } of results) {
    const node = below(relation.name);
    written.push({ relation, spans, texts: await node.write.texts(result, node.below, slice) });
  }
  return async (at) => {
    const members = new Map<string, Text>();
    for (const { relation, spans, texts } of written) {
      const span = spans.get(at);
      if (span === undefined) continue;
      const some = texts.slice(span.from, span.end);
      const isOne = relation.kind === 'relatedEntity';
      members.set(relation.name, isOne ? (some[0] ?? '') : await listText(some, asArray, slice));
    }
    return members;
  };
}

/** The answer to a body of several, however long it is: each saved entity is told. */
function listText(texts: readonly Text[], asArray: boolean, slice: TimeSlice): Promise<Text> {
  const writing = function* (): Writing {
    yield asArray ? '[' : '{"__ENTITIES":[';
    yield* listWriting(texts, (text) => (typeof text === 'string' ? text : textPieces(text)), ',');
    yield asArray ? ']' : ']}';
  };
  return writtenText(writing(), slice, Infinity);
}

/** The errors of some of the entities, or of showing them, that are not the client's fault, or have advice for the operator: each kind once. */
export function problemsOf(result: SaveResult): ProtocolError[] {
  const problems = new Map<string, ProtocolError>();
  const collect = ({ outcomes, unread, below }: SaveResult): void => {
    if (unread !== null) problems.set(unread.errorName, unread);
    for (const { failure } of outcomes) {
      const error = failure?.error;
      if (error !== undefined && (error.status >= 500 || error.advice !== null)) {
        problems.set(error.errorName, error);
      }
    }
    for (const within of below) collect(within.result);
  };
  collect(result);
  return [...problems.values()];
}

/** Writes how the delete of a body's entities ended. @throws ClientGone */
export async function deleteText(
  outcomes: readonly Outcome[],
  dataclass: Dataclass,
  slice: TimeSlice,
): Promise<string> {
  const one = (outcome: Outcome): string => {
    const failure = isFailed(outcome) ? outcome.failure : null;
    const key = keyFields(outcome.key, dataclass, null);
    const error = failure === null ? '' : errorField(failure);
    return `{${[statusField(failure), key, error].filter((field) => field !== '').join(',')}}`;
  };
  const entities = await mapInSlices(outcomes, one, slice);
  const ok = !outcomes.some(isFailed);
  return `{"ok":${ok},"__ENTITIES":[${entities.join(',')}]}`;
}

/** The status of a changed stamp is that of a lock (§7); of all other errors `__ERROR` tells. @param created left out where that is not told */
function statusField(failure: Failure | null, created?: boolean): string {
  if (failure === null) {
    const made = created === undefined ? '' : `,"created":${created}`;
    return `"__STATUS":{"success":true${made}}`;
  }
  return failure.stampChanged
    ? '"__STATUS":{"status":2,"statusText":"Stamp has changed","success":false}'
    : '"__STATUS":{"success":false}';
}

function errorField({ error }: Failure): string {
  return `"__ERROR":${JSON.stringify(error.toItems())}`;
}

/** Identifies an entity that cannot be shown by its key, and where it was saved by its URI. @param names null where it was not saved */
function keyFields(key: KeyTexts | null, dataclass: Dataclass, names: string | null): string {
  if (key === null || dataclass.key.length === 0) return names ?? '';
  const values = keyValues(dataclass, key);
  const field = `"__KEY":${JSON.stringify(keyText(values))}`;
  return names === null
    ? field
    : `${names},${field},"uri":${JSON.stringify(entityUri(dataclass.name, values))}`;
}
