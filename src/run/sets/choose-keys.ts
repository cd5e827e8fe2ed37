import { combined } from '../../state/entity-set/combine.ts';
import type { KeyList } from '../../state/entity-set/keys.ts';
import type { EntitySetPlan } from '../../plan/read/entity-set.ts';
import type { Literal } from '../../protocol/ast.ts';
import { narrowKeys } from './narrow-keys.ts';
import type { PrintedNarrowing, PrintedSource } from './print-entity-set.ts';
import { neededKeys, noOtherSet, sourceKeys, type SetExecution } from './set-keys.ts';

/** Which keys a request is about. */
export interface ChosenKeys extends Pick<EntitySetPlan, 'dataclass' | 'combination'> {
  readonly source: PrintedSource;
  readonly narrowing: PrintedNarrowing | null;
}

/**
 * The keys that a request is about: those of its set or selection, combined with those of another set, and narrowed.
 * @throws ProtocolError noSuchEntitySet and the like, entitySetTooLarge, and what the database throws
 */
export async function chosenKeys(
  { dataclass, source, combination, narrowing }: ChosenKeys,
  values: readonly Literal[],
  execution: SetExecution,
): Promise<KeyList> {
  const own = await sourceKeys(source, dataclass, values, execution);
  const keys = await combinedKeys(own, { dataclass, combination }, values, execution);
  return narrowing === null ? keys : narrowKeys(keys, narrowing, values, execution);
}

/**
 * Keys combined with those of another set; as they are where they are with none, or where only whether the two intersect is asked.
 * @throws ProtocolError otherSetInvalid, entitySetTooLarge
 */
export async function combinedKeys(
  keys: KeyList,
  { dataclass, combination }: Pick<ChosenKeys, 'dataclass' | 'combination'>,
  values: readonly Literal[],
  { access, workspace, activity }: SetExecution,
): Promise<KeyList> {
  if (combination === null || combination.operator === 'intersect') return keys;
  const other = await neededKeys(combination.other, dataclass, values, access, noOtherSet);
  return combined(combination.operator, keys, other, workspace, activity.signal);
}
