import { catching, type Consequence, type ErrorName, ProtocolError } from '../../base/errors.ts';
import type { Dataclass } from '../../model/types.ts';
import { mayNot, neededFor } from '../../plan/write/rights.ts';
import { entityName } from '../body/entity-key.ts';
import type { KeyTexts } from '../convert/types.ts';
import { type Attempt, Refused, type WriteContext } from './attempt.ts';
import { type Element, failed, type Outcome } from './outcome.ts';
import type { WriteKind } from './violation.ts';

/** Errors that are about no element. Neither is a lock that lasts too long: no engine says on which row, and trying halves would wait for each. */
const ENDING: ReadonlySet<ErrorName> = new Set([
  'databaseUnavailable',
  'connectionsBusy',
  'outcomeUnknown',
  'databaseUnable',
  'rowLockTimeout',
  'deadlock',
]);

/** Whether nothing else of a request is tried after an error: the request is not its reason. */
export function endsRequest({ errorName }: ProtocolError): boolean {
  return ENDING.has(errorName);
}

/** The error of elements that are not tried any more after an error that {@link endsRequest}. */
export function notTried(cause: ProtocolError): ProtocolError {
  if (cause.errorName !== 'databaseUnavailable' && cause.errorName !== 'outcomeUnknown')
    return cause;
  const message =
    'The database was lost while the request was served: this was not tried. Try again later.';
  return new ProtocolError('databaseUnavailable', message, undefined, cause);
}

/** An error with its consequence for the element of a key, unless the outcome is not known. */
export function withConsequence(
  error: ProtocolError,
  key: KeyTexts | null,
  { kind, dataclass }: Pick<WriteContext, 'kind' | 'dataclass'>,
): ProtocolError {
  return error.errorName === 'outcomeUnknown'
    ? error
    : error.leadingTo(consequence(changeOf(kind, key), key, dataclass));
}

/** The change to the element of a key. */
export function changeOf(kind: WriteContext['kind'], key: KeyTexts | null): WriteKind {
  if (kind === 'delete') return 'delete';
  return key === null ? 'create' : 'update';
}

/** The consequence of a refusal, as the protocol says it. */
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

/** The consequence of an atomic request that failed. */
export function nothingDone(kind: 'save' | 'delete'): Consequence {
  return kind === 'save'
    ? { errorName: 'notSaved', message: 'Nothing of the request was saved.' }
    : { errorName: 'entityNotDeleted', message: 'Nothing of the request was deleted.' };
}

/** The consequence of a delete by a filter that was refused. */
export function noneDeleted({ name }: Dataclass): Consequence {
  return { errorName: 'entityNotDeleted', message: `No entity of ${name} was deleted.` };
}

/** The error that ends an attempt at all or none (DECISIONS, "Updates"): a ProtocolError, or Refused of the entity that a nested one is within. */
export function atomicError(error: ProtocolError, element: Element, context: WriteContext): Error {
  const { dataclass, kind, unique, isInBody, nested } = context;
  const { index, key } = element;
  if (nested !== undefined) {
    const { root, path } = nested.locate(index);
    const inside = error.inside(path);
    if (nested.context.atomic) return atomicError(inside, root, nested.context);
    return refusedAlone(root, withConsequence(inside, root.key, nested.context));
  }
  const entity = key === null ? `a new ${dataclass.name}` : entityName(dataclass, key, unique);
  const named = `Element ${index} of the body${kind === 'delete' && key === null ? '' : `, ${entity}`}: `;
  return error.behind(isInBody ? named : '').leadingTo(nothingDone(kind));
}

/** Ends an attempt because of one element, which fails whatever becomes of the others. */
export function refusedAlone(element: Element, error: ProtocolError): Refused {
  return new Refused(error, [failed(element, error)]);
}

/** The error that ends an attempt because the database did not keep what it took: all that the attempt did is rolled back. */
export function rolledBack(element: Element, error: ProtocolError, attempt: Attempt): Error {
  if (attempt.atomic) return atomicError(error, element, attempt);
  return attempt.oneByOne ? refusedAlone(element, error) : new Refused(error);
}

/** Notes that an element is not written. @throws in an all-or-none attempt, ProtocolError naming it, or Refused of the entity that it is within */
export function fail(
  outcome: Outcome,
  error: ProtocolError,
  context: WriteContext,
  stampChanged = false,
): void {
  outcome.kind = 'failed';
  outcome.failure = { error, stampChanged };
  if (context.atomic) throw atomicError(error, outcome, context);
}

