import type { Relation } from '../model/types.ts';
import type { KeyTexts } from '../values/body-key.ts';
import { runQuery, type ReadSource } from './run.ts';
import { cellText, type WriteParts } from './write-run.ts';
import type { PlannedEntity } from '../values/types.ts';

/** The related entities that the bodies of one request name, looked for by one statement for each relation. */
export class RelatedLookup {
  readonly #found: ReadonlyMap<Relation, ReadonlyMap<string, readonly (string | null)[]>>;

  private constructor(
    found: ReadonlyMap<Relation, ReadonlyMap<string, readonly (string | null)[]>>,
  ) {
    this.#found = found;
  }

  static async of(
    entities: readonly PlannedEntity[],
    { statements }: WriteParts,
    source: ReadSource,
  ): Promise<RelatedLookup> {
    const wanted = new Map<Relation, Map<string, KeyTexts>>();
    for (const { relation, key } of entities.flatMap(({ related }) => related)) {
      const keys = wanted.get(relation) ?? new Map<string, KeyTexts>();
      wanted.set(relation, keys.set(JSON.stringify(key), key));
    }
    const found = new Map<Relation, Map<string, readonly (string | null)[]>>();
    for (const [relation, keys] of wanted) {
      const statement = statements.related(relation);
      const ids = [...keys.keys()];
      const rows = await runQuery(statement, { rows: [...keys.values()] }, source);
      found.set(
        relation,
        new Map(
          rows.map((row) => [
            ids[Number(row[0])] ?? '',
            row.slice(FIRST_OUTPUT).map((_, at) => cellText(statement, row, at + FIRST_OUTPUT)),
          ]),
        ),
      );
    }
    return new RelatedLookup(found);
  }

  /** What the columns that the relation leads to hold; null where there is no such entity. */
  find(relation: Relation, key: KeyTexts): readonly (string | null)[] | null {
    return this.#found.get(relation)?.get(JSON.stringify(key)) ?? null;
  }
}

/** Behind the ordinal. */
const FIRST_OUTPUT = 1;
