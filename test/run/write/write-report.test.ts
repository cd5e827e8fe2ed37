import { beforeAll, describe, expect, test } from 'vitest';
import { ProtocolError } from '../../../src/base/errors.ts';
import { Refused, type WriteContext } from '../../../src/run/write/attempt.ts';
import {
  reportOn,
  writeAllOrNone,
  writeIndependently,
} from '../../../src/run/write/transactions.ts';
import {
  deletedRow,
  type Element,
  type Outcome,
  outcomeOf,
} from '../../../src/run/write/outcome.ts';
import type { Execution } from '../../../src/run/run.ts';
import { valueChange, writableMembers } from '../../../src/run/write/write-report.ts';
import { findDataclass } from '../../../src/model/lookup.ts';
import type { Dataclass, Member, Model } from '../../../src/model/types.ts';
import { noObserver } from '../../../src/base/observe/observer.ts';
import type { WriteObserver } from '../../../src/base/observe/writes.ts';
import type { ColumnValue } from '../../../src/run/convert/types.ts';
import { readSnapshot, sampleModel } from '../../fixtures/legacy/model.ts';
import { databaseSays, execution, writeContext, type Ends } from '../fakes.ts';

let model: Model;
beforeAll(async () => {
  model = await sampleModel(readSnapshot('postgres'));
});

const dataclassOf = (name: string): Dataclass => findDataclass(model, name);

/** A request that is listened to, and what is heard of it: a list for each time. */
function listened(
  kind: WriteContext['kind'],
  atomic: boolean,
  ends: Ends = [],
): { execution: Execution; context: WriteContext; heard: unknown[][] } {
  const heard: unknown[][] = [];
  const writes: WriteObserver = {
    wantsValues: () => false,
    checkWritable: () => undefined,
    entitiesWritten: (_, told) => heard.push(told.map(({ key }) => key)),
    entitiesRefused: (_, told) =>
      heard.push(told.map(({ action, key, error }) => [action, key, error.errorName])),
    reloadAsked: () => undefined,
    functionCalled: () => undefined,
    requestRefused: () => undefined,
  };
  const plain = execution(ends);
  const attended = {
    ...plain,
    activity: { ...plain.activity, observer: { ...noObserver, writes } },
  };
  const dataclass = dataclassOf('Company');
  const report = reportOn(attended.activity, { kind, dataclass, unique: null });
  return {
    execution: attended,
    context: { ...writeContext(kind, atomic), dataclass, report },
    heard,
  };
}

const items = (count: number): Element[] =>
  Array.from({ length: count }, (_, index) => ({ index, key: [String(index)] }));

const deleted = (some: readonly Element[]): Outcome[] =>
  some.map((item) => ({ ...outcomeOf('deleted', item), written: deletedRow(null) }));

