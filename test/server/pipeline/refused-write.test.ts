import { beforeAll, expect, test } from 'vitest';
import { type ErrorName, ProtocolError } from '../../../src/base/errors.ts';
import { functionsOf } from '../../../src/model/lookup.ts';
import type { ApiFunction } from '../../../src/model/functions/function-types.ts';
import type {
  FunctionCalled,
  WriteObserver,
  WriteRefused,
} from '../../../src/base/observe/writes.ts';
import type { RestRequest, Verb } from '../../../src/protocol/rest-request.ts';
import type { Caller } from '../../../src/server/pipeline/caller.ts';
import { reportRefusedWrite } from '../../../src/server/pipeline/refused-write.ts';
import { readSnapshot, sampleModel } from '../../fixtures/legacy/model.ts';
import { parsed, rows } from '../../rows.ts';
import { postgres } from '../../fixtures/dialects.ts';
import { NOBODY } from '../../../src/base/principal.ts';
import { gatewayContext, noObserver } from '../../../src/base/observe/observer.ts';
import type { RequestAst } from '../../../src/protocol/ast.ts';
import { audited } from '../../../src/server/pipeline/audited.ts';
import {
  namedWrite,
  type Operation,
  type OperationContext,
} from '../../../src/server/pipeline/operation.ts';

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
    limits: postgres.limits,
    maxEntities: 10,
  });
  expect(heard.length).toBeLessThan(2);
  return heard[0] ?? null;
}

test.each(rows`
  [POST, Country, '{"__KEY":"FR","name":"x"}'] | [update, Country, FR, name]
  [PUT, Country(FR), '{"name":"x","nope":1,"uri":""}'] | [update, Country, FR, name]
  [POST, Country, '[{"__KEY":"FR","name":"x"},{"code":"A"}]'] | [save, Country, null, 'code,name']
  [DELETE, 'Country(FR,DE)'] | [delete, Country, null, '']
  [DELETE, OrderLine(1;2)] | [delete, OrderLine, '{"orderNo":1,"line":2}', '']
  [DELETE, Employee(x)] | [delete, Employee, null, '']
  [POST, Country?$method=delete, '{"__KEY":"FR","name":"x"}'] | [delete, Country, FR, '']
  [POST, Nothing(5)?$method=update, '{"a":1}'] | [update, Nothing, '5', '']
  [POST, Country?%24method=%22delete%22&$nope=1] | [delete, Country, null, '']
  [POST, Cou%6etry%28FR)?$nope] | [save, Country, null, '']
  [POST, Employee(5)/photo?$binary=true&$nope=1, x] | [update, Employee, null, '']
  [PUT, Country("FR] | [save, Country, null, '']
  [DELETE, Country?$filter="] | [delete, Country, null, '']
  [POST, Country?$method=update&$refresh=true&$nope=1, '{}'] | null
  [POST, Country?$method=entityset] | null
  [POST, Country/count] | null
  [POST, Country?$method=release&$nope=1] | null
  [GET, Country(FR)?$nope=1] | null
`)('%j is told as what it would write', async (asked, line) => {
  const expected = parsed<readonly unknown[] | null>(line);
  expect(await told(parsed(asked))).toEqual(expected && ['ada', ...expected, 'internal']);
});

test('where nobody is known, what the URL says is told as it came', async () => {
  const nobody = { isKnown: false, error: new ProtocolError('notLoggedIn', '') };
  expect(await told(['DELETE', 'OrderLine(1;2)'], nobody)).toEqual([
    ...[null, 'delete', 'OrderLine', null, '', 'notLoggedIn'],
  ]);
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
  [DELETE, $singleton/Prices/add] | true  | verbNotAllowed   | [ada, execute, null, Prices.add, verbNotAllowed]
  [GET, Country(FR)/add]          | true  | functionNotOnGet | [ada, execute, Country, add, functionNotOnGet]
  [GET, Country(FR)/add]          | true  | badParameters    | null
  [POST, $catalog/sub]            | true  | noSuchFunction   | null
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

test.each([
  [false, [['2', 'invalidContext']]],
  [true, ['1', ['2', 'stampMissing']]],
])(
  'entities are refused with the error of the request, unless something is written: %s',
  async (isWritten, expected) => {
    const heard: unknown[] = [];
    const observed = {
      checkWritable: () => undefined,
      entitiesWritten: (_: unknown, entities: readonly { key: string }[]) =>
        heard.push(...entities.map(({ key }) => key)),
      entitiesRefused: (_: unknown, entities: readonly WriteRefused[]) =>
        heard.push(...entities.map(({ key, error }) => [key, error.errorName])),
    } as unknown as WriteObserver;
    const context = { ...gatewayContext, observer: noObserver } as unknown as OperationContext;
    const error = new ProtocolError('invalidContext', 'Not this name.');
    const refused = { action: 'update', dataclass: 'Country', attributes: [] } as const;
    const operation: Pick<Operation<RequestAst>, 'writes' | 'answer'> = {
      writes: () => namedWrite('save', { dataclass: 'Country', selector: { kind: 'all' } }),
      answer: ({ observer: { writes } }) => {
        const stamp = new ProtocolError('stampMissing', 'No stamp.');
        writes?.entitiesRefused(NOBODY, [{ ...refused, key: '2', error: stamp }]);
        const written = { ...refused, key: '1', values: new Map() };
        if (isWritten) writes?.entitiesWritten(NOBODY, [written]);
        return Promise.reject(error);
      },
    };
    await expect(audited(operation, context, observed)).rejects.toBe(error);
    expect(heard).toEqual(expected);
  },
);
