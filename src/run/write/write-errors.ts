import { type Consequence, type ErrorName, ProtocolError } from '../../base/errors.ts';
import type { Dataclass } from '../../model/types.ts';
import { mayNot, neededFor } from '../../plan/write/rights.ts';
import { entityName, type KeyTexts } from '../body/body-key.ts';
import type { WriteKind } from './violation.ts';
import { type Attempt, Refused, type WriteContext } from './attempt.ts';
import { type Element, failed, isFailed, type Step } from './outcome.ts';

/**
 * Errors that say nothing of what was asked for. A lock that lasts too long is one of them although it may be that of a single row: no
 * engine says which, and to find out by halves would wait as long for each half, and keep others from the connection meanwhile.
 */
const TRANSIENT: ReadonlySet<ErrorName> = new Set([
  'databaseUnavailable',
  'connectionsBusy',
  'outcomeUnknown',
  'databaseUnable',
  'lockedByAnother',
  'deadlock',
]);

/** Whether an error passes by itself: nothing that the request asks for is the reason, and nothing else of it needs to be tried. */
export function isTransient({ errorName }: ProtocolError): boolean {
  return TRANSIENT.has(errorName);
}

/** What becomes of the entities behind those with which an error came up that passes by itself. */
export function notTried(cause: ProtocolError): ProtocolError {
  if (cause.errorName !== 'databaseUnavailable' && cause.errorName !== 'outcomeUnknown')
    return cause;
  return new ProtocolError(
    'databaseUnavailable',
    'The database was lost while the request was served: this was not tried. Try again later.',
    undefined,
    cause,
  );
}

/** An error with what came of it, unless nobody knows. */
export function withConsequence(
  error: ProtocolError,
  kind: WriteKind,
  key: KeyTexts | null,
  dataclass: Dataclass,
): ProtocolError {
  return error.errorName === 'outcomeUnknown'
    ? error
    : error.leadingTo(consequence(kind, key, dataclass));
}

/** A refusal with what came of it for the element of a key. */
export function toldOf(
  key: KeyTexts | null,
  reason: ProtocolError,
  { kind, dataclass }: Pick<WriteContext, 'kind' | 'dataclass'>,
): ProtocolError {
  return reason.leadingTo(consequence(changeOf(kind, key), key, dataclass));
}

/** What is about to be done to the element of a key. */
export function changeOf(kind: WriteContext['kind'], key: KeyTexts | null): WriteKind {
  if (kind === 'delete') return 'delete';
  return key === null ? 'create' : 'update';
}

/** What came of a refusal, as the protocol says it. */
export function consequence(
  kind: WriteKind,
  key: KeyTexts | null,
  dataclass: Dataclass,
): Consequence {
  const { name } = dataclass;
  const entity = key === null ? `The entity of ${name}` : entityName(dataclass, key);
  switch (kind) {
    case 'create':
      return {
        errorName: 'newEntityNotSaved',
        message: `The new entity of ${name} was not saved.`,
      };
    case 'update':
      return { errorName: 'entityNotSaved', message: `${entity} was not saved.` };
    case 'delete':
      return { errorName: 'entityNotDeleted', message: `${entity} was not deleted.` };
  }
}

/**
 * What ends an attempt at all or none, with the element that it is about (DECISIONS, "Updates"). An entity that is saved along with another
 * one ends that alone, where the request is not all or none.
 * @returns a ProtocolError; or Refused of the entity that it is within
 */
export function atomicError(error: ProtocolError, element: Element, context: WriteContext): Error {
  const { dataclass, kind, unique, isInBody, nested } = context;
  const { index, key } = element;
  if (nested !== undefined) {
    const { root, path } = nested.placeOf(index);
    return nestedError(error.inside(path), root, nested.context);
  }
  const entity = key === null ? `a new ${dataclass.name}` : entityName(dataclass, key, unique);
  const named = `Element ${index} of the body${kind === 'delete' && key === null ? '' : `, ${entity}`}: `;
  return error.behind(isInBody ? named : '').leadingTo(nothingDone(kind));
}

function nestedError(error: ProtocolError, root: Element, context: WriteContext): Error {
  if (context.atomic) return atomicError(error, root, context);
  const change = changeOf(context.kind, root.key);
  const told = withConsequence(error, change, root.key, context.dataclass);
  return new Refused(told, [failed(root, told)]);
}

/** What came of an atomic request that failed. */
export function nothingDone(kind: 'save' | 'delete'): Consequence {
  return kind === 'save'
    ? { errorName: 'notSaved', message: 'Nothing of the request was saved.' }
    : { errorName: 'entityNotDeleted', message: 'Nothing of the request was deleted.' };
}

/** The entity is there, and the database has not changed it: a trigger or a policy of its own kept it as it is. */
export function notChanged(
  kind: WriteKind,
  key: KeyTexts | null,
  dataclass: Dataclass,
): ProtocolError {
  return new ProtocolError(
    'notSaved',
    `The database kept ${entityName(dataclass, key ?? [])} as it is: it is gone, or a rule of the database's own does not let it be changed.`,
  ).leadingTo(consequence(kind, key, dataclass));
}

