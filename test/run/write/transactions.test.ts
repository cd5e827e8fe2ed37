import { describe, expect, test } from 'vitest';
import { ProtocolError } from '../../../src/base/errors.ts';
import { Refused, type WriteContext } from '../../../src/run/write/attempt.ts';
import {
  allOrNone,
  dryRun,
  writeIndependently,
  type WriteItem,
} from '../../../src/run/write/transactions.ts';
import {
  type Element,
  failed,
  isFailed,
  type Outcome,
  outcomeOf,
} from '../../../src/run/write/outcome.ts';
import {
  databaseSays,
  type Ends,
  execution,
  refusal,
  selfReferring,
  writeContext,
} from '../fakes.ts';
import type { RowHash } from '../../../src/base/row-hash.ts';
import { stampReader } from '../../../src/run/run.ts';
import type { Reader } from '../../../src/sql/ir/statement.ts';

type Item = WriteItem;

function items(count: number): Item[] {
  return Array.from({ length: count }, (_, index) => ({ index, key: [String(index)] }));
}

/** Runs work that the database refuses for some of the items, and tells what each transaction was given. */
async function run(
  given: readonly Item[],
  options: { readonly wrong?: readonly number[]; readonly ends?: Ends } = {},
): Promise<{ readonly outcomes: readonly Outcome[]; readonly sizes: readonly number[] }> {
  const { wrong = [], ends = [] } = options;
  const sizes: number[] = [];
  const outcomes = await writeIndependently(
    given,
    writeContext('delete', false),
    execution(ends),
    (some) => {
      sizes.push(some.length);
      const bad = some.find(({ index }) => wrong.includes(index));
      if (bad !== undefined)
        throw new Refused(new ProtocolError('brokenRule', `Not ${bad.index}.`));
      return Promise.resolve(some.map((one) => outcomeOf('deleted', one)));
    },
  );
  return { outcomes, sizes };
}

/** What each element came to: that it was done, or what its client is told. */
function told(outcomes: readonly Outcome[]): unknown[] {
  return outcomes.map((outcome) =>
    isFailed(outcome) ? outcome.failure.error.toItems().map(({ message }) => message) : 'done',
  );
}

