import { describe, expect, test } from 'vitest';
import { type ErrorName, ProtocolError } from '../../../src/base/errors.ts';
import type { RowHash } from '../../../src/base/row-hash.ts';
import { noObserver } from '../../../src/base/observe/observer.ts';
import type { WriteObserver } from '../../../src/base/observe/writes.ts';
import { stampReader } from '../../../src/run/run.ts';
import { Refused, type WriteContext } from '../../../src/run/write/attempt.ts';
import {
  deletedRow,
  failed,
  isFailed,
  type Outcome,
  outcomeOf,
} from '../../../src/run/write/outcome.ts';
import {
  allOrNone,
  dryRun,
  reportOn,
  writeAllOrNone,
  writeIndependently,
  type WriteItem,
} from '../../../src/run/write/transactions.ts';
import type { Reader } from '../../../src/sql/ir/statement.ts';
import { parsed, rows } from '../../rows.ts';
import { databaseSays, execution, refusal, selfReferring, writeContext } from '../fakes.ts';

function items(count: number): WriteItem[] {
  return Array.from({ length: count }, (_, index) => ({ index, key: [String(index)] }));
}

const brokenRule = (message: string): ProtocolError => new ProtocolError('brokenRule', message);

/** How the transactions end that do not simply succeed, by what the database says then, in their order. */
type Ends = readonly (Partial<Record<'begin' | 'commit', ErrorName | 'FK_OWNER'>> | null)[];

function endsOf(ends: Ends): Parameters<typeof execution>[0] {
  const errorOf = (name: ErrorName | 'FK_OWNER'): Error =>
    name === 'FK_OWNER' ? refusal({ rule: 'constraint', names: [name] }) : databaseSays(name);
  return ends.map((end) => ({
    ...(end?.begin && { begin: errorOf(end.begin) }),
    ...(end?.commit && { commit: errorOf(end.commit) }),
  }));
}

/** Deletes that the database refuses for some of the items. @returns how large each transaction was, and what was done */
async function deleteSome(
  given: readonly WriteItem[],
  wrong: readonly number[],
  ends: Ends = [],
): Promise<{ readonly sizes: readonly number[]; readonly outcomes: readonly Outcome[] }> {
  const sizes: number[] = [];
  const context = writeContext('delete', false);
  const outcomes = await writeIndependently(given, context, execution(endsOf(ends)), (some) => {
    sizes.push(some.length);
    const bad = some.find(({ index }) => wrong.includes(index));
    if (bad !== undefined) throw new Refused(brokenRule(`Not ${bad.index}.`));
    return Promise.resolve(some.map((one) => outcomeOf('deleted', one)));
  });
  return { sizes, outcomes };
}

/** What became of each element; those that are told the same are told together: `0-9: done`. */
function told(outcomes: readonly Outcome[]): string[] {
  const texts = outcomes.map((outcome) =>
    isFailed(outcome)
      ? outcome.failure.error
          .toItems()
          .map(({ message }) => message.replace(`Thing(${outcome.index})`, 'It'))
          .join(' ')
      : 'done',
  );
  const begins = [...texts.keys()].filter((at) => texts[at] !== texts[at - 1]);
  return begins.map((at, n) => {
    const last = (begins[n + 1] ?? texts.length) - 1;
    return `${at === last ? at : `${at}-${last}`}: ${texts[at]}`;
  });
}

