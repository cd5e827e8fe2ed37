import type { Relation } from '../model/types.ts';
import type { Attempt } from './attempt.ts';

/** The values of a relation's own columns, each reference once, by its text as `keyId` has it. */
export type References = ReadonlyMap<string, readonly (string | null)[]>;

/**
 * Which references lead to an entity, by one statement.
 * @returns their texts
 */
export async function leadingToEntities(
  relation: Relation,
  references: References,
  { statements, source }: Attempt,
): Promise<ReadonlySet<string>> {
  const rows = await source.run(statements.referred(relation), { rows: [...references.values()] });
  const ids = [...references.keys()];
  return new Set(rows.map(([ordinal]) => ids[Number(ordinal)] ?? ''));
}
