import type { WriteObserver, WriteRefused } from '../../base/observe/writes.ts';
import type { Answer } from '../../answer/answer.ts';
import type { CallRequest, RequestAst } from '../../protocol/ast.ts';
import type { Operation, OperationContext } from './operation.ts';
import { callName, clientError } from './refused-write.ts';

/**
 * An operation that writes entities, for the audit log. The log hears of the entities that were not written when the client's answer is known: that
 * may be an error of the whole request, which came up later.
 * @param isDry whether a request writes nothing
 * @throws ProtocolError where nothing may be written at the moment, and what the operation throws
 */
export function audited<Ast extends RequestAst>(
  operation: Operation<Ast>,
  isDry: (ast: Ast) => boolean = () => false,
): Operation<Ast> {
  return (context) => {
    const { writes } = context.observer;
    return writes === null || isDry(context.ast)
      ? operation(context)
      : heard(operation, context, writes);
  };
}

async function heard<Ast extends RequestAst>(
  operation: Operation<Ast>,
  context: OperationContext<Ast>,
  writes: WriteObserver,
): Promise<Answer> {
  const { observer, principal, signal } = context;
  writes.checkWritable();
  const refused: WriteRefused[] = [];
  let isWritten = false;
  const holding: WriteObserver = {
    ...writes,
    entitiesWritten: (user, entities) => {
      isWritten = true;
      writes.entitiesWritten(user, entities);
    },
    entitiesRefused: (_, entities) => {
      for (const entity of entities) refused.push(entity);
    },
  };
  // Of an error that comes up once something is written, the log is not told: it speaks of what came after.
  const toldOf = (error: unknown): WriteRefused[] => {
    const told = isWritten ? null : clientError(error, signal);
    return told === null ? refused : refused.map((one) => ({ ...one, error: told }));
  };
  try {
    const answer = await operation({ ...context, observer: { ...observer, writes: holding } });
    if (refused.length > 0) writes.entitiesRefused(principal, refused);
    return answer;
  } catch (error) {
    if (refused.length > 0) writes.entitiesRefused(principal, toldOf(error));
    throw error;
  }
}

/** A call of a function, for the audit log: whatever it does, it is one entry. A call by GET changes nothing. */
export function auditedCall(operation: Operation<CallRequest>): Operation<CallRequest> {
  return async (context) => {
    const { ast, observer, principal, signal } = context;
    const { writes } = observer;
    if (writes === null || ast.byGet) return operation(context);
    writes.checkWritable();
    const called = callName(ast);
    try {
      const answer = await operation(context);
      writes.functionCalled(principal, { ...called, error: null });
      return answer;
    } catch (error) {
      const told = clientError(error, signal);
      if (told !== null) writes.functionCalled(principal, { ...called, error: told });
      throw error;
    }
  };
}
