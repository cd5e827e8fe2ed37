import { overriding } from '../../base/observe/observer.ts';
import type { WriteObserver, WriteRefused } from '../../base/observe/writes.ts';
import type { Answer } from '../../answer/answer.ts';
import type { RequestAst } from '../../protocol/ast.ts';
import { clientError } from './error-answers.ts';
import type { NamedCall, Operation, OperationContext } from './operation.ts';

/** Performs an operation, and reports what it writes to the audit log. @throws ProtocolError auditUnavailable, and what the operation throws */
export function audited<Ast extends RequestAst>(
  operation: Pick<Operation<Ast>, 'writes' | 'answer'>,
  context: OperationContext<Ast>,
  writes: WriteObserver,
): Promise<Answer> {
  const named = operation.writes?.(context.ast) ?? null;
  if (named === null) return operation.answer(context);
  writes.checkWritable();
  return named.kind === 'call'
    ? auditedCall(operation, context, named, writes)
    : auditedWrite(operation, context, writes);
}

/** A call is one entry, whatever it does. */
async function auditedCall<Ast extends RequestAst>(
  { answer }: Pick<Operation<Ast>, 'answer'>,
  context: OperationContext<Ast>,
  { function: name, dataclass }: NamedCall,
  writes: WriteObserver,
): Promise<Answer> {
  const { principal, signal } = context;
  try {
    const answered = await answer(context);
    writes.functionCalled(principal, { function: name, dataclass, error: null });
    return answered;
  } catch (error) {
    const failure = clientError(error, signal);
    if (failure !== null)
      writes.functionCalled(principal, { function: name, dataclass, error: failure });
    throw error;
  }
}

/** Reports the entities that were not written when the client's answer is known: it may be an error of the whole request that came up later. */
async function auditedWrite<Ast extends RequestAst>(
  { answer }: Pick<Operation<Ast>, 'answer'>,
  context: OperationContext<Ast>,
  writes: WriteObserver,
): Promise<Answer> {
  const { observer, principal, signal } = context;
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
  // An error that comes up once something is written says nothing of the entities that were refused before.
  const refusedWith = (error: unknown): WriteRefused[] => {
    const failure = isWritten ? null : clientError(error, signal);
    return failure === null ? refused : refused.map((one) => ({ ...one, error: failure }));
  };
  try {
    const answered = await answer({
      ...context,
      observer: overriding(observer, { writes: holding }),
    });
    if (refused.length > 0) writes.entitiesRefused(principal, refused);
    return answered;
  } catch (error) {
    if (refused.length > 0) writes.entitiesRefused(principal, refusedWith(error));
    throw error;
  }
}
