import { mayChange } from '../../model/types.ts';
import { TimeSlice } from '../../base/time.ts';
import { deletedAnswer, jsonAnswer, OK } from '../../answer/answer.ts';
import { deleteText } from '../../answer/save-writer.ts';
import { planDelete } from '../../plan/write/delete.ts';
import type { DeleteRequest } from '../../protocol/ast.ts';
import { runDelete, runDeleteWhere } from '../../run/delete/delete.ts';
import { isFailed } from '../../run/write/outcome.ts';
import { deleteBody, deletedEntities, refuseBody } from '../bodies/write-body.ts';
import { executionOf, namedWrite, type OperationContext, staged } from '../pipeline/operation.ts';
import { preconditionOf, refusePrecondition, stamped, underPrecondition } from '../http/etags.ts';

/** Deletes the entities that the filter finds, that the URL names, or that the body names (§4.6, §4.13). */
export const deleteEntities = staged({
  name: 'delete',
  changes: true,
  addresses: (ast) => ast,
  isServed: (_, dataclass) => mayChange(dataclass, 'delete'),
  writes: (ast) => (ast.dryRun ? null : namedWrite('delete', ast)),
  body: ({ request, services, signal }: OperationContext<DeleteRequest>) =>
    deleteBody(request, {
      slice: new TimeSlice(signal),
      maxEntities: services.settings.limits.maxEntities,
    }),
  plan: planDelete,
  values: async (plan, body, { request, values, services, signal }) => {
    if (plan.where !== null) {
      refusePrecondition(request);
      refuseBody(body);
      return null;
    }
    const precondition = preconditionOf(request);
    if (body?.form === 'many') refusePrecondition(request);
    const { limits } = services.database.dialect;
    const slice = new TimeSlice(signal);
    const found = await deletedEntities(plan, values, body, limits, slice);
    const entities = stamped(found, precondition, plan.dataclass);
    return { precondition, entities, isList: body?.form === 'many' && plan.target === null };
  },
  run: async ({ plan }, input, context) => {
    const execution = executionOf(context);
    if (plan.where !== null) {
      return runDeleteWhere(plan, plan.where, context.values, execution);
    }
    if (input === null) throw new Error('a delete without a filter names entities');
    const { precondition, entities, isList } = input;
    return underPrecondition(precondition, async () => {
      const outcomes = await runDelete(plan, entities, execution);
      const failure = isList ? undefined : outcomes.find(isFailed)?.failure;
      if (failure !== undefined) throw failure.error;
      return isList ? outcomes : null;
    });
  },
  write: async (outcomes, { plan: { dataclass } }, { signal }) => {
    if (typeof outcomes === 'number') return deletedAnswer(outcomes);
    const text = outcomes && (await deleteText(outcomes, dataclass, new TimeSlice(signal)));
    return jsonAnswer(text ?? OK);
  },
});
