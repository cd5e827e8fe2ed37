import { contentOfRead } from '../../plan/read/content.ts';
import { hasKeys } from '../../plan/read/entity-set.ts';
import type { Literal, ReadRequest, RequestAst } from '../../protocol/ast.ts';
import { isExport } from '../../protocol/requests/read.ts';
import { SLICE } from '../../run/read/slices.ts';
import { parameterNumber } from '../../run/read/read.ts';
import type { Operation } from '../pipeline/operation.ts';
import { call } from './call.ts';
import { catalog, openapi } from './catalog.ts';
import { changes } from './changes.ts';
import { changesStream } from './changes-stream.ts';
import { content } from './content.ts';
import { deleteEntities } from './delete.ts';
import { directory } from './directory.ts';
import { deleteSet, entitySet, release } from './entity-set.ts';
import { groups } from './groups.ts';
import { info, stamp } from './info.ts';
import { lock } from './lock.ts';
import { compute, distinct, read } from './read.ts';
import { reload } from './reload.ts';
import { reports } from './reports.ts';
import { save } from './save.ts';
import { keylessExport, longRead } from './long-read.ts';
import { attributeUpload, upload } from './upload.ts';

/** The operation of each kind of request. */
const operations: { [Kind in RequestAst['kind']]: Operation<Extract<RequestAst, { kind: Kind }>> } =
  {
    catalog,
    read: {
      ...read,
      answer: (context) => {
        const { ast, values, caller } = context;
        const { model } = caller.audience;
        const mayBeContent = ast.segments.length > 0 && ast.expand.length > 0;
        const asContent = mayBeContent ? contentOfRead(ast, model) : null;
        if (asContent !== null) return content.answer({ ...context, ast: asContent });
        if (ast.format !== undefined && isExport(ast.format)) {
          return (hasKeys(ast, model) ? longRead : keylessExport).answer(context);
        }
        const isStreamed = isLongPage(ast, values) && hasKeys(ast, model);
        return (isStreamed ? longRead : read).answer(context);
      },
    },
    content,
    entitySet: {
      ...entitySet,
      answer: (context) =>
        (isExport(context.ast.read.format) ? longRead : entitySet).answer(context),
    },
    compute,
    distinct,
    groups,
    changes,
    changesStream,
    release,
    deleteSet,
    save,
    delete: deleteEntities,
    attributeUpload,
    call,
    lock,
    upload,
    directory,
    info,
    openapi,
    reload,
    reports,
    stamp,
  };

/** Whether a read asks for a page that is longer than what is read at once. */
function isLongPage({ top, format, explain }: ReadRequest, values: readonly Literal[]): boolean {
  return format === undefined && explain === undefined && parameterNumber(top, values) > SLICE;
}

/** The operation of a request. */
export function operationOf<Ast extends RequestAst>({ kind }: Ast): Operation<Ast> {
  // The table has the operation of each kind under its name.
  return operations[kind] as Operation<Ast>;
}

/** Whether a request changes something, if only what the gateway keeps for its client. */
export function changesSomething(ast: RequestAst): boolean {
  const { changes } = operationOf(ast);
  return typeof changes === 'boolean' ? changes : changes(ast);
}
