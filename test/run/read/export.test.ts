import { describe, expect, test } from 'vitest';
import type { Command, BatchingDatabase, Row } from '../../../src/database/database.ts';
import { type Export, runExport } from '../../../src/run/read/export.ts';
import type { SetAccess } from '../../../src/run/sets/set-keys.ts';
import { exportOf, planEntitySet } from '../../../src/plan/read/entity-set.ts';
import { parseRequest } from '../../../src/protocol/parse.ts';
import { compileSlices } from '../../../src/answer/entities/collection-writer.ts';
import { postgresDialect } from '../../../src/sql/postgres/dialect.ts';
import { tally } from '../../state/entity-set/lists.ts';
import { planning, readSnapshot, sampleModel } from '../../fixtures/legacy/model.ts';
import { databaseSays, execution } from '../fakes.ts';

const dialect = postgresDialect({ timeZone: 'UTC', bigNumbersAsStrings: false }, { version: 17 });
const model = await sampleModel(readSnapshot('postgres'));

/** Who of a slice's keys is still there. */
type Answering = (keys: readonly number[]) => readonly number[];

/** Exports as many employees; each slice is answered by a function. */
async function exporting(
  path: string,
  size: number,
  answering: Answering,
): Promise<{
  readonly exported: Export;
  readonly write: (page: Export['first']) => string;
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
  const exported = await runExport(
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

const ALL = 'Employee?$format=csv&$attributes=ID';

/** The numbers from one to another one, which is not among them. */
const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);

describe('an export', () => {
  test('reads each slice when it is asked for, and leaves out what is gone by then', async () => {
    const { exported, write, asked, closed } = await exporting(ALL, 1_201, (keys) =>
      keys.filter((key) => key % 500 !== 7),
    );
    expect([exported.hasMore, asked]).toEqual([true, [numbers(0, 500)]]);
    let text = write(exported.first);
    const rest = exported.rest(100_000_000);
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

  test('that fails in its midst says so, and ends', async () => {
    const { exported } = await exporting(ALL, 600, (keys) => {
      if (keys[0] === 0) return keys;
      throw databaseSays('databaseUnavailable');
    });
    await expect(exported.rest(100_000_000).next()).rejects.toThrow('It says databaseUnavailable.');
  });

  test('of nothing reads nothing', async () => {
    const none = await exporting(ALL, 0, (keys) => keys);
    expect([none.exported.hasMore, none.write(none.exported.first), none.asked]).toEqual([
      false,
      '',
      [],
    ]);
    const asked = await exporting(`${ALL}&$top=0`, 1, (keys) => keys);
    expect([asked.exported.hasMore, asked.asked]).toEqual([false, []]);
  });
});