describe('elements that stand alone', () => {
  const halves = '8, 4, 2, 2, 1, 1, 4, 2, 2, 1, 1';

  test.each(rows`
    3    | a transaction                         | []     | []                               | [3]               | 0-2: done
    2500 | a thousand each                       | []     | []                               | [1000, 1000, 500] | 0-2499: done
    8    | halves where some are refused         | [2, 7] | []                               | [${halves}]       | 0-1: done | 2: Not 2. | 3-6: done | 7: Not 7.
    2    | halves where the commit is refused    | []     | [{commit: FK_OWNER}, null, {commit: FK_OWNER}] | [2, 1, 1]
      | 0: done | 1: The entity of Thing is still referred to by others. It was not deleted.
    3    | the same again behind a deadlock      | []     | [{begin: deadlock}, {begin: deadlock}] | [3] | 0-2: done
    3000 | nothing more of a database that is lost | []   | [null, {begin: databaseUnavailable}] | [1000]
      | 0-999: done | 1000-1999: It says databaseUnavailable. It was not deleted.
      | 2000-2999: The database was lost while the request was served: this was not tried. Try again later. It was not deleted.
    3000 | no halves while it is overloaded      | []     | [null, {commit: databaseUnable}] | [1000, 1000]      | 0-999: done | 1000-2999: It says databaseUnable. It was not deleted.
    3000 | no halves where a lock is waited for  | []     | [null, {commit: rowLockTimeout}] | [1000, 1000]      | 0-999: done | 1000-2999: It says rowLockTimeout. It was not deleted.
    8    | no more halves then                   | [2]    | [null, null, null, {begin: databaseUnable}] | [8, 4, 2] | 0-1: done | 2-7: It says databaseUnable. It was not deleted.
    1001 | nobody knows whether they were made   | []     | [null, {commit: outcomeUnknown}] | [1000, 1]         | 0-999: done | 1000: It says outcomeUnknown.
    1002 | no halves of what takes too long      | []     | [null, {commit: statementTimeout}] | [1000, 2]       | 0-999: done | 1000-1001: It says statementTimeout. It was not deleted.
  `)('%s share %s', async (count, _, wrong, ends, sizes, ...expected) => {
    const given = items(Number(count));
    const { outcomes, ...found } = await deleteSome(given, parsed(wrong), parsed(ends));
    expect([found.sizes, told(outcomes)]).toEqual([parsed(sizes), expected]);
    expect(outcomes.map(({ index }) => index)).toEqual(given.map(({ index }) => index));
  });

  test.each<Ends[number]>([{ commit: 'databaseUnable' }, { begin: 'databaseUnavailable' }])(
    'of which nothing was done fail as a whole: %j',
    async (end) => {
      const [name = ''] = Object.values(end ?? {});
      await expect(deleteSome(items(2000), [], [end])).rejects.toThrow(`It says ${name}.`);
    },
  );

  test('that are all refused are not tried for ever', async () => {
    const given = items(2000);
    const all = given.map(({ index }) => index);
    const { sizes, outcomes } = await deleteSome(given, all);
    expect(sizes).toHaveLength(1000);
    const notTried = ProtocolError.of('tooManyRefused').message;
    const texts = told(outcomes);
    expect(texts).toHaveLength(501);
    expect(texts.slice(0, -1)).toEqual(all.slice(0, 500).map((at) => `${at}: Not ${at}.`));
    expect(texts.at(-1)).toBe(`500-1999: ${notTried} It was not deleted.`);
  });

  const relation = { name: 'parts', kind: 'relatedEntities', target: selfReferring } as const;

  test('count with those within them, and go alone where these are more than a thousand', async () => {
    const given = [499, 499, 0, 1500, 998, 0].map((count, index): WriteItem => {
      const entities = items(count).map((item) => ({ ...item, nested: [] }));
      return { index, key: null, nested: [{ relation, entities }] };
    });
    expect((await deleteSome(given, [])).sizes).toEqual([2, 1, 1, 2]);
  });

  test('are tried once more, all of it apart, where one with others within it is refused', async () => {
    const given = items(3).map((item) => ({
      ...item,
      nested: item.index === 0 ? [{ relation, entities: [{ index: 0, key: ['7'] }] }] : [],
    }));
    const tried: unknown[] = [];
    const outcomes = await writeIndependently(
      given,
      writeContext('save', false),
      execution([]),
      (some, { oneByOne }) => {
        tried.push([some.map(({ index }) => index), oneByOne]);
        if (some.some(({ index }) => index === 0)) {
          const error = brokenRule(oneByOne ? 'Which.' : 'One of them.');
          throw new Refused(error, oneByOne ? [failed({ index: 0, key: ['0'] }, error)] : []);
        }
        return Promise.resolve(some.map((one) => outcomeOf('deleted', one)));
      },
    );
    expect(told(outcomes)).toEqual(['0: Which.', '1-2: done']);
    expect(tried).toEqual([
      [[0, 1, 2], false],
      [[0], false],
      [[0], true],
      [[1, 2], false],
    ]);
  });

  test('are not tried by halves where the database refuses a statement, whatever they hold', async () => {
    const sizes: number[] = [];
    const context = writeContext('delete', false);
    const outcomes = await writeIndependently(items(4), context, execution([]), (some) => {
      sizes.push(some.length);
      const odd = some.filter(({ index }) => index % 2 === 1);
      const not = odd.map((item) => failed(item, brokenRule(`Not ${item.index}.`)));
      if (odd.length > 0) throw new Refused(brokenRule('Not 1.'), not);
      return Promise.resolve(some.map((one) => outcomeOf('deleted', one)));
    });
    expect(told(outcomes)).toEqual(['0: done', '1: Not 1.', '2: done', '3: Not 3.']);
    expect(sizes).toEqual([4, 2]);
  });
});

