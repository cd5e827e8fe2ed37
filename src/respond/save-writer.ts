import type { ProtocolError } from '../base/errors.ts';
import type { DeleteOutcome } from '../execute/delete.ts';
import type { PreparedSave, SaveOutcome, SaveResult } from '../execute/save.ts';
import type { Failure } from '../execute/write-run.ts';
import type { Dataclass, StorageAttribute } from '../model/types.ts';
import type { KeyTexts } from '../plan/body-key.ts';
import { entityUri, keyText, type KeyValue } from './entity-uri.ts';
import { compileEntity } from './entity-writer.ts';

/** The text of an answer, and the HTTP status that goes with it. */
export interface WrittenAnswer {
  readonly status: number;
  readonly text: string;
}

/** Writes how a save ended: one object, or, for a body of several, `{"__ENTITIES": […]}`. */
export type SaveWriter = (result: SaveResult, form: 'one' | 'many') => WrittenAnswer;

/**
 * Compiles the writer of a save (§4.6 rule 4; DECISIONS, "Updates"): each entity as it is now with its `__STATUS`, and where it
 * was not saved with its `__ERROR`.
 */
export function compileSave({ plan, answer }: PreparedSave): SaveWriter {
  const { dataclass, filtered, ordered } = plan;
  const names = `"__entityModel":${JSON.stringify(dataclass.name)},"__DATACLASS":${JSON.stringify(dataclass.name)}`;
  const write = compileEntity(answer.shape, answer, 'object', { withUri: true });
  return ({ outcomes, fetched, globalStamp }, form) => {
    const context = { globalStamp, relatedEntities: 0 };
    const one = ({ failure, key, row }: SaveOutcome): string => {
      const found = fetched.rows[row];
      const entity =
        found !== undefined && (failure === null || failure.stampChanged)
          ? `${names},${write(found, row, fetched, context).slice(1, -1)}`
          : keyFields(key, dataclass, failure === null ? names : null);
      return joined(statusField(failure), entity, errorField(failure));
    };
    const [only] = outcomes;
    if (form === 'one' && only !== undefined) {
      return { status: only.failure?.error.status ?? 200, text: one(only) };
    }
    const answered = outcomes.filter(
      ({ failure, row }) => failure !== null || row >= 0 || !filtered,
    );
    if (ordered) answered.sort((a, b) => place(a) - place(b));
    return { status: 200, text: `{"__ENTITIES":[${answered.map(one).join(',')}]}` };
  };
}

/** Entities in the order that was asked for; what could not be read stands behind them, in the order of the body. */
function place({ row }: SaveOutcome): number {
  return row < 0 ? Number.MAX_SAFE_INTEGER : row;
}

/** Writes how the delete of a body's entities ended. */
export function deleteText(outcomes: readonly DeleteOutcome[], dataclass: Dataclass): string {
  const entities = outcomes.map(({ failure, key }) =>
    joined(statusField(failure), keyFields(key, dataclass, null), errorField(failure)),
  );
  const ok = outcomes.every(({ failure }) => failure === null);
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
function keyFields(
  key: KeyTexts | null,
  { name, key: parts }: Dataclass,
  names: string | null,
): string {
  if (key === null || parts.length === 0) return names ?? '';
  const values = parts.map((part, index) => keyValue(part, key[index] ?? ''));
  const field = `"__KEY":${JSON.stringify(keyText(values))}`;
  return names === null
    ? field
    : `${names},${field},"uri":${JSON.stringify(entityUri(name, values))}`;
}

function keyValue({ name, columnType: type }: StorageAttribute, text: string): KeyValue {
  const padded = type.kind === 'text' && type.padded;
  return { name, type, text: padded ? text.trimEnd() : text };
}
