import { expect, test } from 'vitest';
import {
  combined,
  gatewayContext,
  type NamedRequest,
  noObserver,
  type ObservedRequest,
  type Observer,
  overriding,
  type RequestBegun,
  timed,
  timedAsync,
  type WholeRequestObserver,
} from '../../../src/base/observe/observer.ts';
import type { WriteObserver } from '../../../src/base/observe/writes.ts';

const request: RequestBegun = {
  ...{ id: 'r-1', verb: 'GET', url: '/rest/A', address: '127.0.0.1', headers: { a: 'b' } },
};

function noting(who: string, heard: unknown[]): Observer {
  return (begun) => {
    const note =
      (what: string) =>
      (...told: readonly unknown[]): void =>
        void heard.push([who, what, ...told]);
    note('begun')(begun);
    return {
      ...noObserver,
      ...{ stageDone: note('stage'), statementRun: note('statement'), poolWaited: note('waited') },
      ...{ errorMet: note('error'), warned: note('warned'), requestEnded: note('ended') },
    };
  };
}

const statement = { name: 'n', text: 'SELECT 1', milliseconds: 2, rows: 3 };
const error = new Error('boom');
const end = { status: 200, milliseconds: 4, end: 'sent' } as const;

function tellAll(observer: WholeRequestObserver): void {
  observer.stageDone('plan', 1);
  observer.statementRun(statement);
  observer.poolWaited(5);
  observer.errorMet(error);
  observer.warned?.('odd');
  observer.requestEnded(end);
}
const all = Object.entries({
  ...{ stage: ['plan', 1], statement: [statement], waited: [5] },
  ...{ error: [error], warned: ['odd'], ended: [end] },
}).map(([what, told]) => [what, ...told]);

test('each observer hears of everything, in their order', () => {
  const heard: unknown[] = [];
  const who = ['a', 'b', 'c'];
  tellAll(combined([noting('a', heard), noting('b', heard), noting('c', heard)])(request));
  expect(heard).toEqual(
    [['begun', request], ...all].flatMap((told) => who.map((name) => [name, ...told])),
  );
});

test('an observer that does something itself leaves the rest to the other one', () => {
  const heard: unknown[] = [];
  const other = noting('a', heard)(request);
  heard.length = 0;
  const writes = {} as WriteObserver;
  const own = (told: unknown): void => void heard.push(['own', 'statement', told]);
  const observer = overriding(other, { writes, statementRun: own });
  tellAll({ ...other, ...observer });
  expect(heard).toEqual(all.map((told) => [told[0] === 'statement' ? 'own' : 'a', ...told]));
  expect([observer.writes, overriding(other, {}).writes]).toEqual([writes, null]);
});

test('names, writes and the trace are for the first that has them', () => {
  const writes = {} as WriteObserver;
  const named: NamedRequest[] = [];
  const nobody: Observer = () => noObserver;
  const naming: Observer = () => ({ ...noObserver, requestNamed: (told) => named.push(told) });
  const writing: Observer = () => ({ ...noObserver, writes });
  const tracing: Observer = () => ({ ...noObserver, traceHeaders: () => ({ traceparent: '00-' }) });
  const name: NamedRequest = { operation: 'read', dataclass: 'A' };
  const both = combined([naming, nobody, writing, tracing, naming])(request);
  both.requestNamed?.(name);
  expect(named).toEqual([name, name]);
  expect([both.writes, both.traceHeaders?.()]).toEqual([writes, { traceparent: '00-' }]);
  const none = combined([nobody, nobody])(request);
  expect([none.writes, none.traceHeaders?.()]).toEqual([null, {}]);
});

/** An activity, and the stages that were told of. */
function attended(signal = new AbortController().signal): ObservedRequest & { stages: unknown[] } {
  const stages: unknown[] = [];
  const observer = {
    ...gatewayContext.observer,
    stageDone: (stage: string, milliseconds: number) => stages.push([stage, milliseconds >= 0]),
  };
  return { signal, observer, stages };
}

test('a stage gives what its work gives, and is told of, also where it fails', async () => {
  const activity = attended();
  const fail = (): never => {
    throw error;
  };
  expect(timed(activity, 'plan', () => 1)).toBe(1);
  expect(() => timed(activity, 'plan', fail)).toThrow(error);
  expect(await timedAsync(activity, 'execute', () => Promise.resolve(2))).toBe(2);
  await expect(timedAsync(activity, 'execute', () => Promise.reject(error))).rejects.toThrow(error);
  const stages = ['plan', 'plan', 'execute', 'execute'].map((stage) => [stage, true]);
  expect(activity.stages).toEqual(stages);
});

test('no stage is begun for nobody', async () => {
  const activity = attended(AbortSignal.abort(error));
  let begun = 0;
  expect(() => timed(activity, 'plan', () => (begun += 1))).toThrow(error);
  const work = (): Promise<number> => Promise.resolve((begun += 1));
  await expect(timedAsync(activity, 'execute', work)).rejects.toThrow(error);
  expect([begun, activity.stages]).toEqual([0, []]);
});