describe('all or none', () => {
  test.each(rows`
    save   | never | false | deadlock    | false, false | | deadlock, and again
    save   | once  | false |             | false, true  | | together, and apart to name the one
    save   | ever  | true  |             | false, true  | 9015 One of them. | together and apart
    delete | ever  | true  |             | false, true  | 9015 One of them. | by another rule
    delete | of references | true |      | false        | 1120 One of them. | as its rows refer to each other
  `)('%s refused %s, self-referring: %s', async (kind, refused, isSelf, end, attempts, message) => {
    const tried: boolean[] = [];
    const context = writeContext(
      kind as WriteContext['kind'],
      true,
      isSelf === 'true' ? selfReferring : undefined,
    );
    const ends: Ends = end === '' ? [] : [{ commit: end as ErrorName }];
    const work = allOrNone(context, execution(endsOf(ends)), ({ oneByOne }) => {
      tried.push(oneByOne);
      const name = refused === 'of references' ? 'brokenReference' : 'brokenRule';
      const reason = new ProtocolError(name, 'One of them.');
      return refused === 'never' || (refused === 'once' && oneByOne)
        ? Promise.resolve()
        : Promise.reject(new Refused(reason, [], reason));
    });
    const [first] = await complaint(work);
    expect([tried.join(', '), first ?? '']).toEqual([attempts, message]);
  });

  /** What the client of a request is told, with the codes; nothing where it succeeds. */
  async function complaint(work: Promise<unknown>): Promise<readonly string[]> {
    const items = await work.then(
      () => [],
      (error: unknown) => (error as ProtocolError).toItems(),
    );
    return items.map(({ errCode, message }) => `${errCode} ${message}`);
  }

  test.each(rows`
    save   | {commit: FK_OWNER}               | 1120 A value of Thing refers to an entity that does not exist. | 1046 Nothing of the request was saved.
    delete | {commit: FK_OWNER}               | 1120 The entity of Thing is still referred to by others. | 1518 Nothing of the request was deleted.
    save   | {begin: databaseUnavailable} | 9002 It says databaseUnavailable.
    save   | {begin: rowLockTimeout}      | 9021 It says rowLockTimeout.
  `)('a %s that ends with %s says so', async (kind, end, ...expected) => {
    const ends = endsOf([parsed(end)]);
    const context = writeContext(kind as WriteContext['kind'], true);
    expect(await complaint(allOrNone(context, execution(ends), () => Promise.resolve()))).toEqual(
      expected,
    );
  });
});

