import type { Answer } from '../../answer/answer.ts';
import { contentOfRead } from '../../plan/read/content.ts';
import { hasKeys } from '../../plan/read/entity-set.ts';
import type { RequestAst } from '../../protocol/ast.ts';
import { isExport } from '../../protocol/requests/read.ts';
import { audited, auditedCall } from '../pipeline/audited.ts';
import type { Operation, OperationContext } from '../pipeline/operation.ts';
import { call } from './call.ts';
import { catalog } from './catalog.ts';
import { content } from './content.ts';
import { deleteEntities } from './delete.ts';
import { directory } from './directory.ts';
import { deleteSet, entitySet, release } from './entity-set.ts';
import { info } from './info.ts';
import { lock } from './lock.ts';
import { read } from './read.ts';
import { save } from './save.ts';
import { isLongPage, keylessExport, stream } from './stream.ts';
import { attributeUpload, upload } from './upload.ts';
import { compute, distinct } from './values.ts';

/** The operation of each kind of request. */
const operations: { [Kind in RequestAst['kind']]: Operation<Extract<RequestAst, { kind: Kind }>> } =
  {
    catalog,
    read: (context) => {
      const { ast, values, caller } = context;
      const { model } = caller.audience;
      const asContent = contentOfRead(ast, model);
      if (asContent !== null) return content({ ...context, ast: asContent });
      if (isExport(ast.format)) return (hasKeys(ast, model) ? stream : keylessExport)(context);
      return (isLongPage(ast, values) && hasKeys(ast, model) ? stream : read)(context);
    },
    content,
    entitySet: (context) => (isExport(context.ast.read.format) ? stream : entitySet)(context),
    compute,
    distinct,
    release,
    deleteSet: audited(deleteSet),
    save: audited(save, ({ dryRun }) => dryRun),
    delete: audited(deleteEntities),
    attributeUpload: audited(attributeUpload),
    call: auditedCall(call),
    lock,
    upload,
    directory,
    info,
  };

/** Performs the operation of a request. @throws as {@link Operation} */
export function perform<Ast extends RequestAst>(context: OperationContext<Ast>): Promise<Answer> {
  // The table has the operation of each kind under its name.
  return (operations[context.ast.kind] as Operation<Ast>)(context);
}
