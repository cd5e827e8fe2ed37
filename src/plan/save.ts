import type { Dataclass, Model, StorageAttribute } from '../model/types.ts';
import type { SaveRequest, Selector, Slot } from '../request/ast.ts';
import { ProtocolError } from '../base/errors.ts';
import { keySlots, uniqueAttribute, uniqueSlot } from './keys.ts';
import type { PlanSettings } from './read.ts';
import { planSaveAnswer, type SaveAnswerPlan } from './save-answer.ts';
import { findDataclass } from '../model/lookup.ts';

/** What to do with the entities of a body, for all requests of one shape. */
export interface SavePlan {
  readonly dataclass: Dataclass;
  readonly method: 'update' | 'insert';
  readonly atomic: boolean;
  readonly target: UrlTarget | null;
  readonly answer: SaveAnswerPlan;
  /** Whether only some of the saved entities are answered. */
  readonly filtered: boolean;
  /** Whether they are answered in an order of their own, not in that of the body. */
  readonly ordered: boolean;
  readonly asArray: boolean;
  /** A dry run: nothing of it is kept. */
  readonly refresh: boolean;
}

/** The entities that a URL names by key, or one by a unique attribute. */
export interface UrlTarget {
  /** The unique attribute; null where it names keys. */
  readonly unique: string | null;
  /** The attributes that address them. */
  readonly attributes: readonly StorageAttribute[];
  /** For each entity the values of the attributes; a single slot may hold a list of plain keys. */
  readonly slots: readonly (readonly Slot[])[];
}

/**
 * Plans a save.
 * @throws ProtocolError for names that do not exist, a key that does not fit, and what does not apply to a save
 */
export function planSave(request: SaveRequest, model: Model, settings: PlanSettings): SavePlan {
  const dataclass = findDataclass(model, request.dataclass);
  const { method, atomic, asArray, refresh } = request;
  const target = urlTarget(request.selector, dataclass);
  if (target !== null && method === 'insert') {
    throw new ProtocolError(
      'notApplicable',
      'A new entity has no key yet: $method=insert goes with the dataclass alone.',
    );
  }
  return {
    dataclass,
    method,
    atomic,
    target,
    answer: planSaveAnswer(request, dataclass, settings),
    filtered: request.filter !== null,
    ordered: request.orderBy.length > 0,
    asArray,
    refresh,
  };
}

/**
 * The entities that the selector of a URL names; null for all of the dataclass.
 * @throws ProtocolError keyMismatch, noSuchAttribute, notApplicable
 */
export function urlTarget(selector: Selector, dataclass: Dataclass): UrlTarget | null {
  switch (selector.kind) {
    case 'all':
      return null;
    case 'unique':
      return {
        unique: selector.attribute,
        attributes: [uniqueAttribute(selector.attribute, dataclass)],
        slots: [[uniqueSlot(selector, dataclass)]],
      };
    case 'key':
      return {
        unique: null,
        attributes: dataclass.key,
        slots: [keySlots(selector.key, dataclass)],
      };
    case 'keys':
      return {
        unique: null,
        attributes: dataclass.key,
        slots: selector.keys.map((key) => keySlots(key, dataclass)),
      };
    case 'keyList':
      return {
        unique: null,
        attributes: dataclass.key,
        slots: [keySlots({ kind: 'scalar', value: selector.list }, dataclass)],
      };
    case 'entitySet':
      throw new ProtocolError(
        'notApplicable',
        `Nothing is saved by way of an entity set: name the entities by their keys, at /rest/${dataclass.name}.`,
      );
  }
}
