import { ProtocolError } from '../../../base/errors.ts';
import type { Relation } from '../../../model/types.ts';
import { entityName, noRelatedEntity, type KeyTexts } from '../../body/body-key.ts';
import { relatedValues } from '../../body/given-value.ts';
import type { GivenValue, PlannedEntity } from '../../convert/types.ts';
import type { Attempt } from '../../write/attempt.ts';
import { failed, type Step } from '../../write/outcome.ts';
import { cellText } from '../../run.ts';
import { toldOf } from '../../write/write-errors.ts';

/**
 * Looks for the related entities that bodies name and that no foreign key vouches for, by one statement for each relation.
 * What they give the relation's columns joins what the entity is given; an entity that names none that exists fails.
 */
export async function resolveReferences(
  entities: readonly PlannedEntity[],
  attempt: Attempt,
): Promise<Step<PlannedEntity>[]> {
  const found = await findRelated(entities, attempt);
  return entities.map((entity) => resolved(entity, found, attempt));
}

/** What the columns that a relation leads to hold, by the related entity's key as text. */
type RelatedRows = ReadonlyMap<Relation, ReadonlyMap<string, readonly (string | null)[]>>;

async function findRelated(
  entities: readonly PlannedEntity[],
  { statements, source }: Attempt,
): Promise<RelatedRows> {
  const wanted = new Map<Relation, Map<string, KeyTexts>>();
  for (const { relation, key } of entities.flatMap(({ related }) => related)) {
    const keys = wanted.get(relation) ?? new Map<string, KeyTexts>();
    wanted.set(relation, keys.set(JSON.stringify(key), key));
  }
  const found = new Map<Relation, Map<string, readonly (string | null)[]>>();
  for (const [relation, keys] of wanted) {
    const statement = statements.related(relation);
    const ids = [...keys.keys()];
    const rows = await source.run(statement, { rows: [...keys.values()] });
    const byKey = rows.map((row) => {
      const texts = row.map((_, at) => cellText(statement, row, at)).slice(FIRST_OUTPUT);
      return [ids[Number(row[0])] ?? '', texts] as const;
    });
    found.set(relation, new Map(byKey));
  }
  return found;
}

/** Behind the ordinal. */
const FIRST_OUTPUT = 1;

function resolved(
  entity: PlannedEntity,
  found: RelatedRows,
  attempt: Attempt,
): Step<PlannedEntity> {
  const { dataclass } = attempt;
  if (entity.related.length === 0) return entity;
  let given: readonly GivenValue[] = entity.given;
  for (const { relation, key } of entity.related) {
    const texts = found.get(relation)?.get(JSON.stringify(key));
    const member = `${dataclass.name}.${relation.name}`;
    const isKnown = given.some((value) => value.member === member);
    if (texts?.includes(null) === true) {
      const error = new ProtocolError(
        'keyIsNull',
        `${member} stands on a value that ${entityName(relation.target, key)} does not have: nothing can refer to it.`,
      ).about(member);
      return failed(entity, toldOf(entity.key, error, attempt));
    }
    if (texts !== undefined) {
      if (isKnown) continue;
      try {
        given = [...given, ...relatedValues(relation, texts, dataclass)];
      } catch (error) {
        if (!(error instanceof ProtocolError)) throw error;
        return failed(entity, toldOf(entity.key, error, attempt));
      }
      continue;
    }
    const dangling = noRelatedEntity(member, relation.target, key);
    // A reference to what is not to be seen is read as null: whoever sends its key has guessed it.
    if (!isKnown || relation.target.where !== null) {
      const error = new ProtocolError('brokenReference', dangling).about(member);
      return failed(entity, toldOf(entity.key, error, attempt));
    }
    // A reference that leads nowhere already may be sent back as it was read.
    given = given.map((value) => (value.member === member ? { ...value, dangling } : value));
  }
  return { ...entity, given };
}
