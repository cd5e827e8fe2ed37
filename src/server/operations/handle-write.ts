import { TimeSlice } from '../../base/time-slice.ts';
import { printDelete, runDelete, runDeleteWhere } from '../../run/delete/delete.ts';
import { isFailed } from '../../run/write/outcome.ts';
import { type PrintedSave, printSave } from '../../run/save/print-save.ts';
import { runSave } from '../../run/save/save.ts';
import type { SaveResult } from '../../run/save/save-answer.ts';
import type { SavePlace } from '../../run/save/save-trees.ts';
import { stampReader } from '../../run/write/stamp.ts';
import { type Activity, timed, timedAsync } from '../../base/observe/observer.ts';
import { planDelete } from '../../plan/write/delete.ts';
import { mayNot } from '../../plan/write/rights.ts';
import { planAttributeUpload, planSave, planSaveBelow } from '../../plan/write/save.ts';
import type {
  AttributeUploadRequest,
  DeleteRequest,
  ParsedRequest,
  SaveRequest,
  UploadRequest,
} from '../../protocol/ast.ts';
import type { Body } from '../../protocol/body/body.ts';
import type { JsonValue } from '../../protocol/body/json-value.ts';
import type { RestRequest } from '../../protocol/rest-request.ts';
import { type Answer, jsonAnswer } from '../../answer/answer.ts';
import {
  compileSave,
  deleteText,
  problemsOf,
  type SaveWriterPlace,
} from '../../answer/save-writer.ts';
import { uploadedEntity } from '../../run/body/given-value.ts';
import { urlKeys } from '../../run/body/entity-key.ts';
import { type Caller, executionOf } from '../pipeline/caller.ts';
import {
  namesStamp,
  preconditionOf,
  refusePrecondition,
  stamped,
  stampedBody,
  underPrecondition,
} from '../tags/if-match.ts';
import type { Services } from '../pipeline/services.ts';
import { stampTag } from '../tags/tagged-answer.ts';
import {
  deleteBody,
  deletedEntities,
  fetchUploads,
  neededBody,
  neededBytes,
  refuseBody,
  savedEntities,
} from '../bodies/write-body.ts';
import { planKinds } from '../pipeline/plan-cache.ts';

/** The answer to a write that has nothing to tell (§4.6). */
const OK = '{"ok":true}';

/** The status of a save that may not meet what it met, where a header says so (RFC 9110, 15.5.13). */
const PRECONDITION_FAILED = 412;

/** The life of a save: its URL has a shape, as that of a read; its body is read by the plan of that shape. */
export async function answerSave(
  { ast, shape, values }: ParsedRequest<SaveRequest>,
  caller: Caller,
  request: RestRequest,
  services: Services,
  activity: Activity,
): Promise<Answer> {
  const { model } = caller.audience;
  const { database, settings, uploads, plans, writeStatements } = services;
  const slice = new TimeSlice(activity.signal);
  const reading = { slice, maxEntities: settings.limits.maxEntities };
  const precondition = preconditionOf(request);
  const body = await timedAsync(activity, 'body', () => neededBody(request, reading));
  const placeOf = (relations: readonly string[]): SavePlace & SaveWriterPlace => {
    const isOutermost = relations.length === 0;
    const id = isOutermost ? shape : `${shape}\nwithin ${relations.join('.')}`;
    const cached = plans.planOf(planKinds.save, id, () => {
      const plan = timed(activity, 'plan', () =>
        isOutermost
          ? planSave(ast, model, settings)
          : planSaveBelow(ast, relations, model, settings),
      );
      const printed = timed(activity, 'sql', () =>
        printSave(plan, database.dialect, writeStatements),
      );
      return { printed, write: timed(activity, 'respond', () => compileSave(printed)) };
    });
    const { printed, write } = cached;
    return { printed, write, below: (relation) => placeOf([...relations, relation]) };
  };
  const place = placeOf([]);
  const { plan } = place.printed;
  if (uploads.areElsewhere) {
    await fetchUploads(valuesOf(body), uploads, caller.principal.name, slice);
  }
  const entities = await timedAsync(activity, 'values', () =>
    savedEntities(plan, values, stampedBody(body, precondition, plan), {
      findUpload: (id) => uploads.find(id, caller.principal.name),
      limits: database.dialect.limits,
      maxExpandDepth: settings.limits.maxExpandDepth,
      ...reading,
    }),
  );
  const result = await timedAsync(activity, 'execute', () =>
    underPrecondition(precondition, () =>
      runSave(place, entities, values, executionOf(caller, services, activity)),
    ),
  );
  for (const problem of problemsOf(result)) activity.observer.errorMet(problem);
  const answer = await timedAsync(activity, 'respond', () =>
    place.write.answer(result, body.form, place.below, slice),
  );
  if (namesStamp(precondition) && result.outcomes[0]?.failure?.stampChanged === true) {
    return { ...answer, status: PRECONDITION_FAILED };
  }
  const etag = body.form === 'one' ? savedTag(place.printed, result) : null;
  return etag === null ? answer : { ...answer, headers: { etag, ...answer.headers } };
}

