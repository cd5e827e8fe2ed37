import { ProtocolError } from '../../../base/errors.ts';
import type { Dataclass, Relation } from '../../../model/types.ts';
import type { Column } from '../../../schema/types.ts';
import type { ColumnValue } from '../../body/changes.ts';
import type { WriteKind } from '../../write/violation.ts';
import type { Attempt } from '../../write/attempt.ts';
import { keyId, type CurrentRow } from '../rows/current-rows.ts';
import { failed, type Element, type Step } from '../../write/outcome.ts';
import { findReferences } from './find-references.ts';
import { consequence } from '../../write/write-errors.ts';

/** What is about to be written of an element. */
interface Written {
  readonly element: Element;
  readonly columns: readonly ColumnValue[];
  /** The names of the columns that change; all of them where it is left out. */
  readonly changed?: ReadonlySet<string>;
  /** The row that is changed; left out of a new one. */
  readonly current?: CurrentRow;
  /** The relations that the element leads somewhere, changed or not; left out where that is of no account. */
  readonly leading?: ReadonlySet<Relation>;
}

/** The columns of all relations to one whose targets are restricted: what rows hold in them tells where they lead. */
export function restrictedColumns(dataclass: Dataclass): Column[] {
  return restrictedRelations(dataclass).flatMap(({ hops }) => hops[0]?.from ?? []);
}

/**
 * Refuses references to rows outside of a restriction, whichever attribute or relation gives the columns their values: no foreign
 * key of the database knows of it. They are looked for by one statement a relation.
 */
export async function refuseRestricted<Item extends Written>(
  items: readonly Item[],
  kind: WriteKind,
  attempt: Attempt,
): Promise<readonly Step<Item>[]> {
  const refused = new Map<Item, ProtocolError>();
  for (const relation of restrictedRelations(attempt.dataclass)) {
    for (const [item, reference] of await leadingNowhere(relation, items, attempt)) {
      const { dataclass } = attempt;
      const member = `${dataclass.name}.${relation.name}`;
      const message =
        `${member} refers to an entity that does not exist:` +
        ` there is no ${relation.target.name}(${reference.join(';')}).`;
      const error = new ProtocolError('brokenReference', message).about(member);
      refused.set(item, error.leadingTo(consequence(kind, item.element.key, dataclass)));
    }
  }
  return items.map((item) => {
    const error = refused.get(item);
    return error === undefined ? item : failed(item.element, error);
  });
}

function restrictedRelations({ members }: Dataclass): Relation[] {
  return [...members.values()].filter(
    (member): member is Relation => member.kind === 'relatedEntity' && member.target.where !== null,
  );
}

/** The items whose new reference leads to no entity, with the reference. */
async function leadingNowhere<Item extends Written>(
  relation: Relation,
  items: readonly Item[],
  attempt: Attempt,
): Promise<readonly (readonly [Item, readonly string[]])[]> {
  const referring = items.flatMap((item) => {
    const reference = soughtReference(relation, item);
    return reference === null ? [] : [[item, reference] as const];
  });
  if (referring.length === 0) return [];
  const references = new Map(referring.map(([, reference]) => [keyId(reference), reference]));
  const found = await findReferences(relation, references, attempt);
  return referring.filter(([, reference]) => !found.has(keyId(reference)));
}

/**
 * Where a relation leads once the item is written; null where that is nowhere by intention, or as before. What leads where it led before is sought
 * all the same where the relation itself says so: what is not to be seen is read as null, so that its key can only be guessed.
 */
function soughtReference(
  relation: Relation,
  { columns, changed, current, leading }: Written,
): readonly string[] | null {
  const { hops } = relation;
  const written = new Map(
    columns
      .filter(({ column }) => changed?.has(column.name) ?? true)
      .map(({ column, value }) => [column.name, value]),
  );
  const from = hops[0]?.from ?? [];
  const isLed = leading?.has(relation) === true;
  if (!isLed && !from.some(({ name }) => written.has(name))) return null;
  const parts = from.map(({ name }) =>
    written.has(name) ? written.get(name) : current?.column(name),
  );
  return parts.every((part) => typeof part === 'string') ? parts : null;
}