describe('elements that stand alone', () => {
  test('share a transaction', async () => {
    const { outcomes, sizes } = await run(items(3));
    expect(told(outcomes)).toEqual(['done', 'done', 'done']);
    expect(sizes).toEqual([3]);
  });

  test('that are all refused are not tried for ever', async () => {
    const given = items(2000);
    const { outcomes, sizes } = await run(given, { wrong: given.map(({ index }) => index) });
    expect(sizes.length).toBe(1000);
    const notTried = ProtocolError.of('tooManyRefused').message;
    const texts = told(outcomes).map(String);
    const tried = texts.findIndex((text) => text.includes(notTried));
    expect(tried).toBeGreaterThan(490);
    expect(texts.slice(0, tried).every((text) => text.startsWith('Not '))).toBe(true);
    expect(texts.slice(tried).every((text) => text.includes(notTried))).toBe(true);
  });

  test('are written a thousand at a time, in their order', async () => {
    const { outcomes, sizes } = await run(items(2500));
    expect(sizes).toEqual([1000, 1000, 500]);
    expect(outcomes.map(({ index }) => index)).toEqual(items(2500).map(({ index }) => index));
  });

  test('count with those within them, and go alone where these are more than a thousand', async () => {
    const relation = { name: 'parts', kind: 'relatedEntities', target: selfReferring } as const;
    const holding = (count: number): Item => ({
      index: 0,
      key: null,
      nested: [{ relation, entities: items(count).map((item) => ({ ...item, nested: [] })) }],
    });
    const given = [499, 499, 0, 1500, 998, 0].map((count, index) => ({ ...holding(count), index }));
    const { sizes } = await run(given);
    expect(sizes).toEqual([2, 1, 1, 2]);
  });

  test('are tried once more, all of it apart, where one with others within it is refused', async () => {
    const [first, ...others] = items(3);
    const relation = { name: 'parts', kind: 'relatedEntities', target: selfReferring } as const;
    const nested = [{ relation, entities: [{ index: 0, key: ['7'] }] }];
    const given: Item[] = [{ index: 0, key: ['0'], ...first, nested }, ...others];
    const tried: unknown[] = [];
    const outcomes = await writeIndependently(
      given,
      writeContext('save', false),
      execution([]),
      (some, { oneByOne }) => {
        tried.push([some.map(({ index }) => index), oneByOne]);
        if (some.some(({ index }) => index === 0)) {
          const error = new ProtocolError('brokenRule', oneByOne ? 'Which.' : 'One of them.');
          throw new Refused(error, oneByOne ? [failed({ index: 0, key: ['0'] }, error)] : []);
        }
        return Promise.resolve(some.map((one) => outcomeOf('deleted', one)));
      },
    );
    expect(told(outcomes)).toEqual([['Which.'], 'done', 'done']);
    expect(tried).toEqual([
      [[0, 1, 2], false],
      [[0], false],
      [[0], true],
      [[1, 2], false],
    ]);
  });

  test('are tried by halves where the database refuses some', async () => {
    const { outcomes, sizes } = await run(items(8), { wrong: [2, 7] });
    expect(told(outcomes)).toEqual([
      'done',
      'done',
      ['Not 2.'],
      'done',
      'done',
      'done',
      'done',
      ['Not 7.'],
    ]);
    expect(sizes).toEqual([8, 4, 2, 2, 1, 1, 4, 2, 2, 1, 1]);
  });

  test('keep what was wrong with them before', async () => {
    const [first, second] = items(2);
    if (first === undefined || second === undefined) throw new Error('two items');
    const { outcomes } = await run(
      [{ ...first, error: new ProtocolError('keyIsNull', 'No key.') }, second],
      {
        wrong: [0],
      },
    );
    expect(told(outcomes)).toEqual([['No key.'], 'done']);
  });

  test('are not tried by halves where the database refuses a statement, whatever they hold', async () => {
    const sizes: number[] = [];
    const outcomes = await writeIndependently(
      items(8),
      writeContext('delete', false),
      execution([]),
      (some) => {
        sizes.push(some.length);
        const odd = some.filter(({ index }) => index % 2 === 1);
        if (odd.length > 0) {
          const not = (index: number): ProtocolError =>
            new ProtocolError('mayNotDelete', `Not ${index}.`);
          throw new Refused(
            not(1),
            odd.map((item) => failed(item, not(item.index))),
          );
        }
        return Promise.resolve(some.map((one) => outcomeOf('deleted', one)));
      },
    );
    expect(told(outcomes)).toEqual(
      items(8).map(({ index }) => (index % 2 === 1 ? [`Not ${index}.`] : 'done')),
    );
    expect(sizes).toEqual([8, 4]);
  });

  test('a constraint that is checked at the commit is told of the one that breaks it', async () => {
    const commit = refusal({ rule: 'constraint', names: ['FK_X'] });
    const { outcomes } = await run(items(2), { ends: [{ commit }, undefined, { commit }] });
    expect(told(outcomes)).toEqual([
      'done',
      ['The entity of Thing is still referred to by others.', 'Thing(1) was not deleted.'],
    ]);
  });

  test('what fell victim to a deadlock is tried again as a whole', async () => {
    const deadlock = { begin: databaseSays('deadlock') };
    const { outcomes, sizes } = await run(items(3), { ends: [deadlock, deadlock] });
    expect(told(outcomes)).toEqual(['done', 'done', 'done']);
    expect(sizes).toEqual([3]);
  });

  test('a database that is lost ends the rest, and nothing more is tried on it', async () => {
    const { outcomes, sizes } = await run(items(3000), {
      ends: [undefined, { begin: databaseSays('databaseUnavailable') }],
    });
    expect(sizes).toEqual([1000]);
    const all = told(outcomes);
    expect(all.slice(0, 1000)).toEqual(items(1000).map(() => 'done'));
    expect(all[1000]).toEqual(['It says databaseUnavailable.', 'Thing(1000) was not deleted.']);
    expect(all[2000]).toEqual([
      'The database was lost while the request was served: this was not tried. Try again later.',
      'Thing(2000) was not deleted.',
    ]);
  });

  test.each(['databaseUnable', 'rowLockTimeout', 'deadlock'] as const)(
    'what passes by itself (%s) ends the rest, and nothing is tried by halves',
    async (errorName) => {
      const passing = { commit: databaseSays(errorName) };
      const tries = errorName === 'deadlock' ? 6 : 1;
      const { outcomes, sizes } = await run(items(3000), {
        ends: [undefined, ...Array.from({ length: tries }, () => passing)],
      });
      expect(sizes).toEqual([1000, ...Array.from({ length: tries }, () => 1000)]);
      expect(told(outcomes)).toEqual(
        items(3000).map(({ index }) =>
          index < 1000 ? 'done' : [`It says ${errorName}.`, `Thing(${index}) was not deleted.`],
        ),
      );
    },
  );

  test('what passes by itself ends the halves that are being tried', async () => {
    const { outcomes, sizes } = await run(items(8), {
      wrong: [2],
      ends: [undefined, undefined, undefined, { begin: databaseSays('databaseUnable') }],
    });
    expect(sizes).toEqual([8, 4, 2]);
    expect(told(outcomes)).toEqual([
      ...['done', 'done'],
      ...[2, 3, 4, 5, 6, 7].map((index) => [
        'It says databaseUnable.',
        `Thing(${index}) was not deleted.`,
      ]),
    ]);
  });

  test('where all passes by itself, the request fails as a whole', async () => {
    const ends = [{ commit: databaseSays('databaseUnable') }];
    await expect(run(items(2000), { ends })).rejects.toThrow('It says databaseUnable.');
  });

  test('nobody is told that a change was not made whose outcome nobody knows', async () => {
    const { outcomes } = await run(items(1001), {
      ends: [undefined, { commit: databaseSays('outcomeUnknown') }],
    });
    expect(told(outcomes)[1000]).toEqual(['It says outcomeUnknown.']);
  });

  test('what takes too long is not tried by halves', async () => {
    const { outcomes, sizes } = await run(items(1002), {
      ends: [undefined, { commit: databaseSays('statementTimeout') }],
    });
    expect(sizes).toEqual([1000, 2]);
    expect(told(outcomes).slice(1000)).toEqual([
      ['It says statementTimeout.', 'Thing(1000) was not deleted.'],
      ['It says statementTimeout.', 'Thing(1001) was not deleted.'],
    ]);
  });

  test('where nothing was done, the request fails as a whole', async () => {
    const ends = [{ begin: databaseSays('databaseUnavailable') }];
    await expect(run(items(2000), { ends })).rejects.toThrow('It says databaseUnavailable.');
  });
});

