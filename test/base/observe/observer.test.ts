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
  type RequestEnded,
  type StatementRun,
  timed,
  timedAsync,
} from '../../../src/base/observe/observer.ts';
import type { WriteObserver } from '../../../src/base/observe/writes.ts';

const request: RequestBegun = {
  ...{ id: 'r-1', verb: 'GET', url: '/rest/A', address: '127.0.0.1', headers: { a: 'b' } },
};
const statement: StatementRun = { name: 'n', text: 'SELECT 1', milliseconds: 2, rows: 3 };
const end: RequestEnded = { status: 200, milliseconds: 4, end: 'sent' };
const error = new Error('boom');

function noting(who: string, heard: unknown[]): Observer {
  return (begun) => {
    heard.push([who, begun]);
    return {
      ...noObserver,
      stageDone: (...told) => heard.push([who, ...told]),
      statementRun: (told) => heard.push([who, told]),
      poolWaited: (told) => heard.push([who, told]),
      errorMet: (told) => heard.push([who, told]),
      warned: (told) => heard.push([who, told]),
      requestEnded: (told) => heard.push([who, told]),
    };
  };
}

test('each observer hears of everything, in their order', () => {
  const heard: unknown[] = [];
  const all = ['a', 'b', 'c'];
  const observe = combined([noting('a', heard), noting('b', heard), noting('c', heard)]);
  const observer = observe(request);
  observer.stageDone('plan', 1);
  observer.statementRun(statement);
  observer.poolWaited(5);
  observer.errorMet(error);
  observer.warned?.('odd');
  observer.requestEnded(end);
  expect(heard).toEqual([
    ...all.map((who) => [who, request]),
    ...all.map((who) => [who, 'plan', 1]),
    ...all.map((who) => [who, statement]),
    ...all.map((who) => [who, 5]),
    ...all.map((who) => [who, error]),
    ...all.map((who) => [who, 'odd']),
    ...all.map((who) => [who, end]),
  ]);
});

test('an observer need not hear what a request is about', () => {
  const nobody: Observer = () => noObserver;
  const named: NamedRequest[] = [];
  const somebody: Observer = () => ({
    ...noObserver,
    requestNamed: (told) => named.push(told),
  });
  const name: NamedRequest = { operation: 'read', dataclass: 'A' };
  combined([nobody, somebody, nobody])(request).requestNamed?.(name);
  combined([somebody, nobody, somebody])(request).requestNamed?.(name);
  expect(named).toEqual([name, name, name]);
});

test('writes and the trace are those of the first that has them', () => {
  const writes = {} as WriteObserver;
  const nobody: Observer = () => noObserver;
  const writing: Observer = () => ({ ...noObserver, writes });
  const tracing: Observer = () => ({ ...noObserver, traceHeaders: () => ({ traceparent: '00-' }) });
  const both = combined([nobody, writing, tracing])(request);
  expect([both.writes, both.traceHeaders?.()]).toEqual([writes, { traceparent: '00-' }]);
  const none = combined([nobody, nobody])(request);
  expect([none.writes, none.traceHeaders?.()]).toEqual([null, {}]);
});

test('one observer is itself', () => {
  const observe: Observer = () => noObserver;
  expect(combined([observe])).toBe(observe);
});

test('an observer that does something itself leaves the rest to the other one', () => {
  const heard: unknown[] = [];
  const all = combined([noting('a', heard), noting('b', heard)])(request);
  heard.length = 0;
  const writes = {} as WriteObserver;
  const observer = overriding(all, { writes, statementRun: (told) => heard.push(['own', told]) });
  observer.stageDone('plan', 1);
  observer.statementRun(statement);
  observer.poolWaited(5);
  observer.errorMet(error);
  observer.warned?.('odd');
  overriding(all, {}).statementRun(statement);
  expect(heard).toEqual([
    ...[
      ['a', 'plan', 1],
      ['b', 'plan', 1],
    ],
    ...[['own', statement]],
    ...[
      ['a', 5],
      ['b', 5],
    ],
    ...[
      ['a', error],
      ['b', error],
    ],
    ...[
      ['a', 'odd'],
      ['b', 'odd'],
    ],
    ...[
      ['a', statement],
      ['b', statement],
    ],
  ]);
  expect([observer.writes, overriding(all, {}).writes]).toEqual([writes, null]);
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

test('a stage gives what its work gives, and is told of', async () => {
  const activity = attended();
  expect(timed(activity, 'plan', () => 1)).toBe(1);
  expect(await timedAsync(activity, 'execute', () => Promise.resolve(2))).toBe(2);
  expect(activity.stages).toEqual([
    ['plan', true],
    ['execute', true],
  ]);
});

test('a stage that fails is told of, too', async () => {
  const activity = attended();
  const fail = (): never => {
    throw new Error('no');
  };
  expect(() => timed(activity, 'plan', fail)).toThrow('no');
  const reject = (): Promise<never> => Promise.reject(new Error('never'));
  await expect(timedAsync(activity, 'execute', reject)).rejects.toThrow('never');
  expect(activity.stages).toEqual([
    ['plan', true],
    ['execute', true],
  ]);
});

test('no stage is begun for nobody', async () => {
  const activity = attended(AbortSignal.abort(new Error('hung up')));
  let begun = 0;
  expect(() => timed(activity, 'plan', () => (begun += 1))).toThrow('hung up');
  const work = (): Promise<number> => Promise.resolve((begun += 1));
  await expect(timedAsync(activity, 'execute', work)).rejects.toThrow('hung up');
  expect([begun, activity.stages]).toEqual([0, []]);
});