/** What the entities of a body have for values. */
function* valuesOf({ entities }: Body): Generator<JsonValue> {
  for (const { fields } of entities) yield* fields.values();
}

/** The tag of the version of an entity that was saved, for the next save; null where none was, or nothing tells its versions apart. */
function savedTag(
  { plan: { dryRun }, answer: { shape, readers } }: PrintedSave,
  { outcomes: [outcome], fetched: { rows } }: SaveResult,
): string | null {
  const row = rows[outcome?.row ?? -1];
  const isSaved = !dryRun && outcome?.failure === null && row !== undefined;
  return isSaved && shape.stamp.kind !== 'none'
    ? stampTag(stampReader(shape.stamp, readers)(row))
    : null;
}

/** The life of a delete: of what the filter finds, of the entities that the URL names, or of those of the body. */
export async function answerDelete(
  { ast, shape, values }: ParsedRequest<DeleteRequest>,
  caller: Caller,
  request: RestRequest,
  services: Services,
  activity: Activity,
): Promise<Answer> {
  const { model } = caller.audience;
  const { database, settings, plans, writeStatements } = services;
  const slice = new TimeSlice(activity.signal);
  const reading = { slice, maxEntities: settings.limits.maxEntities };
  const body = await timedAsync(activity, 'body', () => deleteBody(request, reading));
  const printed = plans.planOf(planKinds.delete, shape, () => {
    const plan = timed(activity, 'plan', () => planDelete(ast, model, settings));
    return timed(activity, 'sql', () => printDelete(plan, database.dialect, writeStatements));
  });
  const { where, plan } = printed;
  if (where !== null) {
    refusePrecondition(request);
    refuseBody(body);
    await timedAsync(activity, 'execute', () =>
      runDeleteWhere(printed, where, values, executionOf(caller, services, activity)),
    );
    return jsonAnswer(OK);
  }
  const precondition = preconditionOf(request);
  if (body?.form === 'many') refusePrecondition(request);
  const entities = await timedAsync(activity, 'values', async () => {
    const found = await deletedEntities(plan, values, body, database.dialect.limits, slice);
    return stamped(found, precondition, plan.dataclass);
  });
  return underPrecondition(precondition, async () => {
    const outcomes = await timedAsync(activity, 'execute', () =>
      runDelete(printed, entities, executionOf(caller, services, activity)),
    );
    if (body !== null && body.form === 'many' && plan.target === null) {
      return timedAsync(activity, 'respond', async () =>
        jsonAnswer(await deleteText(outcomes, plan.dataclass, slice)),
      );
    }
    const failure = outcomes.find(isFailed)?.failure;
    if (failure !== undefined) throw failure.error;
    return jsonAnswer(OK);
  });
}

/** The life of an upload to one attribute, an image or BLOB, which is set to the bytes of the body (DECISIONS, "Updates"). */
export async function answerAttributeUpload(
  { ast, shape, values }: ParsedRequest<AttributeUploadRequest>,
  caller: Caller,
  request: RestRequest,
  services: Services,
  activity: Activity,
): Promise<Answer> {
  const { model } = caller.audience;
  const { database, settings, plans, writeStatements } = services;
  const { printed, attribute, target } = plans.planOf(planKinds.upload, shape, () => {
    const { plan, ...upload } = timed(activity, 'plan', () =>
      planAttributeUpload(ast, model, settings),
    );
    const printed = timed(activity, 'sql', () =>
      printSave(plan, database.dialect, writeStatements),
    );
    return { printed, ...upload };
  });
  const { dataclass } = printed.plan;
  const precondition = preconditionOf(request);
  const entities = timed(activity, 'values', () => {
    const bytes = neededBytes(request, ast.image);
    const [key = []] = urlKeys(target, values, dataclass, database.dialect.limits);
    return stamped([uploadedEntity(attribute, key, bytes, dataclass)], precondition, dataclass);
  });
  return underPrecondition(precondition, async () => {
    const { outcomes } = await timedAsync(activity, 'execute', () =>
      runSave(alone(printed), entities, values, executionOf(caller, services, activity)),
    );
    const failure = outcomes[0]?.failure ?? null;
    if (failure !== null) throw failure.error;
    return jsonAnswer(OK);
  });
}

/** The place of entities that have none within them. */
function alone(printed: PrintedSave): SavePlace {
  return {
    printed,
    below: (relation) => {
      throw new Error(`nothing is saved by ${relation}`);
    },
  };
}

/**
 * Keeps the bytes of the body until a save refers to them.
 * @throws ProtocolError mayNotUpdate for whoever may save nothing
 */
export function answerUpload(
  { image }: UploadRequest,
  { principal, audience: { model } }: Caller,
  request: RestRequest,
  { uploads }: Services,
): Answer {
  const isOfUse = [...model.dataclasses.values()].some(
    ({ rights: { create, update } }) => create !== 'denied' || update !== 'denied',
  );
  if (!isOfUse) throw mayNot('update', 'anything that an upload could be for');
  const bytes = neededBytes(request, image);
  return jsonAnswer(JSON.stringify({ ID: uploads.add(bytes, principal.name) }));
}