describe('all or none', () => {
  /** Runs work that is refused together, or not at all; tells which attempts were made. */
  async function run(
    kind: WriteContext['kind'],
    ends: Ends,
    refused: 'together' | 'never' = 'never',
  ): Promise<readonly boolean[]> {
    const apart: boolean[] = [];
    await allOrNone(writeContext(kind, true), execution(ends), (attempt) => {
      apart.push(attempt.oneByOne);
      if (refused === 'together' && !attempt.oneByOne) {
        throw new Refused(new ProtocolError('brokenRule', 'One of them.'));
      }
      return Promise.resolve();
    });
    return apart;
  }

  /** What the client of a request that failed is told. */
  async function complaint(
    work: Promise<unknown>,
  ): Promise<readonly (readonly [number, string])[]> {
    const error: unknown = await work.catch((thrown: unknown) => thrown);
    if (!(error instanceof ProtocolError)) throw new Error('it did not fail');
    return error.toItems().map(({ errCode, message }) => [errCode, message]);
  }

  test('is one transaction', async () => {
    expect(await run('save', [])).toEqual([false]);
  });

  test('elements that were refused together are tried apart, to name the wrong one', async () => {
    expect(await run('save', [], 'together')).toEqual([false, true]);
  });

  test('a victim of a deadlock is tried again as a whole', async () => {
    expect(await run('delete', [{ commit: databaseSays('deadlock') }])).toEqual([false, false]);
  });

  test.each([
    ['save', 'Nothing of the request was saved.', 1046],
    ['delete', 'Nothing of the request was deleted.', 1518],
  ] as const)(
    'a %s that is refused at its commit says which rule it was',
    async (kind, end, code) => {
      const commit = refusal({ rule: 'constraint', names: ['FK_OWNER'] });
      expect(await complaint(run(kind, [{ commit }]))).toEqual([
        [
          1120,
          kind === 'save'
            ? 'A value of Thing refers to an entity that does not exist.'
            : 'The entity of Thing is still referred to by others.',
        ],
        [code, end],
      ]);
    },
  );

  test('elements that are refused apart, too, by a statement of them all, are told why', async () => {
    const reason = new ProtocolError('wrongType', 'One of the keys is not a key.');
    const ofFirst = { errorName: 'entityNotSaved', message: 'Thing(0) was not saved.' } as const;
    const attempts: boolean[] = [];
    const work = allOrNone(writeContext('save', true), execution([]), ({ oneByOne }) => {
      attempts.push(oneByOne);
      return Promise.reject(new Refused(reason.leadingTo(ofFirst), [], reason));
    });
    expect(await complaint(work)).toEqual([
      [1508, 'One of the keys is not a key.'],
      [1046, 'Nothing of the request was saved.'],
    ]);
    expect(attempts).toEqual([false, true]);
  });

  test.each([
    ['save', 'brokenReference', [false, true]],
    ['delete', 'brokenReference', [false]],
    ['delete', 'raised', [false, true]],
  ] as const)(
    'where a row of a table may refer to another one of it, a %s of both refused by %s is tried as %j',
    async (kind, name, expected) => {
      const attempts: boolean[] = [];
      const context = writeContext(kind, true, selfReferring);
      const work = allOrNone(context, execution([]), ({ oneByOne }) => {
        attempts.push(oneByOne);
        const reason = new ProtocolError(name, 'One of them.');
        return Promise.reject(new Refused(reason, [], reason));
      });
      expect((await complaint(work))[0]?.[1]).toBe('One of them.');
      expect(attempts).toEqual(expected);
    },
  );

  test.each([
    ['databaseUnavailable', 9002],
    ['databaseUnable', 9020],
    ['rowLockTimeout', 9021],
  ] as const)('what the database says of itself (%s) is passed on at once', async (name, code) => {
    let attempts = 0;
    const work = allOrNone(writeContext('save', true), execution([]), () => {
      attempts += 1;
      return Promise.reject(databaseSays(name));
    });
    expect(await complaint(work)).toEqual([[code, `It says ${name}.`]]);
    expect(attempts).toBe(1);
  });
});

