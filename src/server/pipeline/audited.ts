import type { Activity } from '../../base/observe/observer.ts';
import type { WriteObserver, WriteRefused } from '../../base/observe/writes.ts';
import type { CallRequest } from '../../protocol/ast.ts';
import { callName, clientError } from './refused-write.ts';

/**
 * Runs a write where whoever hears of writes lets it be. Of the entities that it did not write they are told when it is known what the client is
 * told: that may be an error of the request's, which came up later.
 * @param isDry whether nothing is to be written
 * @throws ProtocolError where nothing may be written at the moment, and what the work throws
 */
export function audited<Result>(
  isDry: boolean,
  activity: Activity,
  work: (activity: Activity) => Promise<Result>,
): Promise<Result> {
  const { writes } = activity.observer;
  return writes === null || isDry ? work(activity) : heard(writes, activity, work);
}

async function heard<Result>(
  writes: WriteObserver,
  activity: Activity,
  work: (activity: Activity) => Promise<Result>,
): Promise<Result> {
  const { observer, principal, signal } = activity;
  writes.checkWritable();
  const refused: WriteRefused[] = [];
  const done = { isWritten: false };
  const holding: WriteObserver = {
    ...writes,
    entitiesWritten: (who, entities) => {
      done.isWritten = true;
      writes.entitiesWritten(who, entities);
    },
    entitiesRefused: (_, entities) => {
      for (const entity of entities) refused.push(entity);
    },
  };
  try {
    const result = await work({ ...activity, observer: { ...observer, writes: holding } });
    if (refused.length > 0) writes.entitiesRefused(principal, refused);
    return result;
  } catch (error) {
    // Once something is written, the error speaks of what came after it.
    const told = done.isWritten ? null : clientError(error, signal);
    const all = told === null ? refused : refused.map((one) => ({ ...one, error: told }));
    if (all.length > 0) writes.entitiesRefused(principal, all);
    throw error;
  }
}

/** As {@link audited}, of a call of a function: whatever it does, one thing is told of it. One by GET changes nothing. */
export async function auditedCall<Result>(
  call: CallRequest,
  { observer: { writes }, principal, signal }: Activity,
  work: () => Promise<Result>,
): Promise<Result> {
  if (writes === null || call.byGet) return work();
  writes.checkWritable();
  const called = callName(call);
  try {
    const result = await work();
    writes.functionCalled(principal, { ...called, error: null });
    return result;
  } catch (error) {
    const told = clientError(error, signal);
    if (told !== null) writes.functionCalled(principal, { ...called, error: told });
    throw error;
  }
}
