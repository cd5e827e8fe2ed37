import { ProtocolError } from '../../base/errors.ts';
import { mapInSlices } from '../../base/time-slice.ts';
import type { Column } from '../../schema/types.ts';
import type { GivenValue, PlannedEntity } from '../convert/types.ts';
import type { Attempt } from './attempt.ts';
import { failed, type Step } from './outcome.ts';

/**
 * Refuses text that its column would store with question marks in place of characters, because its code page lacks them. The
 * database is asked only where there is text beyond ASCII, for a column that can lose any.
 */
export async function refuseUnencodable(
  entities: readonly PlannedEntity[],
  attempt: Attempt,
): Promise<Step<PlannedEntity>[]> {
  const members = await unencodable(entities, attempt);
  return entities.map((entity) => {
    const member = members.get(entity);
    if (member === undefined) return entity;
    const message = `${member} holds characters that its column cannot store: they are not in its code page.`;
    return failed(entity, new ProtocolError('wrongType', message).about(member));
  });
}

/** The attribute with such text, for each entity that has one. */
async function unencodable(
  entities: readonly PlannedEntity[],
  { statements, source }: Attempt,
): Promise<ReadonlyMap<PlannedEntity, string>> {
  const found = new Map<PlannedEntity, string>();
  const columns = await doubtfulColumns(entities);
  const statement = columns.length === 0 ? null : statements.unencodable(columns);
  if (statement === null) return found;
  const rows = await mapInSlices(entities, ({ given }) =>
    columns.map(({ name }) => {
      const value = given.find(({ column }) => column.name === name);
      return value !== undefined && isDoubtful(value) ? value.value : null;
    }),
  );
  for (const [ordinal, at] of await source.run(statement, { rows })) {
    const entity = entities[Number(ordinal)];
    const column = columns[Number(at)];
    const member = entity?.given.find((value) => value.column.name === column?.name)?.member;
    if (entity !== undefined && member !== undefined) found.set(entity, member);
  }
  return found;
}

async function doubtfulColumns(entities: readonly PlannedEntity[]): Promise<readonly Column[]> {
  const columns = new Map<string, Column>();
  await mapInSlices(entities, ({ given }) => {
    for (const value of given) if (isDoubtful(value)) columns.set(value.column.name, value.column);
  });
  return [...columns.values()].sort((a, b) => a.position - b.position);
}

function isDoubtful(value: GivenValue): value is GivenValue & { readonly value: string } {
  const { column, value: text } = value;
  return column.type.kind === 'text' && typeof text === 'string' && /[\u0080-\uffff]/.test(text);
}
