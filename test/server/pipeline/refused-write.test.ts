import { beforeAll, expect, test } from 'vitest';
import { type ErrorName, ProtocolError } from '../../../src/base/errors.ts';
import { functionsOf } from '../../../src/model/lookup.ts';
import type { ApiFunction } from '../../../src/model/functions/function-types.ts';
import type { FunctionCalled, WriteRefused } from '../../../src/base/observe/writes.ts';
import type { RestRequest, Verb } from '../../../src/protocol/rest-request.ts';
import type { Caller } from '../../../src/server/pipeline/caller.ts';
import { reportRefusedWrite } from '../../../src/server/pipeline/refused-write.ts';
import { readSnapshot, sampleModel } from '../../fixtures/legacy/model.ts';
import { parsed, rows } from '../../rows.ts';
import { postgres } from '../../fixtures/dialects.ts';
import { NOBODY } from '../../../src/base/principal.ts';
import { noObserver } from '../../../src/base/observe/observer.ts';

const { limits } = postgres;

let caller: Caller;
beforeAll(async () => {
  const sample = await sampleModel(readSnapshot('postgres'));
  const functions = new Map([['add', {} as ApiFunction]]);
  const singletons = new Map([['Prices', { name: 'Prices', functions }]]);
  const dataclasses = new Map(
    [...sample.dataclasses].map(([name, dataclass]) => [name, { ...dataclass, functions }]),
  );
  const model = { ...sample, functions, singletons, dataclasses };
  caller = {
    principal: { ...NOBODY, name: 'ada' },
    audience: { key: '', model, isFunction: functionsOf(model), claims: [], isAdmin: false },
    session: null,
    hasEnded: false,
  };
});

/** What is told of a request that fails. */
async function told(
  [verb, url, body = null]: readonly [verb: Verb, url: string, body?: string | null],
  {
    error = ProtocolError.of('internal'),
    isKnown = true,
    isGone = false,
  }: { error?: Error; isKnown?: boolean; isGone?: boolean } = {},
): Promise<unknown> {
  const heard: unknown[] = [];
  const request: RestRequest = {
    verb,
    url: `/rest/${url}`,
    headers: {},
    body: body === null ? null : Buffer.from(body),
    address: '',
    host: '',
    isSecure: false,
    signal: AbortSignal.any([]),
  };
  const leaving = new AbortController();
  if (isGone) leaving.abort();
  const unused = (): never => {
    throw new Error('not used');
  };
  const writes = {
    wantsValues: unused,
    checkWritable: unused,
    entitiesWritten: unused,
    entitiesRefused: unused,
    reloadAsked: () => undefined,
    functionCalled: () => undefined,
    requestRefused: ({ name }: { name: string | null }, refused: WriteRefused | FunctionCalled) => {
      const { dataclass, error } = refused;
      const what =
        'function' in refused
          ? ['execute', dataclass, refused.function]
          : [refused.action, dataclass, refused.key, refused.attributes.join()];
      return heard.push([name, ...what, error?.errorName]);
    },
  };
  const attended = { observer: { ...noObserver, writes }, signal: leaving.signal };
  await reportRefusedWrite(error, request, isKnown ? caller : null, attended, {
    limits,
    maxEntities: 10,
  });
  expect(heard.length).toBeLessThan(2);
  return heard[0] ?? null;
}

