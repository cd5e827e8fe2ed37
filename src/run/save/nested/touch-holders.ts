import type { Attempt } from '../../write/attempt.ts';
import { rowCount, writeBatches } from '../rows/batches.ts';
import type { SavedElement } from '../save-elements.ts';

/**
 * Gives entities whose lists have changed another stamp, so that whoever read them with those lists before cannot replace the lists unseen. Those are left as
 * they are that whoever asks may not change, and those whose stamp is made of what they hold.
 * @returns the elements, written where they have another stamp
 * @throws Refused, or ProtocolError of an attempt at all or none
 */
export async function touchHolders(
  elements: readonly SavedElement[],
  changed: ReadonlySet<number>,
  attempt: Attempt,
): Promise<readonly SavedElement[]> {
  const { dataclass, statements, source } = attempt;
  const owners = elements.filter(
    ({ index, key, isWritten }) => changed.has(index) && !isWritten && key !== null,
  );
  const mayWrite = !dataclass.readOnly && dataclass.rights.update !== 'denied';
  if (owners.length === 0 || !mayWrite || statements.touch('one') === null) return elements;
  const items = owners.map((element) => ({ element }));
  await writeBatches([items], 'update', attempt, async (some) => {
    const statement = statements.touch(rowCount(some));
    if (statement === null) return [];
    await source.run(statement, { rows: some.map(({ element: { key } }) => key ?? []) });
    return [];
  });
  const indexes = new Set(owners.map(({ index }) => index));
  return elements.map((element) =>
    indexes.has(element.index) ? { ...element, isWritten: true } : element,
  );
}
