import { mayChange } from '../../model/types.ts';
import { TimeSlice } from '../../base/time.ts';
import {
  compileSave,
  problemsOf,
  type SaveWriter,
  type WriterNode,
} from '../../answer/save-writer.ts';
import { entityUri, keyReader } from '../../answer/entities/entity-uri.ts';
import { planSave, planSaveBelow, type SavePlan } from '../../plan/write/save.ts';
import type { SaveRequest } from '../../protocol/ast.ts';
import { attributeNames, type Body } from '../../protocol/body/body.ts';
import type { JsonValue } from '../../protocol/body/json.ts';
import { runSave, type SaveResult } from '../../run/save/save.ts';
import type { PlanNode } from '../../run/save/save-trees.ts';
import { keyValues } from '../../run/body/entity-key.ts';
import { stampReader } from '../../run/run.ts';
import { fetchUploads, neededBody, savedEntities } from '../bodies/write-body.ts';
import { noteOutdated, reportError } from '../pipeline/error-answers.ts';
import {
  executionOf,
  namedWrite,
  type OperationContext,
  type Planned,
  planOf,
  staged,
} from '../pipeline/operation.ts';
import {
  namesStamp,
  preconditionOf,
  stampedBody,
  stampTag,
  underPrecondition,
} from '../http/etags.ts';

/** RFC 9110, 15.5.13. */
const PRECONDITION_FAILED = 412;

const CREATED = 201;

/** How saves are planned, and their writers compiled. */
const savePlan = {
  name: 'save',
  plan: planSave,
  compile: compileSave,
};

/** Creates and updates entities (§4.6, §4.13). */
export const save = staged({
  ...savePlan,
  changes: true,
  addresses: (ast) => ast,
  isServed: (_, dataclass, isByKey) =>
    isByKey ? mayChange(dataclass, 'update') : mayChange(dataclass, 'create', 'update'),
  writes: (ast) => (ast.dryRun ? null : namedWrite('save', ast)),
  body: async ({ request, services, principal, signal }: OperationContext<SaveRequest>) => {
    const precondition = preconditionOf(request);
    const slice = new TimeSlice(signal);
    const { maxEntities } = services.settings.limits;
    const body = await neededBody(request, { slice, maxEntities });
    const { uploads } = services;
    if (uploads.areShared) await fetchUploads(valuesOf(body), uploads, principal.name, slice);
    return { precondition, body };
  },
  values: async (plan, { precondition, body }, { values, services, principal, signal }) => {
    const { database, settings, uploads } = services;
    const { maxEntities, maxExpandDepth } = settings.limits;
    const entities = await savedEntities(plan, values, stampedBody(body, precondition, plan), {
      findUpload: (id) => uploads.find(id, principal.name),
      limits: database.dialect.limits,
      slice: new TimeSlice(signal),
      maxEntities,
      maxExpandDepth,
    });
    return { precondition, form: body.form, entities };
  },
  run: async (planned, { precondition, form, entities }, context) => {
    const node = nodeOf(planned, [], context);
    const result = await underPrecondition(precondition, () =>
      runSave(node, entities, context.values, executionOf(context)),
    );
    return { precondition, form, node, result };
  },
  write: async ({ precondition, form, node, result }, _, { ast, signal, observer, services }) => {
    for (const problem of problemsOf(result)) {
      reportError(problem, observer);
      noteOutdated(problem, ast.dataclass, services.outdated);
    }
    const { write, below, plan } = node;
    const answer = await write.answer(result, form, below, new TimeSlice(signal));
    if (namesStamp(precondition) && result.outcomes[0]?.failure?.stampChanged === true) {
      return { ...answer, status: PRECONDITION_FAILED };
    }
    if (form === 'many') return answer;
    const etag = savedTag(plan, result);
    const tagged = etag === null ? answer : { ...answer, headers: { etag, ...answer.headers } };
    const isNew = result.outcomes[0]?.kind === 'created';
    const isCreated = isNew && services.settings.server.createdStatus === CREATED;
    const location = isCreated ? savedUri(plan, result) : null;
    if (location === null) return tagged;
    return { ...tagged, status: CREATED, headers: { location, ...tagged.headers } };
  },
});

/** The plan and the writer for the entities at one path of a body, and those for the paths below, by their relations. */
function nodeOf(
  { plan, writer: write }: Planned<SavePlan, SaveWriter>,
  relations: readonly string[],
  context: OperationContext<SaveRequest>,
): PlanNode & WriterNode {
  return {
    plan,
    write,
    below: (relation) => {
      const path = [...relations, relation];
      const below: typeof savePlan = {
        ...savePlan,
        plan: (ast, planning) => planSaveBelow(ast, path, planning),
      };
      return nodeOf(planOf(below, context, `\nwithin ${path.join('.')}`), path, context);
    },
  };
}

function* valuesOf({ entities }: Body): Generator<JsonValue> {
  for (const entity of entities) {
    for (const name of attributeNames(entity)) yield entity.members[name] ?? null;
  }
}

/** The URI of the saved entity; null when none was saved, or it has no key or none that is known. */
function savedUri(
  { dryRun, dataclass, answer }: SavePlan,
  { outcomes: [outcome], rowOf: [place = -1], fetched }: SaveResult,
): string | null {
  const key = outcome?.failure === null ? outcome.key : null;
  if (dryRun || key === null || key.length === 0) return null;
  const row = fetched.rows[place];
  // Its answer has the key as it is stored; where it is not answered, the one that was sent will do.
  return row === undefined
    ? entityUri(dataclass.name, keyValues(dataclass, key))
    : keyReader(answer.rows.shape, answer.rows.readers).uri(row);
}

/** The tag of the saved version of an entity; null when none was saved, or its versions cannot be told apart. */
function savedTag(
  { dryRun, answer }: SavePlan,
  { outcomes: [outcome], rowOf: [place = -1], fetched }: SaveResult,
): string | null {
  const { shape, readers } = answer.rows;
  const row = fetched.rows[place];
  const isSaved = !dryRun && outcome?.failure === null && row !== undefined;
  return isSaved && shape.stamp.kind !== 'none'
    ? stampTag(stampReader(shape.stamp, readers)(row))
    : null;
}