test.each(rows`
  [POST, Country, '{"code":"ZZ","name":"x"}'] | [save, Country, null, 'code,name']
  [POST, Country, '{"__KEY":"FR","name":"x"}'] | [update, Country, FR, name]
  [PUT, Country(FR), '{"name":"x","nope":1,"uri":""}'] | [update, Country, FR, name]
  [POST, Country, '[{"__KEY":"FR","name":"x"},{"code":"A"}]'] | [save, Country, null, 'code,name']
  [POST, Country, '{'] | [save, Country, null, '']
  [DELETE, Country(FR)] | [delete, Country, FR, '']
  [DELETE, 'Country(FR,DE)'] | [delete, Country, null, '']
  [DELETE, OrderLine(1;2)] | [delete, OrderLine, '{"orderNo":1,"line":2}', '']
  [DELETE, Employee(x)] | [delete, Employee, null, '']
  [POST, Country?$method=delete, '{"__KEY":"FR","name":"x"}'] | [delete, Country, FR, '']
  [DELETE, Country/$entityset/0A] | [delete, Country, null, '']
  [POST, Employee(5)/photo?$binary=true, x] | [update, Employee, '5', photo]
  [POST, Nothing(5)?$method=update, '{"a":1}'] | [update, Nothing, '5', '']
  [POST, Country(FR)?$method=delete&$nope=1] | [delete, Country, null, '']
  [POST, Country?%24method=%22delete%22&$nope=1] | [delete, Country, null, '']
  [POST, Cou%6etry%28FR)?$nope] | [save, Country, null, '']
  [POST, Employee(5)/photo?$binary=true&$nope=1, x] | [update, Employee, null, '']
  [PUT, Country("FR] | [save, Country, null, '']
  [DELETE, Country?$filter="] | [delete, Country, null, '']
  [POST, Country?$method=update&$refresh=true, '{}'] | null
  [POST, Country?$method=update&$refresh=true&$nope=1, '{}'] | null
  [POST, Country?$method=entityset] | null
  [POST, Country/count] | null
  [POST, Country?$method=release&$nope=1] | null
  [POST, $upload?$binary=true, x] | null
  [POST, $directory/login?user=a, '{}'] | null
  [GET, Country(FR)] | null
  [GET, Country(FR)?$nope=1] | null
  [GET, Country(FR)?$lock=true] | null
`)('%j is told as what it would write', async (asked, line) => {
  const expected = parsed<readonly unknown[] | null>(line);
  expect(await told(parsed(asked))).toEqual(expected && ['ada', ...expected, 'internal']);
});

test('where nobody is known, what the URL says is told as it came', async () => {
  const nobody = { isKnown: false, error: new ProtocolError('notLoggedIn', '') };
  const line = (...what: unknown[]): unknown[] => [null, ...what, '', 'notLoggedIn'];
  expect(await told(['PUT', 'Country(FR)', '{"name":"x"}'], nobody)).toEqual(
    line('update', 'Country', 'FR'),
  );
  expect(await told(['DELETE', 'OrderLine(1;2)'], nobody)).toEqual(
    line('delete', 'OrderLine', null),
  );
});

test('of what is not done because the client has gone, or the audit log is away, nothing is told', async () => {
  const asked = ['DELETE', 'Country(FR)'] as const;
  expect(await told(asked, { error: new Error('gone'), isGone: true })).toBeNull();
  expect(await told(asked, { error: new Error('broken') })).toMatchObject({ 5: 'internal' });
  const unknown = ProtocolError.of('outcomeUnknown');
  expect(await told(asked, { error: unknown, isGone: true })).toMatchObject({
    5: 'outcomeUnknown',
  });
  expect(await told(asked, { error: ProtocolError.of('auditUnavailable') })).toBeNull();
});

test.each(rows<[asked: string, known: string, error: ErrorName, told: string]>`
  [POST, $catalog/add]            | true  | crossSite        | [ada, execute, null, add, crossSite]
  [PUT, $catalog/add]             | true  | verbNotAllowed   | [ada, execute, null, add, verbNotAllowed]
  [DELETE, $singleton/Prices/add] | true  | verbNotAllowed   | [ada, execute, null, Prices.add, verbNotAllowed]
  [GET, Country(FR)/add]          | true  | functionNotOnGet | [ada, execute, Country, add, functionNotOnGet]
  [PUT, Country/add]              | true  | verbNotAllowed   | [ada, execute, Country, add, verbNotAllowed]
  [GET, Country(FR)/add]          | true  | badParameters    | null
  [POST, $catalog/sub]            | true  | noSuchFunction   | null
  [POST, Country(FR)/sub]         | true  | noSuchFunction   | null
  [POST, Contry/add]              | true  | noSuchDataclass  | null
  [POST, $catalog/sub]            | false | notLoggedIn      | [null, execute, null, sub, notLoggedIn]
  [POST, Any/sub]                 | false | notLoggedIn      | [null, execute, Any, sub, notLoggedIn]
  [GET, Any/sub]                  | false | notLoggedIn      | null
`)('of the call %j (known: %j) that fails by %s', async (asked, isKnown, name, expected) => {
  const error = new ProtocolError(name, 'No.');
  expect(await told(parsed(asked), { error, isKnown: isKnown === 'true' })).toEqual(
    parsed(expected),
  );
});
