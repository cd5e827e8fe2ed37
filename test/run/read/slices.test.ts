import { describe, expect, test } from 'vitest';
import type { Command, BatchingDatabase, Row } from '../../../src/database/database.ts';
import { type SlicedRead, readInSlices, type Slice } from '../../../src/run/read/slices.ts';
import type { SetAccess } from '../../../src/run/sets/set-keys.ts';
import { exportOf, planEntitySet } from '../../../src/plan/read/entity-set.ts';
import { planSlicedRead } from '../../../src/plan/read/read.ts';
import type { StatementParameter } from '../../../src/sql/ir/statement.ts';
import { parseRequest } from '../../../src/protocol/parse.ts';
import { planning, readSnapshot, sampleModel } from '../../fixtures/legacy/model.ts';
import { databaseSays, execution } from '../fakes.ts';
import { postgres as dialect } from '../../fixtures/dialects.ts';
import { compileSlices } from '../../../src/answer/entities/collection-writer.ts';
import { tally } from '../../state/entity-set/lists.ts';

const model = await sampleModel(readSnapshot('postgres'));

/** Who of a slice's keys is still there. */
type Answering = (keys: readonly number[]) => readonly number[];

/** Exports as many employees; each slice is answered by a function. */
async function exporting(
  path: string,
  size: number,
  answering: Answering,
): Promise<{
  readonly exported: SlicedRead;
  readonly write: (page: SlicedRead['first']) => string;
  readonly asked: number[][];
  readonly closed: () => boolean;
}> {
  const { ast, values } = parseRequest(`/rest/${path}`);
  if (ast.kind !== 'read') throw new Error(`${path} is not a read`);
  const printed = planEntitySet(exportOf(ast), planning(model, dialect));
  const { fields } = printed.page.shape;
  const [id] = fields;
  if (id?.kind !== 'value') throw new Error(`${path} begins with no value`);
  const asked: number[][] = [];
  async function* stream(): AsyncGenerator<readonly Row[]> {
    yield await Promise.resolve(Array.from({ length: size }, (_, index) => [String(index)]));
  }
  const run = ({ statement, values: bound }: Command): Promise<{ rows: Row[] }> => {
    const place = statement.parameters.findIndex(({ kind }) => kind === 'keyList');
    if (place < 0) return Promise.resolve({ rows: [['1']] });
    const keys = (JSON.parse(String(bound[place])) as [number, string][]).map(([, key]) =>
      Number(key),
    );
    asked.push(keys);
    const rows = answering(keys).map((key) => {
      const row: (string | null)[] = statement.readers.map(() => null);
      row[0] = String(keys.indexOf(key));
      row[id.column] = String(key);
      return row;
    });
    return Promise.resolve({ rows });
  };
  let closed = false;
  const room = { ...tally(), close: () => void (closed = true) };
  const exported = await readInSlices(
    printed,
    {
      ...execution([]),
      values,
      access: { sets: { workspace: () => room } } as unknown as SetAccess,
      database: {
        dialect,
        stream,
        run: async (command: Command) => run(command),
      } as unknown as BatchingDatabase,
      model,
    },
    false,
  );
  return {
    exported,
    write: (page) => [...compileSlices(printed, printed.page).entities(page).writing].join(''),
    asked,
    closed: () => closed,
  };
}

/** The numbers from one to another one, which is not among them. */
const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);

/** Exports employees in the order of their keys, 0 to before `size`; tells how many each statement asked for, and behind which key. */
async function exportingInOrder(
  size: number,
  refused: (asked: number) => boolean = () => false,
  firstLength = 50_000,
): Promise<{ readonly keys: number[]; readonly asked: (readonly [string | null, number])[] }> {
  const { ast, values } = parseRequest('/rest/Employee?$format=csv&$attributes=ID');
  if (ast.kind !== 'read') throw new Error('it is not a read');
  const plan = planSlicedRead(ast, planning(model, dialect));
  if (plan === null) throw new Error('it has no slices');
  const asked: (readonly [string | null, number])[] = [];
  const run = ({ statement, values: bound }: Command): Promise<{ rows: Row[] }> => {
    const given = (is: (parameter: StatementParameter) => boolean): string | null => {
      const place = statement.parameters.findLastIndex(is);
      return place < 0 ? null : String(bound[place]);
    };
    const last = given((one) => one.kind === 'parameter' && one.source.from === 'lastRow');
    const most = Number(given((one) => one.kind === 'parameter' && one.use === 'count'));
    asked.push([last, most]);
    if (refused(most)) throw databaseSays('answerTooLarge');
    const first = last === null ? 0 : Number(last) + 1;
    const found = numbers(first, Math.min(first + most, size));
    const cells = statement.readers.length - 1;
    return Promise.resolve({
      rows: found.map((key) => [String(key), ...Array<string>(cells).fill('1')]),
    });
  };
  const database = { dialect, run } as unknown as BatchingDatabase;
  const access = {} as unknown as SetAccess;
  const exported = await readInSlices(
    plan,
    { ...execution([]), values, access, database, model },
    false,
  );
  const keys: number[] = [];
  const take = ({ fetched }: Slice): void =>
    void keys.push(...fetched.rows.map(([key]) => Number(key)));
  take(exported.first);
  for await (const slice of exported.rest(firstLength)) take(slice);
  return { keys, asked };
}

const ALL = 'Employee?$format=csv&$attributes=ID';

describe('an export', () => {
  test('reads each slice when it is asked for, and leaves out what is gone by then', async () => {
    const { exported, write, asked, closed } = await exporting(ALL, 1_201, (keys) =>
      keys.filter((key) => key % 500 !== 7),
    );
    expect([exported.hasMore, asked]).toEqual([true, [numbers(0, 500)]]);
    let text = write(exported.first);
    const rest = exported.rest(1_000_000);
    const second = await rest.next();
    expect(asked).toEqual([numbers(0, 500), numbers(500, 1_000)]);
    if (second.done !== true) text += write(second.value);
    for await (const page of rest) text += write(page);
    expect(asked.map(({ length }) => length)).toEqual([500, 500, 201]);
    expect(text).toBe(
      numbers(0, 1_201)
        .filter((key) => key % 500 !== 7)
        .map((key) => `${key}\r\n`)
        .join(''),
    );
    expect(closed()).toBe(false);
    exported.close();
    expect(closed()).toBe(true);
  });

  test('in the order of an index begins each slice behind the last row, and reads more at once where they are short', async () => {
    expect(await exportingInOrder(9_000)).toEqual({
      keys: numbers(0, 9_000),
      asked: [
        [null, 500],
        ['499', 8_000],
        ['8499', 8_000],
      ],
    });
    expect((await exportingInOrder(500)).asked).toEqual([
      [null, 500],
      ['499', 8_000],
    ]);
    expect((await exportingInOrder(499)).asked).toEqual([[null, 500]]);
  });

  test('reads fewer at once where they are long', async () => {
    const { asked } = await exportingInOrder(900, () => false, 2_500_000);
    expect(asked).toEqual([
      [null, 500],
      ['499', 200],
      ['699', 200],
      ['899', 200],
    ]);
    expect((await exportingInOrder(501, () => false, 900_000_000)).asked[1]).toEqual(['499', 1]);
  });

  test('reads fewer at once where they hold too much', async () => {
    const { keys, asked } = await exportingInOrder(70, (most) => most > 60);
    expect(keys).toEqual(numbers(0, 70));
    expect(asked).toEqual([
      [null, 500],
      [null, 62],
      [null, 7],
      ...numbers(1, 11).map((slice) => [String(7 * slice - 1), 7]),
    ]);
  });
});