/** Checks an element by the model, and notes that it is not written where the model refuses it. @throws as {@link fail} */
export function failing(
  outcome: Outcome,
  kind: WriteKind,
  context: WriteContext,
  check: () => void,
): void {
  catching(ProtocolError, check, (error) => {
    // A broken reference has the same consequence whether a foreign key or the gateway finds it.
    const isBroken = [error, ...error.consequences].some(
      ({ errorName }) => errorName === 'brokenReference',
    );
    const consequences = isBroken ? [consequence(kind, outcome.key, context.dataclass)] : [];
    fail(outcome, error.leadingTo(...consequences), context);
  });
}

/** A rule of the database, its view or its triggers, stood against the write without an error of its own. */
function notSaved(
  message: string,
  kind: WriteKind,
  key: KeyTexts | null,
  dataclass: Dataclass,
): ProtocolError {
  return new ProtocolError('notSaved', message).leadingTo(consequence(kind, key, dataclass));
}

/** The entity is there, and a trigger or a policy of the database kept it as it is. */
export function notChanged(kind: WriteKind, key: KeyTexts, dataclass: Dataclass): ProtocolError {
  const message = `The database kept ${entityName(dataclass, key)} as it is: it is gone, or a rule of the database's own does not let it be changed.`;
  return notSaved(message, kind, key, dataclass);
}

/** A trigger dropped the new row. */
export function notCreated(dataclass: Dataclass): ProtocolError {
  const message = `The database did not keep the new entity of ${dataclass.name}: a rule of the database's own does not let it be created.`;
  return notSaved(message, 'create', null, dataclass);
}

/** The changed row cannot be read again: its view does not show it, or a trigger removed it. */
export function vanished(key: KeyTexts, dataclass: Dataclass): ProtocolError {
  const message = `${entityName(dataclass, key)} cannot be saved with these values: the database would not show it any more, as a view or a rule of its own has it.`;
  return notSaved(message, 'update', key, dataclass);
}

/** The saved row would not be one of the dataclass's entities: it could not be read any more. */
export function outside(
  kind: WriteKind,
  key: KeyTexts | null,
  dataclass: Dataclass,
): ProtocolError {
  const entity =
    kind === 'create' ? `A new entity of ${dataclass.name}` : entityName(dataclass, key ?? []);
  const message = `${entity} cannot be saved with these values: it would not be among the entities of ${dataclass.name}, which are some of the rows of its table.`;
  return notSaved(message, kind, key, dataclass);
}

/** Some of what a filter finds is still there: the user may not delete it, or a trigger kept it. */
export function keptByFilter(dataclass: Dataclass): ProtocolError {
  const { name } = dataclass;
  const message = `The database kept entities of ${name} that the filter finds: a rule of the database's own does not let them be deleted.`;
  const error =
    neededFor(dataclass, 'delete') === null
      ? new ProtocolError('notSaved', message)
      : mayNot('delete', `all entities of ${name} that the filter finds`);
  return error.leadingTo(noneDeleted(dataclass));
}

/** The user may see the entity, but not change it. */
export function notPermitted(kind: WriteKind, key: KeyTexts, dataclass: Dataclass): ProtocolError {
  return mayNot(kind, entityName(dataclass, key)).leadingTo(consequence(kind, key, dataclass));
}

/** Several rows have the key: to change one of them would change all. */
export function notOnly(kind: WriteKind, key: KeyTexts, dataclass: Dataclass): ProtocolError {
  const message = `Several rows have the key of ${entityName(dataclass, key)}: none of them can be changed by it.`;
  return new ProtocolError('brokenRule', message)
    .leadingTo(consequence(kind, key, dataclass))
    .advising(`Nothing keeps the key of ${dataclass.name} unique: see key in its mapping file.`);
}

/** The saved entity would be one that the user may not create, or not change. */
export function beyondRights(
  kind: WriteKind,
  key: KeyTexts | null,
  dataclass: Dataclass,
): ProtocolError {
  const what =
    kind === 'create' ? `an entity of ${dataclass.name}` : entityName(dataclass, key ?? []);
  return mayNot(kind, `${what} with these values`).leadingTo(consequence(kind, key, dataclass));
}

/** The entity has changed since the client read it (DECISIONS, "Updates"). */
export function stampChanged(kind: WriteKind, key: KeyTexts, dataclass: Dataclass): ProtocolError {
  const message = `${entityName(dataclass, key)} has changed since it was read.`;
  return new ProtocolError('stampChanged', message).leadingTo(consequence(kind, key, dataclass));
}