/** Of what a filter finds some is there still: whoever asks may not delete it, or a trigger of the database's own has seen to that. */
export function keptByFilter(dataclass: Dataclass): ProtocolError {
  if (neededFor(dataclass, 'delete') !== null) {
    return mayNot('delete', `all entities of ${dataclass.name} that the filter finds`).leadingTo(
      noneDeleted(dataclass),
    );
  }
  return new ProtocolError(
    'notSaved',
    `The database kept entities of ${dataclass.name} that the filter finds: a rule of the database's own does not let them be deleted.`,
  ).leadingTo(noneDeleted(dataclass));
}

/** What came of a delete by a filter that was refused. */
export function noneDeleted({ name }: Dataclass): Consequence {
  return { errorName: 'entityNotDeleted', message: `No entity of ${name} was deleted.` };
}

/** The database took a new row and kept none of it: a trigger of its own dropped it. */
export function notCreated(dataclass: Dataclass): ProtocolError {
  return new ProtocolError(
    'notSaved',
    `The database did not keep the new entity of ${dataclass.name}: a rule of the database's own does not let it be created.`,
  ).leadingTo(consequence('create', null, dataclass));
}

/** The database took a change whose row cannot be read again: its view does not show it, or a trigger of its own removed it. */
export function vanished(key: KeyTexts, dataclass: Dataclass): ProtocolError {
  return new ProtocolError(
    'notSaved',
    `${entityName(dataclass, key)} cannot be saved with these values: the database would not show it any more, as a view or a rule of its own has it.`,
  ).leadingTo(consequence('update', key, dataclass));
}

/** A save would make a row that is none of the dataclass's entities: nobody could read it any more. */
export function outside(
  kind: WriteKind,
  key: KeyTexts | null,
  dataclass: Dataclass,
): ProtocolError {
  const entity =
    kind === 'create' ? `A new entity of ${dataclass.name}` : entityName(dataclass, key ?? []);
  return new ProtocolError(
    'notSaved',
    `${entity} cannot be saved with these values: it would not be among the entities of ${dataclass.name}, which are some of the rows of its table.`,
  ).leadingTo(consequence(kind, key, dataclass));
}

/** Whoever asks may see the entity, and not change it. */
export function notPermitted(kind: WriteKind, key: KeyTexts, dataclass: Dataclass): ProtocolError {
  return mayNot(kind, entityName(dataclass, key)).leadingTo(consequence(kind, key, dataclass));
}

/** A save would make an entity of what whoever asks may not create, or not change. */
export function beyondRights(
  kind: WriteKind,
  key: KeyTexts | null,
  dataclass: Dataclass,
): ProtocolError {
  const what =
    kind === 'create' ? `an entity of ${dataclass.name}` : entityName(dataclass, key ?? []);
  return mayNot(kind, `${what} with these values`).leadingTo(consequence(kind, key, dataclass));
}

/** The entity was changed by somebody else since the client read it (DECISIONS, "Updates"). */
export function stampChanged(
  kind: WriteKind,
  key: KeyTexts | null,
  dataclass: Dataclass,
): ProtocolError {
  return new ProtocolError(
    'stampChanged',
    `${entityName(dataclass, key ?? [])} has changed since it was read.`,
  ).leadingTo(consequence(kind, key, dataclass));
}

/**
 * Ends an attempt at all or none at the first element that failed; any other goes on with what is left.
 * @throws ProtocolError naming the element; Refused of the entity that it is within
 */
export function failFast<Ready extends object>(
  steps: readonly Step<Ready>[],
  context: WriteContext,
): readonly Step<Ready>[] {
  const first = context.atomic ? steps.find((step) => isFailed(step)) : undefined;
  if (first !== undefined) throw atomicError(first.failure.error, first, context);
  return steps;
}

/** The same of one element, as soon as it is known what it comes to. */
export function failAtOnce<Ready extends object>(
  step: Step<Ready>,
  context: WriteContext,
): Step<Ready> {
  failFast([step], context);
  return step;
}

/** What a check by the model comes to, or the failure of the element where the model refuses it. */
export function orFailed<Ready>(
  element: Element,
  kind: WriteKind,
  dataclass: Dataclass,
  check: () => Ready,
): Step<Ready> {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    // A broken reference leads to the same, whether a foreign key of the database or the gateway finds it.
    return failed(
      element,
      error.errorName === 'brokenReference'
        ? error.leadingTo(consequence(kind, element.key, dataclass))
        : error,
    );
  }
}

/** What ends the attempt, because the database took what it did not keep: all that it did is rolled back. */
export function rolledBack(element: Element, error: ProtocolError, attempt: Attempt): Error {
  return attempt.atomic ? atomicError(error, element, attempt) : new Refused(error);
}
