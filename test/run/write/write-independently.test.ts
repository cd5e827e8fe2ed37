import { describe, expect, test } from 'vitest';
import { ProtocolError } from '../../../src/base/errors.ts';
import { Refused } from '../../../src/run/write/attempt.ts';
import { writeIndependently, type WriteItem } from '../../../src/run/write/transactions.ts';
import { failed, isFailed, type Outcome, outcomeOf } from '../../../src/run/write/outcome.ts';
import {
  databaseSays,
  execution,
  refusal,
  selfReferring,
  writeContext,
  type Ends,
} from '../fakes.ts';

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
