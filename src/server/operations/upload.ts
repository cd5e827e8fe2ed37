import { mayChange } from '../../model/types.ts';
import { timedAsync } from '../../base/observe/observer.ts';
import { jsonAnswer, OK } from '../../answer/answer.ts';
import { mayNot } from '../../plan/write/rights.ts';
import { planAttributeUpload } from '../../plan/write/save.ts';
import type { AttributeUploadRequest, UploadRequest } from '../../protocol/ast.ts';
import { uploadedEntity } from '../../run/body/slots.ts';
import { urlKeys } from '../../run/body/entity-key.ts';
import { runSave } from '../../run/save/save.ts';
import { neededBytes } from '../bodies/write-body.ts';
import {
  executionOf,
  namedWrite,
  type Operation,
  type OperationContext,
  staged,
} from '../pipeline/operation.ts';
import { preconditionOf, refusePrecondition, stamped, underPrecondition } from '../http/etags.ts';

/** Sets an image or BLOB to the bytes of the body (DECISIONS, "Updates"). */
export const attributeUpload = staged({
  name: 'upload',
  changes: true,
  addresses: (ast) => ast,
  isServed: (_, dataclass) => mayChange(dataclass, 'update'),
  writes: (ast) => namedWrite('update', ast, ast.attribute.names[0]),
  plan: planAttributeUpload,
  values: (
    { plan: { dataclass }, attribute, target },
    _: unknown,
    { ast, values, request, services }: OperationContext<AttributeUploadRequest>,
  ) => {
    const precondition = preconditionOf(request);
    const bytes = neededBytes(request, ast.image);
    const [key = []] = urlKeys(target, values, dataclass, services.database.dialect.limits);
    const entity = uploadedEntity(attribute, key, bytes, dataclass);
    return { precondition, entities: stamped([entity], precondition, dataclass) };
  },
  run: ({ plan: { plan } }, { precondition, entities }, context) => {
    const below = (relation: string): never => {
      throw new Error(`nothing is saved by ${relation}`);
    };
    return underPrecondition(precondition, async () => {
      const { outcomes } = await runSave(
        { plan, below },
        entities,
        context.values,
        executionOf(context),
      );
      const failure = outcomes[0]?.failure ?? null;
      if (failure !== null) throw failure.error;
    });
  },
  write: () => jsonAnswer(OK),
});

/** Keeps the bytes of the body until a save refers to them. @throws ProtocolError mayNotUpdate for users who may save nothing */
export const upload: Operation<UploadRequest> = {
  changes: true,
  answer: (context) =>
    timedAsync(context, 'body', async () => {
      const { ast, request, caller, services } = context;
      refusePrecondition(request);
      const isOfUse = [...caller.audience.model.dataclasses.values()].some((dataclass) =>
        mayChange(dataclass, 'create', 'update'),
      );
      if (!isOfUse) throw mayNot('update', 'anything that takes an upload');
      const bytes = neededBytes(request, ast.image);
      const ID = await services.uploads.add(bytes, caller.principal.name);
      return jsonAnswer(JSON.stringify({ ID }));
    }),
};