describe('an audit log', () => {
  /** Writes items, and tells what is heard of them: a list for each time. */
  async function heardOf(count: number, atomic: boolean, ends: Ends): Promise<unknown[][]> {
    const heard: unknown[][] = [];
    const writes: Pick<WriteObserver, 'wantsValues' | 'entitiesWritten' | 'entitiesRefused'> = {
      wantsValues: () => false,
      entitiesWritten: (_, some) => heard.push(some.map(({ key }) => key)),
      entitiesRefused: (_, some) =>
        heard.push(some.map(({ action, key, error }) => `${action} ${key} ${error.errorName}`)),
    };
    const plain = execution(endsOf(ends));
    const activity = {
      ...plain.activity,
      observer: { ...noObserver, writes: writes as WriteObserver },
    };
    const context = writeContext('delete', atomic);
    const report = reportOn(activity, context);
    const write = atomic ? writeAllOrNone : writeIndependently;
    await write(items(count), { ...context, report }, { ...plain, activity }, (some) =>
      Promise.resolve(
        some.map((item) => ({ ...outcomeOf('deleted', item), written: deletedRow(null) })),
      ),
    ).catch(() => undefined);
    return heard;
  }

  test('is told that nobody knows of what may have been committed', async () => {
    const lost = { commit: 'outcomeUnknown' } as const;
    const [done, unknown] = await heardOf(2001, false, [null, lost]);
    expect([done?.length, unknown?.length, unknown?.slice(-2)]).toEqual([
      ...[1000, 1001],
      ['delete 1999 outcomeUnknown', 'delete 2000 databaseUnavailable'],
    ]);
    expect(await heardOf(1, false, [lost])).toEqual([['delete 0 outcomeUnknown']]);
    expect(await heardOf(1, true, [lost])).toEqual([['delete 0 outcomeUnknown']]);
    expect(await heardOf(1, true, [{ begin: 'databaseUnavailable' }])).toEqual([]);
  });
});

test('a dry run ends after so many attempts, and says so of the elements that are left', async () => {
  let tries = 0;
  const context = writeContext('save', false);
  const result = await dryRun(items(1000), context, execution([]), (some, refused) => {
    tries += 1;
    if (some.length > 0) throw new Refused(brokenRule('Not so.'));
    return Promise.resolve(refused.map(({ failure }) => failure.error.errorName));
  });
  expect([tries < 1000, result.length, new Set(result)]).toEqual([
    ...[true, 1000],
    new Set(['brokenRule', 'tooManyRefused']),
  ]);
});

test('what a dry run accepts shares its statements with what is tried, and the one that is refused is told of as itself', async () => {
  const tries: string[] = [];
  const context = writeContext('save', false);
  const result = await dryRun(items(8), context, execution([]), (some, refused) => {
    tries.push(some.map(({ index }) => index).join(''));
    if (some.some(({ index }) => index % 4 === 2)) {
      const reason = brokenRule('Not so.');
      const message = `Thing(${some[0]?.index}) was not saved.`;
      throw new Refused(reason.leadingTo({ errorName: 'entityNotSaved', message }), [], reason);
    }
    return Promise.resolve({ saved: some.map(({ index }) => index), refused: told(refused) });
  });
  expect(result.saved).toEqual([0, 1, 3, 4, 5, 7]);
  // Each by its own key, and not by the first one's that it was tried with.
  expect(result.refused).toEqual(['0-1: Not so. It was not saved.']);
  expect(tries).toEqual([
    ...['01234567', '0123', '01', '0123', '012', '2', '013', '0134567', '01345'],
    ...['0134567', '013456', '6', '013457'],
  ]);
});

const reader: Reader = { json: (value) => JSON.stringify(value), text: (value) => String(value) };

test.each([
  [53, 2 ** 53 - 1, '9007199254740991'],
  [53, 0, '9007199254740991'],
  [31, 2 ** 31 + 7, '7'],
  [31, 3 * 2 ** 31, '2147483647'],
] as const)(
  'a hash in %i bits: %i is %s, of columns in their order, as text and null',
  (bits, end, stamp) => {
    const hashed: unknown[] = [];
    const hash: RowHash = {
      begin: () => hashed.push('begin'),
      addNull: () => hashed.push(null),
      addText: (text) => hashed.push(text),
      addBytes: () => hashed.push('bytes'),
      end: () => end,
    };
    const columns = [2, 0, 1];
    const read = stampReader({ kind: 'hash', columns, hash, bits }, [reader, reader, reader]);
    expect(read(['a', null, 7])).toBe(stamp);
    expect(hashed).toEqual(['begin', '7', 'a', null]);
  },
);
