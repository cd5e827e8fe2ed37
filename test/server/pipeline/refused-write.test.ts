import { expect, test } from 'vitest';
import { ProtocolError } from '../../../src/base/errors.ts';
import type { WriteObserver, WriteRefused } from '../../../src/base/observe/writes.ts';
import type { RestRequest } from '../../../src/protocol/rest-request.ts';
import { reportRefusedWrite } from '../../../src/server/pipeline/refused-write.ts';
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

test.each([
  [new Error('gone'), true, []],
  [new Error('broken'), false, ['internal']],
  [ProtocolError.of('outcomeUnknown'), true, ['outcomeUnknown']],
  [ProtocolError.of('auditUnavailable'), false, []],
])(
  'of what is not done because the client has gone, or the audit log is away, nothing is told: %s, gone: %s',
  async (error, isGone, expected) => {
    const heard: unknown[] = [];
    const writes = {
      requestRefused: (_: unknown, { error }: WriteRefused) => heard.push(error.errorName),
    } as unknown as WriteObserver;
    const request = { verb: 'DELETE', url: '/rest/Country(FR)' } as RestRequest;
    const signal = isGone ? AbortSignal.abort() : new AbortController().signal;
    await reportRefusedWrite(
      error,
      request,
      null,
      { observer: { ...noObserver, writes }, signal },
      { limits: postgres.limits, maxEntities: 10 },
    );
    expect(heard).toEqual(expected);
  },
);

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
