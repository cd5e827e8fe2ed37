import { ProtocolError } from '../../base/errors.ts';
import { type Answer, jsonAnswer } from '../../answer/answer.ts';
import type { ReloadRequest } from '../../protocol/ast.ts';
import { clientError } from '../pipeline/error-answers.ts';
import type { Operation, OperationContext } from '../pipeline/operation.ts';
import type { ReloadOutcome } from '../reload/changes.ts';

/** Reads the gateway's files again for an administrator, and answers what has changed. */
export const reload: Operation<ReloadRequest> = {
  changes: true,
  answer: async (context) => {
    const { observer, principal, signal } = context;
    try {
      const answer = await reloaded(context);
      observer.writes?.reloadAsked(principal, null);
      return answer;
    } catch (error) {
      const failure = clientError(error, signal);
      if (failure !== null) observer.writes?.reloadAsked(principal, failure);
      throw error;
    }
  },
};

/** @throws ProtocolError roleMissing, reloadFailed */
async function reloaded({ caller, services }: OperationContext): Promise<Answer> {
  if (!caller.audience.isAdmin) {
    const message = 'Only administrators may reload the gateway.';
    throw new ProtocolError('roleMissing', message);
  }
  const outcome = await services.reload();
  if (!outcome.ok) throw reloadFailed(outcome);
  return jsonAnswer(JSON.stringify({ result: true, ...outcome.report }));
}

/** The error of a reload, with each problem as an item of its own. */
function reloadFailed({ problems, more }: Extract<ReloadOutcome, { ok: false }>): ProtocolError {
  const rest = more > 0 ? [{ where: null, message: `and ${more.toLocaleString('en')} more` }] : [];
  return new ProtocolError(
    'reloadFailed',
    'The reload failed. The gateway continues with the previous files.',
  ).leadingTo(
    ...[...problems, ...rest].map(({ where, message }) => ({
      errorName: 'reloadFailed' as const,
      message: where === null ? message : `${where}: ${message}`,
    })),
  );
}
