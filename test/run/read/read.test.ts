import { describe, expect, test } from 'vitest';
import { TimeSlice } from '../../../src/base/time.ts';
import { wholeText } from '../../../src/base/text.ts';
import type { Row } from '../../../src/database/database.ts';
import { compileRead } from '../../../src/answer/entities/collection-writer.ts';
import { writtenText } from '../../../src/answer/entities/entity-writer.ts';
import { planRead } from '../../../src/plan/read/read.ts';
import { parseRequest } from '../../../src/protocol/parse.ts';
import { runRead, type ReadResult } from '../../../src/run/read/read.ts';
import type { StatementSource } from '../../../src/run/run.ts';
import { planning, readSnapshot, sampleModel } from '../../fixtures/legacy/model.ts';
import { postgres as dialect } from '../../fixtures/dialects.ts';

const model = await sampleModel(readSnapshot('postgres'));
const { ast, values } = parseRequest('/rest/Company?$attributes=ID&$expand=employees&$top=200');
if (ast.kind !== 'read') throw new Error('not a read');
const plan = planRead(ast, planning(model, dialect));

/** Reads 200 companies. @param employees how many each of them has */
async function reading(
  employees: number,
  enoughRows?: number,
): Promise<{ readonly lists: readonly number[]; readonly result: ReadResult }> {
  const lists: number[] = [];
  const run: StatementSource['run'] = ({ readers }, { rows }) => {
    const row = (...first: string[]): Row => readers.map((_, index) => first[index] ?? null);
    if (rows !== undefined) lists.push(rows.length);
    return Promise.resolve(
      rows === undefined
        ? Array.from({ length: 200 }, (_, index) => readers.map(() => String(index)))
        : rows.flatMap((_, ordinal) =>
            Array.from({ length: employees }, () => row(String(ordinal), String(employees))),
          ),
    );
  };
  return { lists, result: await runRead(plan, values, { dialect, run, enoughRows }) };
}

describe('of an answer that is cut', () => {
  test('no more related rows are read than are enough', async () => {
    expect((await reading(100)).lists).toEqual([200]);
    const { lists, result } = await reading(100, 250);
    expect(lists).toEqual([3]);
    const writing = compileRead(plan)(result);
    const text = wholeText(await writtenText(writing, new TimeSlice(), undefined, 4000));
    expect(text.length).toBeGreaterThan(4000);
    expect(text.length).toBeLessThan(10_000);
  });

  test('more lists are read at once where they are short', async () => {
    expect((await reading(1, 250)).lists).toEqual([3, 24, 173]);
    expect((await reading(20, 250)).lists).toEqual([3, 24]);
  });

  test('a list that was not read is never told as an empty one', async () => {
    const { result } = await reading(100, 250);
    await expect(writtenText(compileRead(plan)(result), new TimeSlice())).rejects.toThrow(
      'The answer would hold more than 300 related entities',
    );
  });
});
