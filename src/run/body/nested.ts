import { ProtocolError, type Consequence } from '../../base/errors.ts';
import { takesLists, type Dataclass, type Relation } from '../../model/types.ts';
import {
  digitsOf,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../protocol/body/json-value.ts';
import { OWN_KEY } from './body-key.ts';
import type { BodyPlace, NestingBounds } from '../convert/types.ts';

/** How many paths of relations the objects within a body may stand by. */
const MOST_PATHS = 100;

/** How many mistakes of the objects within one entity are told at once. */
const MOST_TOLD = 100;

/** Where the entities stand that the URL's dataclass is of. */
export function outermost(limits: Pick<NestingBounds, 'maxDepth' | 'maxEntities'>): BodyPlace {
  const bounds: NestingBounds = { count: 0, paths: new Set(), ...limits };
  return { path: '', relations: [], filled: [], bounds };
}

/** What stands under a relation of entities that are saved along with the one that holds it. */
export interface NestedObjects {
  readonly objects: readonly JsonValue[];
  /** Whether that is all that was read: a collection's header may tell of more. */
  readonly isWhole: boolean;
}

/**
 * The objects under a relation that are saved along with the entity: a list under one to many, the one under one to one that
 * has no key.
 * @returns null where the value says where the relation leads, or repeats what was read
 */
export function nestedObjects(relation: Relation, value: JsonValue): NestedObjects | null {
  const { kind, target } = relation;
  if (kind === 'relatedEntity') return isNewEntity(value, target) ? whole([value]) : null;
  if (!takesLists(relation)) return null;
  if (isJsonArray(value)) return whole(value);
  if (!isJsonObject(value) || '__deferred' in value) return null;
  const { __ENTITIES: objects, __COUNT: count, __FIRST: first } = value;
  const isCollection = Object.keys(value).every((name) => name.startsWith('__'));
  if (objects === undefined || !isJsonArray(objects) || !isCollection) return null;
  const told = Number(count === undefined ? objects.length : digitsOf(count));
  const begins = Number(first === undefined ? 0 : digitsOf(first));
  return { objects, isWhole: told === objects.length && begins === 0 };
}

function whole(objects: readonly JsonValue[]): NestedObjects {
  return { objects, isWhole: true };
}

/** Whether a value under a relation to one says what an entity holds, and not, or not only, which one is meant. */
function isNewEntity(value: JsonValue, { key, members }: Dataclass): value is JsonObject {
  if (!isJsonObject(value) || '__deferred' in value || (value[OWN_KEY] ?? null) !== null) {
    return false;
  }
  const isSaid = (name: string): boolean =>
    !name.startsWith('__') && (name !== 'uri' || members.has(name));
  const isOfKey = (name: string): boolean => key.some((part) => part.name === name);
  return Object.keys(value).some((name) => isSaid(name) && !isOfKey(name));
}

/**
 * The place of an object under a relation of the entity at another place.
 * @param index its index in the list; null under a relation to one
 * @throws ProtocolError notApplicable where it stands too deep, badBody where there are too many
 */
export function placeBelow(
  { path, relations, bounds }: BodyPlace,
  { kind, name, hops }: Relation,
  index: number | null,
): BodyPlace {
  const names = [...relations, name];
  const below = `${pathBelow(path, name)}${index === null ? '' : `[${index}]`}`;
  if (names.length > bounds.maxDepth) {
    throw new ProtocolError(
      'notApplicable',
      `${below}: entities are saved along with others over at most ${bounds.maxDepth} relations.`,
    );
  }
  bounds.count += 1;
  if (bounds.count > bounds.maxEntities) {
    throw new ProtocolError(
      'badBody',
      `The body holds more than ${bounds.maxEntities} objects; at most as many are allowed, those within others counted as well.`,
    );
  }
  bounds.paths.add(names.join('.'));
  if (bounds.paths.size > MOST_PATHS) {
    throw new ProtocolError(
      'badBody',
      `The body holds objects by more than ${MOST_PATHS} paths of relations.`,
    );
  }
  const filled = kind === 'relatedEntities' ? (hops[0]?.to ?? []) : [];
  return { path: below, relations: names, filled, bounds };
}

/** The path of a relation of the entity at a path. */
export function pathBelow(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** Whether the mistakes within an entity are all that is told of it: as many as are told at once, or that the body holds too many objects. */
export function isToldEnough({ length }: readonly ProtocolError[], { bounds }: BodyPlace): boolean {
  return length > MOST_TOLD || (length > 0 && bounds.count > bounds.maxEntities);
}

/** Several mistakes as one error, which is that of the first; each is an item of `__ERROR`. */
export function allOf(errors: readonly [ProtocolError, ...ProtocolError[]]): ProtocolError {
  const [first, ...others] = errors;
  return first.leadingTo(
    ...others
      .flatMap(({ errorName, message, consequences }): Consequence[] => [
        { errorName, message },
        ...consequences,
      ])
      .slice(0, MOST_TOLD),
  );
}
