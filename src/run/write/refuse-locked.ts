import { ProtocolError, type Consequence } from '../../base/errors.ts';
import type { Standing, WriteLocks } from '../../state/lock/entity-locks.ts';
import { lockName } from '../../state/lock/keeper.ts';
import type { Dataclass } from '../../model/types.ts';
import { entityName, type KeyTexts } from '../body/body-key.ts';
import type { WriteKind } from './violation.ts';
import type { Attempt } from './attempt.ts';
import type { CurrentRow } from '../save/rows/current-rows.ts';
import { failed, type Element, type Step } from './outcome.ts';
import type { StatementSource } from '../run.ts';
import { consequence } from './write-errors.ts';

/** How many names one statement looks at. */
const NAMES_AT_ONCE = 1000;

/** An element that is about to be written, and its row. */
interface Written {
  readonly element: Element;
  readonly current: CurrentRow;
}

/**
 * Refuses what another session has locked, here, by way of another instance, or by a program that takes part (§3.2). The rows are locked by now: who
 * takes a lock after this waits for them, and sees what became of them.
 */
export async function refuseLocked<Item extends Written>(
  items: readonly Item[],
  kind: Exclude<WriteKind, 'create'>,
  { dataclass, locks, source }: Attempt,
): Promise<readonly Step<Item>[]> {
  const keys = items.map(({ current }) => current.key);
  const standings = await standingsOf(keys, dataclass, locks, source);
  return items.map((item, at) => {
    const error = lockError(standings[at] ?? 'free', item.current.key, dataclass);
    if (error === null) return item;
    return failed(item.element, error.leadingTo(consequence(kind, item.current.key, dataclass)));
  });
}

/**
 * Refuses deletes of what another session has locked, whose rows were found by their statement.
 * @param outcome what comes of it
 * @throws ProtocolError entityLocked, lockLost
 */
export async function refuseLockedKeys(
  keys: readonly KeyTexts[],
  dataclass: Dataclass,
  { locks, source }: Pick<Attempt, 'locks' | 'source'>,
  outcome: Consequence,
): Promise<void> {
  const standings = await standingsOf(keys, dataclass, locks, source);
  for (const [at, key] of keys.entries()) {
    const error = lockError(standings[at] ?? 'free', key, dataclass);
    if (error !== null) throw error.leadingTo(outcome);
  }
}

/** What the lock of each entity is to the session. */
async function standingsOf(
  keys: readonly KeyTexts[],
  { table }: Dataclass,
  locks: WriteLocks | null,
  source: StatementSource,
): Promise<readonly Standing[]> {
  if (locks === null) return [];
  const names = keys.map((key) => lockName(table, key));
  const standings = names.map((name) => locks.table.standing(name, locks.session));
  const open = names.flatMap((name, at) => (standings[at] === 'free' ? [{ name, at }] : []));
  const statements = source.dialect.locks;
  if (statements === null) return standings;
  for (let from = 0; from < open.length; from += NAMES_AT_ONCE) {
    const some = open.slice(from, from + NAMES_AT_ONCE);
    const statement = some.length <= statements.mostKept ? statements.keep : statements.test;
    const taken = await source.run(statement, { rows: some.map(({ name }) => [name]) });
    for (const [ordinal] of taken) {
      const at = some[Number(ordinal)]?.at;
      if (at !== undefined) standings[at] = 'others';
    }
  }
  return standings;
}

function lockError(standing: Standing, key: KeyTexts, dataclass: Dataclass): ProtocolError | null {
  const entity = entityName(dataclass, key);
  switch (standing) {
    case 'own':
    case 'free':
      return null;
    case 'others':
      return new ProtocolError('entityLocked', `${entity} is locked by another session.`);
    case 'lost':
      return new ProtocolError(
        'lockLost',
        `The lock on ${entity} was lost with the gateway's connection to the database. Read the entity and lock it again, or unlock it.`,
      );
  }
}
