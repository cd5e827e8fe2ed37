import { catching, ProtocolError } from '../../base/errors.ts';
import { withoutPadding } from '../../base/text.ts';
import { TimeSlice } from '../../base/time.ts';
import { KeyListBuilder, picked } from '../../state/entity-set/builder.ts';
import { type KeyList, type StoredKeys, wholeOf } from '../../state/entity-set/keys.ts';
import type { EntitySetStore, Workspace } from '../../state/entity-set/store.ts';
import type { Dataclass } from '../../model/types.ts';
import type { Literal, ParameterRef } from '../../protocol/ast.ts';
import { isPadded } from '../../schema/type-rules.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { Statement } from '../../sql/ir/statement.ts';
import type { ValueLimits } from '../../sql/dialect.ts';
import { ConversionError } from '../convert/conversion-error.ts';
import { canonicalText } from '../convert/bind.ts';
import type { SetSource, StoredSet } from '../../plan/read/entity-set.ts';
import { checkAddressed, parameterNumber } from '../read/read.ts';
import { retryingDeadlocks } from '../../database/connection.ts';
import { bindStatement, type Execution, readingFrom } from '../run.ts';

/** The entity sets that a request may use, and the owner of those that it makes. */
export interface SetAccess {
  readonly sets: EntitySetStore;
  /** Equal for requests that may see the same. */
  readonly audience: string;
  /** For the bound on how many sets one client may keep. */
  readonly owner: string;
}

/** What a request that may use entity sets runs with. */
export interface SetRequest extends Execution {
  readonly access: SetAccess;
  /** The values of the request, by parameter. */
  readonly values: readonly Literal[];
}

/** A {@link SetRequest} with the memory for the key lists that it builds. */
export interface SetExecution extends SetRequest {
  readonly workspace: Workspace;
}

/** Runs work with a workspace of its own. */
export async function withWorkspace<Result>(
  request: SetRequest,
  work: (own: SetExecution) => Promise<Result>,
): Promise<Result> {
  const workspace = request.access.sets.workspace();
  try {
    return await work({ workspace, ...request });
  } finally {
    workspace.close();
  }
}

/** The keys that a request begins with: those of the set that its URL names, or of what it selects. */
export async function sourceKeys(
  source: SetSource,
  dataclass: Dataclass,
  execution: SetExecution,
): Promise<StoredKeys> {
  const { values } = execution;
  if (source.kind === 'set') {
    const keys = await storedKeys(source, dataclass, execution);
    const { removed } = source;
    return removed === null
      ? keys
      : withoutPositions(
          await wholeList(keys, execution),
          parameterText(removed, values),
          execution,
        );
  }
  const keys = await selectedKeys(source.keys, dataclass, execution);
  const { needed, origin } = source;
  if (keys.size === 0 && needed !== null) {
    await checkAddressed(origin, needed, values, readingFrom(execution));
  }
  return keys;
}

/** The keys of the set with an id, which is made again where it is gone and the request says of what (§3.1). */
async function storedKeys(
  { id: parameter, saved }: StoredSet,
  dataclass: Dataclass,
  execution: SetExecution,
): Promise<StoredKeys> {
  const { values } = execution;
  const { sets, ...mine } = execution.access;
  const id = parameterText(parameter, values);
  const found = await foundKeys(id, dataclass, execution.access);
  if (found !== null) return found;
  if (saved === null || !sets.gaveOut(id, dataclass.name)) {
    throw noSuchSet(id, dataclass, sets, ' With its $savedfilter it is made again.');
  }
  const keys = await selectedKeys(saved.keys, dataclass, execution);
  execution.workspace.close();
  // Somebody else may have been first: all go on with the same set.
  const meanwhile = await foundKeys(id, dataclass, execution.access);
  if (meanwhile !== null) return meanwhile;
  const lifetime = parameterNumber(saved.lifetime, values);
  const { isSorted } = saved;
  const definition = dataclass.definition();
  await sets.restore(id, {
    dataclass: dataclass.name,
    definition,
    keys,
    lifetime,
    isSorted,
    ...mine,
  });
  return keys;
}

/** The keys of a set without those at some positions, which are listed. */
async function withoutPositions(
  keys: KeyList,
  positions: string,
  { workspace, activity }: SetExecution,
): Promise<KeyList> {
  const removed = new Set(positions.split(',').map(Number));
  const bytes = keys.size * Uint32Array.BYTES_PER_ELEMENT;
  workspace.scratch.reserve(bytes);
  const slice = new TimeSlice(activity.signal);
  const kept = new Uint32Array(keys.size);
  let count = 0;
  for (let position = 0; position < keys.size; position += 1) {
    if (position % KEYS_AT_ONCE === 0) await slice.pause();
    if (removed.has(position)) continue;
    kept[count] = position;
    count += 1;
  }
  const left = await picked(keys, kept.subarray(0, count), workspace, activity.signal);
  workspace.scratch.reserve(-bytes);
  return left;
}

