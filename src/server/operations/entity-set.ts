import { mayChange } from '../../model/types.ts';
import { wholeText } from '../../base/text.ts';
import { TimeSlice } from '../../base/time.ts';
import { deletedAnswer, jsonAnswer, OK } from '../../answer/answer.ts';
import { compileEncodedSet, compileEntitySet } from '../../answer/entities/collection-writer.ts';
import { writtenText } from '../../answer/entities/entity-writer.ts';
import { findDataclass } from '../../model/lookup.ts';
import { planDeleteSet, planEntitySet } from '../../plan/read/entity-set.ts';
import type { DeleteSetRequest, EntitySetRequest, ReleaseRequest } from '../../protocol/ast.ts';
import { runDeleteSet } from '../../run/delete/delete-set.ts';
import { setStatements } from '../../run/read/plan-statements.ts';
import { runEntitySet } from '../../run/sets/entity-set.ts';
import { releaseSet } from '../../run/sets/set-keys.ts';
import { deleteBody, refuseBody } from '../bodies/write-body.ts';
import { explained } from '../pipeline/explained.ts';
import {
  type Addressed,
  namedWrite,
  type Operation,
  type OperationContext,
  setRequestOf,
  staged,
} from '../pipeline/operation.ts';
import { refusePrecondition, taggedAnswer, taggedPage } from '../http/etags.ts';

/** Reads a page of an entity set, makes one, or combines two (§3.1, §4.7). */
export const entitySet = staged({
  name: 'entity set',
  changes: false,
  addresses: ({ read }) => read,
  plan: planEntitySet,
  compile: (plan) => ({ write: compileEntitySet(plan), writeEncoded: compileEncodedSet(plan) }),
  isPage: () => true,
  run: async ({ plan, writer }, _, context: OperationContext<EntitySetRequest>) => {
    const { explain } = context.ast.read;
    const query = explain === undefined ? null : explained(explain, context);
    const encoded = writer.writeEncoded !== null && query === null;
    const request = { ...setRequestOf(context), activity: query?.activity ?? context };
    const result = await runEntitySet(plan, request, encoded);
    return { query, result };
  },
  write: async ({ query, result }, { plan, writer }, context) => {
    const slice = new TimeSlice(context.signal);
    // The client needs the id of a new set, also where it knows the entities.
    const isNew = plan.lifetime !== null;
    if (query === null && !isNew && result.kind === 'page') {
      return taggedPage(result, writer, slice, context);
    }
    const text = wholeText(await writtenText(writer.write(result), slice));
    if (query === null && !isNew) return taggedAnswer({ text }, context.request, context.services);
    return jsonAnswer(query === null ? text : await query.explain(text, plan, setStatements(plan)));
  },
});

/** Deletes the entities of a set, which stays: clients know its id (§3.1). */
export const deleteSet = staged({
  name: 'delete set',
  changes: true,
  addresses: addressedSet,
  isServed: (_, dataclass) => mayChange(dataclass, 'delete'),
  writes: ({ dataclass, dryRun }) =>
    dryRun ? null : namedWrite('delete', { dataclass, selector: { kind: 'all' } }),
  body: async ({ request, signal, services }: OperationContext<DeleteSetRequest>) => {
    refusePrecondition(request);
    const { maxEntities } = services.settings.limits;
    refuseBody(await deleteBody(request, { slice: new TimeSlice(signal), maxEntities }));
  },
  plan: planDeleteSet,
  run: ({ plan }, _, context) => runDeleteSet(plan, setRequestOf(context)),
  write: deletedAnswer,
});

/** Releases a set (§4.6). */
export const release: Operation<ReleaseRequest> = {
  changes: true,
  addresses: addressedSet,
  answer: async (context) => {
    const { ast, caller } = context;
    const dataclass = findDataclass(caller.audience.model, ast.dataclass);
    await releaseSet(ast.id, dataclass, setRequestOf(context));
    return jsonAnswer(OK);
  },
};

function addressedSet({ dataclass, id }: DeleteSetRequest | ReleaseRequest): Addressed {
  return { dataclass, selector: { kind: 'entitySet', id } };
}
