import { expect, test } from 'vitest';
import {
  type ObservedRequest,
  timed,
  timedAsync,
  gatewayContext,
} from '../../../src/base/observe/observer.ts';

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