test('a dry run ends after so many attempts, and says so of the elements that are left', async () => {
  const items = Array.from({ length: 1000 }, (_, index) => ({ index, key: [String(index)] }));
  let tries = 0;
  const result = await dryRun(
    items,
    writeContext('save', false),
    execution([]),
    (some, refused) => {
      tries += 1;
      if (some.length > 0) throw new Refused(new ProtocolError('brokenRule', 'Not so.'));
      return Promise.resolve(refused.map(({ failure }) => failure.error.errorName));
    },
  );
  expect(tries).toBeLessThan(1000);
  expect([result.length, new Set(result)]).toEqual([
    1000,
    new Set(['brokenRule', 'tooManyRefused']),
  ]);
});

test('what is accepted shares its statements with what is tried, and the one that is refused is told of as itself', async () => {
  const items = Array.from({ length: 8 }, (_, index): Element => ({ index, key: [String(index)] }));
  const tries: (readonly number[])[] = [];
  const result = await dryRun(
    items,
    writeContext('save', false),
    execution([]),
    (some, refused, { oneByOne }) => {
      expect(oneByOne).toBe(false);
      tries.push(some.map(({ index }) => index));
      if (some.some(({ index }) => index % 4 === 2)) {
        const reason = new ProtocolError('brokenRule', 'Not so.');
        const ofFirst = {
          errorName: 'entityNotSaved',
          message: `Thing(${some[0]?.index}) was not saved.`,
        } as const;
        throw new Refused(reason.leadingTo(ofFirst), [], reason);
      }
      const told = refused.map(({ failure }) => failure.error.toItems().map((one) => one.message));
      return Promise.resolve({ saved: some.map(({ index }) => index), told });
    },
  );
  expect(result).toEqual({
    saved: [0, 1, 3, 4, 5, 7],
    told: [
      ['Not so.', 'Thing(2) was not saved.'],
      ['Not so.', 'Thing(6) was not saved.'],
    ],
  });
  expect(tries).toEqual([
    [0, 1, 2, 3, 4, 5, 6, 7],
    [0, 1, 2, 3],
    [0, 1],
    [0, 1, 2, 3],
    [0, 1, 2],
    [2],
    [0, 1, 3],
    [0, 1, 3, 4, 5, 6, 7],
    [0, 1, 3, 4, 5],
    [0, 1, 3, 4, 5, 6, 7],
    [0, 1, 3, 4, 5, 6],
    [6],
    [0, 1, 3, 4, 5, 7],
  ]);
});

