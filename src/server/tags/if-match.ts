import { ProtocolError } from '../../base/errors.ts';
import type { Dataclass } from '../../model/types.ts';
import type { SavePlan } from '../../plan/write/save.ts';
import type { Body, BodyEntity } from '../../protocol/body/body.ts';
import type { RestRequest } from '../../protocol/rest-request.ts';
import { stampDigits } from '../../run/body/entity-key.ts';
import type { RefusedEntity } from '../../run/convert/types.ts';
import { isTagList, stampInTag, tagsIn } from './tagged-answer.ts';

export type Precondition =
  /** `If-Match`: the stamp that it has to have, as digits; null for any, of an entity that is there (`*`). */
  | { readonly kind: 'present'; readonly stamp: string | null }
  /** `If-None-Match: *`: that it is not there yet. */
  | { readonly kind: 'absent' };

/**
 * What a write is to meet; null without such a header. `If-Match` is a stamp, as in the tag that the entity was read with, or alone, `"7"`; it is compared
 * as `__STAMP` is, where the entity is written. HTTP would compare tags, and no weak one (RFC 9110, 13.1.1), but proxies that compress make all tags weak.
 * @throws ProtocolError badRequest for what is not a list of tags, preconditionFailed where no tag names a version, notApplicable for contradictions
 */
export function preconditionOf({ headers }: Pick<RestRequest, 'headers'>): Precondition | null {
  const text = headers['if-match']?.trim();
  const ifNoneMatch = headers['if-none-match']?.trim();
  if (ifNoneMatch !== undefined) {
    if (ifNoneMatch === '*' && text === undefined) return { kind: 'absent' };
    throw notApplicable(
      'If-None-Match is allowed on reads, and as * on the creation of an entity.',
    );
  }
  if (text === undefined) return null;
  if (text === '*') return { kind: 'present', stamp: null };
  const list = /^\d{1,16}$/.test(text) ? `"${text}"` : text;
  if (!isTagList(list)) {
    const message = 'If-Match is not a list of ETags: send the ETag of the last read, in quotes.';
    throw new ProtocolError('badRequest', message);
  }
  const stamps = new Set(
    tagsIn(list)
      .map(stampInTag)
      .filter((stamp) => stamp !== null),
  );
  const [stamp, ...others] = stamps;
  if (stamp === undefined) {
    const message =
      'If-Match is not an entity’s ETag: send the ETag of the last read, or the __STAMP in quotes.';
    throw new ProtocolError('preconditionFailed', message);
  }
  if (others.length === 0) return { kind: 'present', stamp };
  throw notApplicable(
    'If-Match names several versions of the entity: send the one that you have read.',
  );
}

type StampedPlan = Pick<SavePlan, 'target' | 'method' | 'dataclass' | 'naturalKey'>;

/** The body of a save with the stamp of `If-Match` in it. @throws ProtocolError notApplicable unless it is for one existing entity, with one stamp */
export function stampedBody(
  body: Body,
  precondition: Precondition | null,
  { target, method, dataclass, naturalKey }: StampedPlan,
): Body {
  if (precondition === null) return body;
  const isNew = ({ key }: BodyEntity): boolean =>
    method === 'insert' || (target === null && (key ?? null) === null);
  if (precondition.kind === 'absent') {
    // A new entity takes no place that is taken, which is all that the header asks for.
    if (naturalKey === null && body.entities.every(isNew)) return body;
    throw notNew();
  }
  const [entity] = body.entities;
  if (body.form === 'many' || entity === undefined) throw notOne();
  if (isNew(entity)) {
    throw notApplicable('If-Match needs the key of an existing entity.');
  }
  const given = stampDigits(entity.stamp);
  const stamp = agreed(given, precondition.stamp, dataclass);
  return stamp === given ? body : { form: 'one', entities: [{ ...entity, stamp }] };
}

/** The one entity to write with the stamp of `If-Match`. @throws ProtocolError notApplicable where they are several, or there are two stamps */
export function stamped<Planned extends { readonly stamp: string | null }>(
  entities: readonly (Planned | RefusedEntity)[],
  precondition: Precondition | null,
  dataclass: Dataclass,
): (Planned | RefusedEntity)[] {
  if (precondition === null) return [...entities];
  if (precondition.kind === 'absent') throw notNew();
  if (entities.length !== 1) throw notOne();
  return entities.map((entity) =>
    'error' in entity
      ? entity
      : { ...entity, stamp: agreed(entity.stamp, precondition.stamp, dataclass) },
  );
}

/** @throws ProtocolError notApplicable where the header is there, and so may not be passed over in silence */
export function refusePrecondition(request: Pick<RestRequest, 'headers'>): void {
  if (request.headers['if-match'] !== undefined) throw notOne();
}

function agreed(
  given: string | null,
  stamp: string | null,
  { name, stamp: { kind } }: Dataclass,
): string | null {
  if (stamp === null) return given;
  if (kind === 'none') {
    throw notApplicable(`Entities of ${name} have no stamps to compare with If-Match.`);
  }
  if (given === null || given === stamp) return stamp;
  throw notApplicable(
    `If-Match has the stamp ${stamp}, the body the __STAMP ${given}: send one of them.`,
  );
}

/**
 * Does a write of an entity that may have another stamp by now than `If-Match` names (RFC 9110, 15.5.13).
 * @throws ProtocolError preconditionFailed in place of stampChanged, and what else the write throws
 */
export function underPrecondition<Result>(
  precondition: Precondition | null,
  write: () => Promise<Result>,
): Promise<Result> {
  if (!namesStamp(precondition)) return write();
  return write().catch((error: unknown) => {
    if (!isStampChanged(error)) throw error;
    const { message, consequences } = error;
    throw new ProtocolError('preconditionFailed', message, undefined, error).leadingTo(
      ...consequences,
    );
  });
}

/** Whether a header names a stamp. */
export function namesStamp(precondition: Precondition | null): boolean {
  return precondition?.kind === 'present' && precondition.stamp !== null;
}

/** Whether the entity of the request itself has another stamp, not a nested one. */
function isStampChanged(error: unknown): error is ProtocolError {
  return (
    error instanceof ProtocolError && error.errorName === 'stampChanged' && error.errorPath === null
  );
}

function notNew(): ProtocolError {
  return notApplicable(
    'If-None-Match is allowed on the creation of entities only; use If-Match for existing ones.',
  );
}

function notOne(): ProtocolError {
  return notApplicable(
    'If-Match is allowed on the save or the delete of one entity only: name it by its key.',
  );
}

function notApplicable(message: string): ProtocolError {
  return new ProtocolError('notApplicable', message);
}