describe('what is written is told', () => {
  test('to nobody where nobody wants to hear of it', () => {
    const context = { kind: 'save', dataclass: dataclassOf('Company'), unique: null } as const;
    expect(reportOn(execution([]).activity, context)).toBe(null);
  });

  test('when it is committed, of each transaction by itself', async () => {
    const { context, execution, heard } = listened('delete', false);
    await writeIndependently(items(2500), context, execution, (some) =>
      Promise.resolve(deleted(some)),
    );
    expect(heard.map(({ length }) => length)).toEqual([1000, 1000, 500]);
    expect(heard.flat()).toEqual(items(2500).map(({ index }) => String(index)));
  });

  test('of those that the database takes, and then why it does not take the others', async () => {
    const { context, execution, heard } = listened('delete', false);
    await writeIndependently(items(4), context, execution, (some) => {
      if (some.some(({ index }) => index === 2)) {
        throw new Refused(new ProtocolError('brokenRule', 'Not 2.'));
      }
      return Promise.resolve(deleted(some));
    });
    expect(heard).toEqual([['0', '1'], ['3'], [['delete', '2', 'brokenRule']]]);
  });

  test('as unknown where the connection was lost while committing', async () => {
    const commit = databaseSays('outcomeUnknown');
    const { context, execution, heard } = listened('delete', false, [undefined, { commit }]);
    await writeIndependently(items(2001), context, execution, (some) =>
      Promise.resolve(deleted(some)),
    );
    const refused = heard[1] ?? [];
    expect(heard.map(({ length }) => length)).toEqual([1000, 1001]);
    expect(refused.slice(998)).toEqual([
      ['delete', '1998', 'outcomeUnknown'],
      ['delete', '1999', 'outcomeUnknown'],
      ['delete', '2000', 'databaseUnavailable'],
    ]);
  });

  test('of an only transaction, too, whose request fails by it', async () => {
    const commit = databaseSays('outcomeUnknown');
    const { context, execution, heard } = listened('save', false, [{ commit }]);
    const work = writeIndependently(items(1), context, execution, (some) =>
      Promise.resolve(deleted(some)),
    );
    await expect(work).rejects.toThrow('It says outcomeUnknown.');
    expect(heard).toEqual([[['update', '0', 'outcomeUnknown']]]);
  });

  test('of all or none when they are committed', async () => {
    const { context, execution, heard } = listened('delete', true);
    await writeAllOrNone(items(2), context, execution, () => Promise.resolve(deleted(items(2))));
    expect(heard).toEqual([['0', '1']]);
  });

  test('of all or none where nobody knows, and not where they were refused', async () => {
    const commit = databaseSays('outcomeUnknown');
    const lost = listened('delete', true, [{ commit }]);
    const done = (): Promise<Outcome[]> => Promise.resolve(deleted(items(2)));
    await expect(writeAllOrNone(items(2), lost.context, lost.execution, done)).rejects.toThrow(
      'outcomeUnknown',
    );
    expect(lost.heard).toEqual([
      [
        ['delete', '0', 'outcomeUnknown'],
        ['delete', '1', 'outcomeUnknown'],
      ],
    ]);
    const away = listened('delete', true, [{ begin: databaseSays('databaseUnavailable') }]);
    await expect(writeAllOrNone(items(2), away.context, away.execution, done)).rejects.toThrow(
      'databaseUnavailable',
    );
    expect(away.heard).toEqual([]);
  });

  test('of keys alone, a thousand at a time', async () => {
    const { context, heard } = listened('delete', true);
    function* keys(): Generator<readonly string[] | null> {
      for (let key = 0; key < 1500; key += 1) yield [String(key)];
      yield null;
    }
    await context.report?.deleted(keys());
    expect(heard.map(({ length }) => length)).toEqual([1000, 501]);
    expect(heard[1]?.slice(-2)).toEqual(['1499', null]);
  });
});

describe('a change', () => {
  const given = (
    dataclass: Dataclass,
    values: Record<string, ColumnValue['value']>,
  ): ColumnValue[] =>
    dataclass.table.columns
      .filter(({ name }) => name in values)
      .map((column) => ({ column, type: column.type, value: values[column.name] ?? null }));

  test('is not that of an attribute that is computed: no row holds it', () => {
    const employee = dataclassOf('Employee');
    const yearly = {
      ...employee.members.get('grade'),
      name: 'yearly',
      kind: 'calculated',
    } as Member;
    const members = new Map([...employee.members, ['yearly', yearly]]);
    expect(writableMembers({ members })).toEqual(writableMembers(employee));
  });

  test('is that of an attribute, of an image by its length, and of a relation by its key', () => {
    const employee = dataclassOf('Employee');
    const members = writableMembers(employee);
    const changeOf = (name: string, row: Parameters<typeof valueChange>[1]): unknown => {
      const found = members.find(({ member }) => member.name === name);
      return found === undefined ? 'not writable' : valueChange(found, row);
    };
    const before = (name: string): string | null =>
      ({ GRADE_CD: '3', PHOTO_IMG: '', COMP_ID: '1' })[name] ?? null;
    const row = {
      action: 'update' as const,
      given: given(employee, { GRADE_CD: '4', PHOTO_IMG: new Uint8Array(7), COMP_ID: null }),
      changed: new Set(['GRADE_CD']),
      before,
    };
    expect(changeOf('grade', row)).toEqual({ before: '3', after: '4' });
    expect(changeOf('photo', row)).toEqual({ after: { bytes: 7 } });
    expect(changeOf('employer', row)).toEqual({ before: '1', after: null });
    expect(changeOf('lastName', row)).toBe(null);
    expect(changeOf('projects', row)).toBe('not writable');
    expect(changeOf('grade', { ...row, action: 'create', before: null })).toEqual({ after: '4' });
    expect(changeOf('grade', deletedRow(before))).toEqual({ before: '3' });
    expect(
      changeOf(
        'photo',
        deletedRow(() => null),
      ),
    ).toEqual({ before: null });
  });
});
