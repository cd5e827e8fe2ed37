import { expect, test } from 'vitest';
import { ProtocolError } from '../../../src/base/errors.ts';
import { NOBODY } from '../../../src/base/principal.ts';
import { noObserver, gatewayContext } from '../../../src/base/observe/observer.ts';
import type {
  EntityWritten,
  WriteObserver,
  WriteRefused,
} from '../../../src/base/observe/writes.ts';
import { jsonAnswer } from '../../../src/answer/answer.ts';
import type { RequestAst } from '../../../src/protocol/ast.ts';
import { audited } from '../../../src/server/pipeline/audited.ts';
import type {
  NamedWrite,
  Operation,
  OperationContext,
} from '../../../src/server/pipeline/operation.ts';

const refused = (key: string): WriteRefused => ({
  action: 'update',
  dataclass: 'Employee',
  key,
  attributes: ['grade'],
  error: new ProtocolError('stampMissing', 'No stamp.'),
});

const written: EntityWritten = {
  action: 'update',
  dataclass: 'Employee',
  key: '1',
  attributes: [],
  values: new Map(),
};

/** An operation that writes entities, unless it is a dry run. */
function write(
  answer: Operation<RequestAst>['answer'],
  isDry = false,
): Operation<RequestAst>['answer'] {
  const named = {
    kind: 'write',
    action: 'save',
    dataclass: 'Employee',
    selector: { kind: 'all' },
    attribute: null,
  } as const;
  const writes = (): NamedWrite | null => (isDry ? null : named);
  return (context) => {
    const { writes: observed } = context.observer;
    if (observed === null) throw new Error('nobody observes the writes');
    return audited({ writes, answer }, context, observed);
  };
}

/** What is heard of a write, in its order. */
function hearing(): { context: OperationContext; heard: unknown[] } {
  const heard: unknown[] = [];
  return {
    heard,
    context: {
      ...gatewayContext,
      ast: {} as RequestAst,
      observer: {
        ...noObserver,
        writes: {
          wantsValues: () => false,
          checkWritable: () => heard.push('asked'),
          entitiesWritten: (_, entities) => heard.push(...entities.map(({ key }) => key)),
          entitiesRefused: (_, entities) =>
            heard.push(...entities.map(({ key, error }) => [key, error.errorName])),
          reloadAsked: () => undefined,
          functionCalled: () => undefined,
          requestRefused: () => heard.push('request'),
        } satisfies WriteObserver,
      },
    } as unknown as OperationContext,
  };
}

test('what was refused is told when the work is done', async () => {
  const { context, heard } = hearing();
  const answer = jsonAnswer('done');
  const save = write(({ observer: { writes } }) => {
    writes?.entitiesRefused(NOBODY, [refused('2'), refused('3')]);
    writes?.entitiesWritten(NOBODY, [written]);
    return Promise.resolve(answer);
  });
  expect([await save(context), heard]).toEqual([
    answer,
    ['asked', '1', ['2', 'stampMissing'], ['3', 'stampMissing']],
  ]);
});

test.each([
  [false, [['2', 'invalidContext']]],
  [true, ['1', ['2', 'stampMissing']]],
])(
  'with the error that the client is told, unless something is written: %s',
  async (isWritten, told) => {
    const { context, heard } = hearing();
    const error = new ProtocolError('invalidContext', 'Not this name.');
    const save = write(({ observer: { writes } }) => {
      writes?.entitiesRefused(NOBODY, [refused('2')]);
      if (isWritten) writes?.entitiesWritten(NOBODY, [written]);
      return Promise.reject(error);
    });
    await expect(save(context)).rejects.toBe(error);
    expect(heard).toEqual(['asked', ...told]);
  },
);

test('a dry run is not asked about', async () => {
  const { context, heard } = hearing();
  const save = write((own) => {
    expect(own).toBe(context);
    return Promise.resolve(jsonAnswer('done'));
  }, true);
  await save(context);
  expect(heard).toEqual([]);
});
