import { expect, test } from 'vitest';
import { ProtocolError } from '../../../src/base/errors.ts';
import { NOBODY } from '../../../src/base/principal.ts';
import { deaf, unattended, type Activity } from '../../../src/base/observe/observer.ts';
import type { EntityWritten, WriteRefused } from '../../../src/base/observe/writes.ts';
import { audited } from '../../../src/server/pipeline/audited.ts';

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

/** What is heard of a write, in its order. */
function hearing(): { activity: Activity; heard: unknown[] } {
  const heard: unknown[] = [];
  return {
    heard,
    activity: {
      ...unattended,
      observer: {
        ...deaf,
        writes: {
          wantsValues: () => false,
          checkWritable: () => heard.push('asked'),
          entitiesWritten: (_, entities) => heard.push(...entities.map(({ key }) => key)),
          entitiesRefused: (_, entities) =>
            heard.push(...entities.map(({ key, error }) => [key, error.errorName])),
          functionCalled: () => undefined,
          requestRefused: () => heard.push('request'),
        },
      },
    },
  };
}

test('what was refused is told when the work is done', async () => {
  const { activity, heard } = hearing();
  const result = await audited(false, activity, ({ observer: { writes } }) => {
    writes?.entitiesRefused(NOBODY, [refused('2'), refused('3')]);
    writes?.entitiesWritten(NOBODY, [written]);
    return Promise.resolve('done');
  });
  expect([result, heard]).toEqual([
    'done',
    ['asked', '1', ['2', 'stampMissing'], ['3', 'stampMissing']],
  ]);
});

test.each([
  [false, [['2', 'invalidContext']]],
  [true, ['1', ['2', 'stampMissing']]],
])(
  'with the error that the client is told, unless something is written: %s',
  async (isWritten, told) => {
    const { activity, heard } = hearing();
    const error = new ProtocolError('invalidContext', 'Not this name.');
    const work = audited(false, activity, ({ observer: { writes } }) => {
      writes?.entitiesRefused(NOBODY, [refused('2')]);
      if (isWritten) writes?.entitiesWritten(NOBODY, [written]);
      return Promise.reject(error);
    });
    await expect(work).rejects.toBe(error);
    expect(heard).toEqual(['asked', ...told]);
  },
);

test('a dry run is not asked about', async () => {
  const { activity, heard } = hearing();
  await audited(true, activity, (own) => {
    expect(own).toBe(activity);
    return Promise.resolve();
  });
  expect(heard).toEqual([]);
});
