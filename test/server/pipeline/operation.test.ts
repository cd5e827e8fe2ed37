import { expect, test } from 'vitest';
import { problemsOf } from '../../../src/answer/save-writer.ts';
import { ProtocolError } from '../../../src/base/errors.ts';
import { gatewayContext } from '../../../src/base/observe/observer.ts';
import { ParsedUrls } from '../../../src/protocol/parsed-urls.ts';
import { describedQuery } from '../../../src/server/pipeline/explained.ts';
import {
  type OperationContext,
  PlanCache,
  staged,
} from '../../../src/server/pipeline/operation.ts';
import { defaultLimits } from '../../../src/base/limits.ts';
import { postgres as dialect } from '../../fixtures/dialects.ts';
import { readSnapshot, sampleModel, sampleSettings } from '../../fixtures/legacy/model.ts';
import { anybody } from '../serving.ts';

const model = await sampleModel(readSnapshot('postgres'));
const urls = new ParsedUrls(defaultLimits);
const plans = new PlanCache(10);

/** What an operation is given of a request, and what is heard of it. */
function asked(url: string, signal = gatewayContext.signal) {
  const heard: string[] = [];
  const observer = {
    ...gatewayContext.observer,
    stageDone: (stage: string) => heard.push(stage),
    warned: (warning: string) => heard.push(warning),
  };
  const caller = { ...anybody, audience: { ...anybody.audience, model } };
  const services = { database: { dialect }, settings: sampleSettings, plans };
  const parsed = urls.parse(`/rest/${url}`, 'GET', '', () => false);
  const context = { ...gatewayContext, ...parsed, signal, observer, caller, services };
  return { context: context as unknown as OperationContext, heard };
}

const operation = staged({
  name: 'test',
  changes: false,
  body: () => Promise.resolve('body'),
  plan: () => 'plan',
  compile: () => 'writer',
  values: (plan, body) => [plan, body],
  run: ({ writer }, input) => Promise.resolve([writer, input]),
  write: (result) => ({ status: 200, headers: {}, body: JSON.stringify(result) }),
});

test('an operation runs in its stages, of which there are fewer when its shape is known', async () => {
  const { context, heard } = asked('Country?$filter=name=secret');
  expect((await operation.answer(context)).body).toBe('["writer",["plan","body"]]');
  const all = ['body', 'plan', 'respond', 'values', 'execute', 'respond'];
  expect(heard).toEqual(all);
  const again = asked('Country?$filter=name=b');
  await operation.answer(again.context);
  expect(again.heard).toEqual(['body', 'values', 'execute', 'respond']);
});

test('a filter that may be read otherwise is warned of where it is planned', async () => {
  const [first, again] = ['b', 'y'].map((name) =>
    asked(`Country?$filter=a=1 OR name=${name} AND c`),
  );
  for (const one of [first, again]) if (one !== undefined) await operation.answer(one.context);
  const isWarning = (text: string): boolean => text.startsWith('A $filter for Country joins');
  expect([first?.heard.filter(isWarning).length, again?.heard.filter(isWarning)]).toEqual([1, []]);
});

test('nothing is done for a client that has gone', async () => {
  const { context, heard } = asked('Country', AbortSignal.abort(new Error('hung up')));
  await expect(operation.answer(context)).rejects.toThrow('hung up');
  expect(heard).toEqual([]);
});

test('a query is described without its values, and nothing else is', () => {
  const described = ['Country?$filter=name=secret', 'Country?$filter=secret=1', '$catalog'];
  expect(described.map((url) => describedQuery(asked(url).context))).toEqual([
    ...['{"item":"Country.name = ?"}', null, null],
  ]);
});

test('plans are kept up to a number, the last ones, and up to a size', () => {
  const few = new PlanCache(3);
  const planned = (cache: PlanCache, key: number, bytes: number): unknown =>
    cache.planned(`key ${key}`, () => ({ plan: key, writer: null, bytes }));
  for (const key of [0, 1, 2, 3, 4, 5, 0]) planned(few, key, 100);
  expect(few.stats).toMatchObject({ entries: 3, hits: 0, misses: 7, evictions: 4 });
  planned(few, 5, 100);
  expect(few.stats).toMatchObject({ entries: 3, hits: 1, misses: 7 });
  const small = new PlanCache(1000, undefined, 200_000);
  for (let key = 0; key < 30; key += 1) planned(small, key, 30_000);
  expect([small.stats.entries, small.stats.bytes <= 200_000]).toEqual([6, true]);
  const none = new PlanCache(1000, undefined, 1);
  for (const key of [1, 2]) planned(none, key, 100);
  expect(none.stats).toEqual({ entries: 0, bytes: 0, hits: 0, misses: 2, evictions: 0 });
});

test('what went wrong with elements that is not the fault of theirs is told of once', () => {
  const failure = (name: 'refusedByDatabase' | 'stampMissing' | 'databaseUnable') => ({
    failure: { error: new ProtocolError(name, `It says ${name}.`) },
  });
  const saved = (...outcomes: readonly object[]) => ({ outcomes, unread: null, below: [] });
  const [full, busy] = [failure('refusedByDatabase'), failure('databaseUnable')];
  const result = {
    ...saved(full, failure('stampMissing'), { failure: null }, full),
    below: [{ result: saved(full, busy) }],
  };
  expect(problemsOf(result as unknown as Parameters<typeof problemsOf>[0])).toEqual([
    ...[full.failure.error, busy.failure.error],
  ]);
});