/** How many keys are fetched at a time: they are small, and each batch is a way to the server and back. */
export const KEYS_AT_ONCE = 32_768;

/** The keys of the set with an id; null where there is none. @throws ProtocolError otherDataclassSet */
async function foundKeys(
  id: string,
  { name, definition }: Dataclass,
  { sets, audience }: SetAccess,
): Promise<StoredKeys | null> {
  const set = await sets.find(id, audience);
  if (set === null) return null;
  if (set.dataclass === name) return set.definition === definition() ? set.keys : null;
  const message = `The entity set ${shown(id)} holds entities of ${set.dataclass}, not of ${name}.`;
  throw new ProtocolError('otherDataclassSet', message);
}

/** The keys of a set that has to be there. @throws ProtocolError `missing` where it is not, otherDataclassSet */
export async function neededKeys(
  parameter: ParameterRef,
  dataclass: Dataclass,
  { values, access }: Pick<SetRequest, 'values' | 'access'>,
  missing: typeof noSuchSet = noSuchSet,
): Promise<StoredKeys> {
  const id = parameterText(parameter, values);
  const found = await foundKeys(id, dataclass, access);
  if (found === null) throw missing(id, dataclass, access.sets);
  return found;
}

/** All of the keys, in memory. @throws ProtocolError where there is no room for them */
export function wholeList(
  keys: StoredKeys,
  { workspace, activity }: Pick<SetExecution, 'workspace' | 'activity'>,
): Promise<KeyList> {
  return wholeOf(keys, workspace.scratch, activity.signal);
}

/** Releases a set. @throws ProtocolError noSuchEntitySet, otherDataclassSet */
export async function releaseSet(
  id: ParameterRef,
  dataclass: Dataclass,
  { values, access }: SetRequest,
): Promise<void> {
  await neededKeys(id, dataclass, { values, access });
  const text = parameterText(id, values);
  if (!(await access.sets.release(text, access.audience))) {
    throw noSuchSet(text, dataclass, access.sets);
  }
}

/** There is no set with the id of the one that another one is combined with. */
export function noOtherSet(id: string): ProtocolError {
  const message = `$otherCollection names no entity set: ${shown(id)} is unknown, or its time is over, or it was released, or its dataclass has changed.`;
  return new ProtocolError('otherSetInvalid', message);
}

/** There is no set with an id (§7). @param advice what to do where there was one */
function noSuchSet(
  id: string,
  { name }: Dataclass,
  sets: EntitySetStore,
  advice = '',
): ProtocolError {
  const message = sets.gaveOut(id, name)
    ? `There is no entity set ${shown(id)} any more: its time is over, or it was released, or its dataclass has changed.${advice}`
    : `${shown(id)} is not an id of an entity set of ${name}: none was made under it.`;
  return new ProtocolError('noSuchEntitySet', message);
}

/** An id as messages show it: one that was made up may be long. */
function shown(id: string): string {
  return id.length <= 50 ? id : `${id.slice(0, 50)}…`;
}

export function parameterText({ parameter }: ParameterRef, values: readonly Literal[]): string {
  const value = values[parameter]?.value;
  return typeof value === 'string' ? value : '';
}

/** Streams keys from the database; again from the start where that fell victim to a deadlock. */
function selectedKeys(
  statement: Statement,
  dataclass: Dataclass,
  { database, activity, workspace, values }: SetExecution,
): Promise<KeyList> {
  const command = bindStatement(statement, { values }, database.dialect, activity.principal.claims);
  const readers = dataclass.key.map(({ columnType }, part) =>
    keptPart(columnType, statement.readers[part]?.text ?? String, database.dialect.limits),
  );
  return retryingDeadlocks(async () => {
    const builder = new KeyListBuilder(workspace);
    try {
      for await (const rows of database.stream(command, { batchRows: KEYS_AT_ONCE, ...activity })) {
        for (const row of rows) {
          // What has no whole key is not an entity that could be read by it.
          if (row.includes(null)) continue;
          builder.add(readers.map((read, part) => read(row[part])));
        }
      }
    } catch (error) {
      builder.discard();
      throw error;
    }
    return builder.finish();
  });
}

/** The types one value of which can be written in several ways, also by the engine. */
const MANY_FORMS: ReadonlySet<ColumnType['kind']> = new Set([
  'decimal',
  'float',
  'timestamp',
  'time',
]);

/** How a part of a key is read in the form that sets keep: that which clients' values are given, so that the two can be compared. */
function keptPart(
  type: ColumnType,
  read: (value: unknown) => string,
  limits: ValueLimits,
): (value: unknown) => string {
  if (isPadded(type)) return (value) => withoutPadding(read(value));
  if (!MANY_FORMS.has(type.kind)) return read;
  // A number without the zeros of its column's scale, a time without those of its fraction; what no client could send stays as it is.
  return (value) => {
    const text = read(value);
    return catching(
      ConversionError,
      () => canonicalText(text, type, limits),
      () => text,
    );
  };
}