const reader: Reader = { json: (value) => JSON.stringify(value), text: (value) => String(value) };
const readers = [reader, reader, reader];

test('a stamp of the engine is its digits', () => {
  expect(stampReader({ kind: 'column', column: 1 }, readers)([0, 9007199254740991n, 0])).toBe(
    '9007199254740991',
  );
});

test('an entity without a stamp has 1', () => {
  expect(stampReader({ kind: 'none' }, [])([])).toBe('1');
});

/** Tells what it is given in place of hashing it. */
function recorded(hash: number): RowHash & { readonly rows: readonly (string | null)[][] } {
  const rows: (string | null)[][] = [];
  return {
    rows,
    begin: () => rows.push([]),
    addNull: () => rows.at(-1)?.push(null),
    addText: (text) => rows.at(-1)?.push(text),
    addBytes: (bytes, from, to) => {
      rows.at(-1)?.push(Buffer.from(bytes.subarray(from, to)).toString());
    },
    end: () => hash,
  };
}

test.each([
  [53, 5, '5'],
  [53, 2 ** 53 - 1, '9007199254740991'],
  [53, 0, '9007199254740991'],
  [31, 2 ** 31 + 7, '7'],
  [31, 3 * 2 ** 31, '2147483647'],
  [31, 0, '2147483647'],
] as const)('a hash in %i bits: %i is %s', (bits, hash, stamp) => {
  const fixed = recorded(hash);
  const read = stampReader({ kind: 'hash', columns: [0], hash: fixed, bits }, readers);
  expect(read(['x'])).toBe(stamp);
});

test('a hash is made of the columns it names, in their order, as text and null', () => {
  const hash = recorded(1);
  const read = stampReader({ kind: 'hash', columns: [2, 0], hash, bits: 53 }, readers);
  expect([read(['a', 'b', 7]), read([null, 'b', ''])]).toEqual(['1', '1']);
  expect(hash.rows).toEqual([
    ['7', 'a'],
    ['', null],
  ]);
});
