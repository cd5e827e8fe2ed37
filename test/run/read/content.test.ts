import { describe, expect, test } from 'vitest';
import type { Row } from '../../../src/database/database.ts';
import { ContentChanged, readContent, type Content } from '../../../src/run/read/content.ts';
import type { Slice, StatementSource } from '../../../src/run/run.ts';
import type { ContentPlan } from '../../../src/plan/read/content.ts';
import type { Reader, Statement } from '../../../src/sql/ir/statement.ts';

const text: Reader = { text: String, json: String };
const bytes: Reader = { ...text, bytes: (value) => value as Buffer };

function statement(name: string, readers: readonly Reader[]): Statement {
  return { name, text: name, effect: 'read', parameters: [], readers };
}

/** One row, as it is at the moment; null where there is none. */
interface Stored {
  version: string;
  content: Buffer | null;
}

interface Database extends StatementSource {
  row: Stored | null;
  /** The slices that were read, and `digest` where one was asked for, too. */
  readonly asked: string[];
}

function database(row: Stored | null): Database {
  const asked: string[] = [];
  const fake: Database = {
    row,
    asked,
    dialect: {} as StatementSource['dialect'],
    run: ({ name }, { slice = { before: 0, length: 0 } }) => {
      if (name === 'origin') return Promise.resolve([['1']]);
      const { before, length }: Slice = slice;
      asked.push(`${name === 'digested' ? 'digest ' : ''}${before}+${length}`);
      if (fake.row === null) return Promise.resolve([]);
      const { version, content } = fake.row;
      const cells =
        content === null
          ? [null, null]
          : [String(content.length), content.subarray(before, before + length)];
      const found: Row =
        name === 'slice'
          ? [version, ...cells]
          : [...cells, content === null ? null : digestOf(content)];
      return Promise.resolve([found]);
    },
  };
  return fake;
}

/** Enough of a digest: which bytes there are, and how many of them. */
function digestOf(content: Buffer): string {
  return `${content.length}x${String(content.reduce((sum, byte) => (sum * 31 + byte) % 65_521, 7))}`;
}

const addressed = { dataclass: 'Emp', keys: [{ parameter: 0, class: 'number' }] } as const;

const versioned = {
  versions: [0],
  length: 1,
  bytes: 2,
  stamp: 0,
  addressed,
  slice: statement('slice', [text, text, bytes]),
  digested: null,
  origin: null,
} as unknown as ContentPlan;

/** Of a table that has nothing that changes with its rows. */
const unversioned = {
  versions: [],
  length: 0,
  bytes: 1,
  stamp: null,
  addressed,
  slice: statement('plain', [text, bytes]),
  digested: statement('digested', [text, bytes, text]),
  origin: null,
} as unknown as ContentPlan;

const values = [{ value: '5', class: 'number', within: 'the path', position: 5 }] as const;
const read = async (from: Database, printed = versioned): Promise<Content> => {
  const content = await readContent(printed, values, from);
  if (content === null) throw new Error('there is none');
  return content;
};

async function all(slices: AsyncIterable<Buffer>): Promise<Buffer[]> {
  const found: Buffer[] = [];
  for await (const slice of slices) found.push(slice);
  return found;
}

const MiB = 1_048_576;
const large = (): Buffer => Buffer.alloc(5 * MiB, 'abcdefghijklm');

describe('a content is read', () => {
  test('slice by slice, each when it is asked for', async () => {
    const from = database({ version: '4', content: large() });
    const { length, slices } = await read(from);
    const reading = slices(0, length);
    await reading.next();
    expect(from.asked).toEqual(['0+65536']);
    await reading.next();
    expect(from.asked).toEqual(['0+65536', `65536+${2 * MiB}`]);
    await reading.return(undefined);
    expect(from.asked).toHaveLength(2);
    const whole = Buffer.concat(await all(slices(0, length)));
    expect(whole.equals(large())).toBe(true);
  });

  test('of an entity that there is', async () => {
    await expect(readContent(versioned, values, database(null))).rejects.toThrow(
      'There is no entity Emp(5).',
    );
    // Of one that a relation leads nowhere from, there is nothing to read.
    const walked = { ...versioned, origin: statement('origin', [text]) };
    expect(await readContent(walked, values, database(null))).toBeNull();
  });
});

describe('of a value that is changed while it is read, no more is given out', () => {
  const other = (): Buffer => large().fill('z', 4 * MiB);

  test.each<readonly [title: string, change: (from: Database) => void]>([
    ['its version', ({ row }) => Object.assign(row ?? {}, { version: '5' })],
    ['its length', ({ row }) => Object.assign(row ?? {}, { content: Buffer.alloc(5 * MiB + 1) })],
    ['to null', ({ row }) => Object.assign(row ?? {}, { content: null })],
    ['and deleted', (from) => Object.assign(from, { row: null })],
  ])('%s', async (_, change) => {
    const from = database({ version: '4', content: large() });
    const { length, slices } = await read(from);
    const reading = slices(0, length);
    await reading.next();
    await reading.next();
    change(from);
    await expect(reading.next()).rejects.toThrow(ContentChanged);
  });

  test('where only its digest tells, up to the last slice', async () => {
    const from = database({ version: '', content: large() });
    const { length, version, stamp, slices } = await read(from, unversioned);
    expect([version, stamp]).toEqual([`${length}-${digestOf(large())}`, null]);
    expect((await all(slices(0, length))).map((slice) => slice.length)).toEqual([
      65_536,
      2 * MiB,
      2 * MiB,
      MiB - 65_536,
    ]);
    expect(from.asked.at(-1)).toBe('digest 0+0');
    const reading = slices(0, length);
    for (let slice = 1; slice <= 3; slice += 1) await reading.next();
    Object.assign(from.row ?? {}, { content: other() });
    await expect(reading.next()).rejects.toThrow(ContentChanged);
  });
});
