import type { Relation } from '../../../model/types.ts';
import type { Attempt } from '../../write/attempt.ts';
import { cellText } from '../../run.ts';

/** The values of a relation's own columns, each reference once, by its text as `keyId` has it. */
export type References = ReadonlyMap<string, readonly (string | null)[]>;

/** Behind the ordinal. */
const FIRST_OUTPUT = 1;

/**
 * Which references lead to an entity, by one statement.
 * @returns by their texts, what the entity has in the columns that the relation leads to: what equals a reference may be written otherwise
 */
export async function findReferences(
  relation: Relation,
  references: References,
  { statements, source }: Attempt,
): Promise<References> {
  const statement = statements.referred(relation);
  const rows = await source.run(statement, { rows: [...references.values()] });
  const ids = [...references.keys()];
  return new Map(
    rows.map((row) => {
      const texts = row.map((_, at) => cellText(statement, row, at)).slice(FIRST_OUTPUT);
      return [ids[Number(row[0])] ?? '', texts];
    }),
  );
}
