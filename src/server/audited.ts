import { ProtocolError } from '../base/errors.ts';
import type { Activity } from '../observe/observer.ts';
import type {
  AttributeUploadRequest,
  CallRequest,
  DeleteRequest,
  DeleteSetRequest,
  SaveRequest,
} from '../request/ast.ts';

/** A request that writes entities. */
type WriteRequest = SaveRequest | DeleteRequest | DeleteSetRequest | AttributeUploadRequest;

/**
 * Runs a write where whoever hears of writes lets it be, and tells them where it fails as a whole: nobody may do it, say, or its
 * body cannot be read. What becomes of its entities is told where they are written. A dry run writes nothing.
 * @throws ProtocolError where nothing may be written at the moment, and what the work throws
 */
export async function audited<Result>(
  ast: WriteRequest,
  { observer: { writes }, principal, signal }: Activity,
  work: () => Promise<Result>,
): Promise<Result> {
  if (writes === null || (ast.kind === 'save' && ast.refresh)) return work();
  writes.checkWritable();
  try {
    return await work();
  } catch (error) {
    const told = toldError(error, signal);
    if (told !== null) {
      const { dataclass } = ast;
      const action = actionOf(ast);
      writes.requestRefused(principal, {
        action,
        dataclass,
        key: null,
        attributes: [],
        error: told,
      });
    }
    throw error;
  }
}

/** As {@link audited}, of a call of a function: whatever it does, one thing is told of it. One by GET changes nothing. */
export async function auditedCall<Result>(
  { byGet, on, name, read }: CallRequest,
  { observer: { writes }, principal, signal }: Activity,
  work: () => Promise<Result>,
): Promise<Result> {
  if (writes === null || byGet) return work();
  writes.checkWritable();
  const dataclass = on.kind === 'dataclass' ? read.dataclass : null;
  const called = { function: on.kind === 'singleton' ? `${on.name}.${name}` : name, dataclass };
  try {
    const result = await work();
    writes.functionCalled(principal, { ...called, error: null });
    return result;
  } catch (error) {
    const told = toldError(error, signal);
    if (told !== null) writes.functionCalled(principal, { ...called, error: told });
    throw error;
  }
}

/** Null where the client has gone, and what was not done by then is not done. */
function toldError(error: unknown, signal: AbortSignal): ProtocolError | null {
  if (error instanceof ProtocolError) return error;
  return signal.aborted ? null : ProtocolError.of('internal', error);
}

function actionOf({ kind }: WriteRequest): 'save' | 'update' | 'delete' {
  switch (kind) {
    case 'save':
      return 'save';
    case 'attributeUpload':
      return 'update';
    case 'delete':
    case 'deleteSet':
      return 'delete';
  }
}
