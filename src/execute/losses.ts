import { runQuery, type ReadSource } from './run.ts';
import type { WriteStatements } from './write-statements.ts';
import type { GivenValue, PlannedEntity } from '../values/types.ts';

/**
 * Finds text that its column would store with question marks in place of characters, because its code page lacks them. The
 * database is asked only where there is text beyond ASCII, for a column that can lose any.
 * @returns the attribute with such text, for each entity that has one
 */
export async function findLosses(
  entities: readonly PlannedEntity[],
  statements: WriteStatements,
  source: ReadSource,
): Promise<ReadonlyMap<PlannedEntity, string>> {
  const losses = new Map<PlannedEntity, string>();
  const doubtful = new Map<string, GivenValue>();
  for (const value of entities.flatMap(({ given }) => given)) {
    if (isDoubtful(value)) doubtful.set(value.column.name, value);
  }
  const columns = [...doubtful.values()].map(({ column }) => column);
  columns.sort((a, b) => a.position - b.position);
  const statement = columns.length === 0 ? null : statements.loss(columns);
  if (statement === null) return losses;
  const rows = entities.map(({ given }) =>
    columns.map(({ name }) => {
      const value = given.find(
        (candidate) => candidate.column.name === name && isDoubtful(candidate),
      );
      return typeof value?.value === 'string' ? value.value : null;
    }),
  );
  for (const [ordinal, at] of await runQuery(statement, { rows }, source)) {
    const entity = entities[Number(ordinal)];
    const column = columns[Number(at)];
    const member = entity?.given.find((value) => value.column.name === column?.name)?.member;
    if (entity !== undefined && member !== undefined) losses.set(entity, member);
  }
  return losses;
}

function isDoubtful({ value, column }: GivenValue): boolean {
  return column.type.kind === 'text' && typeof value === 'string' && /[\u0080-\uffff]/.test(value);
}
