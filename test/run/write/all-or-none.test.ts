import { describe, expect, test } from 'vitest';
import { ProtocolError } from '../../../src/base/errors.ts';
import { allOrNone } from '../../../src/run/write/transactions.ts';
import { Refused, type WriteContext } from '../../../src/run/write/attempt.ts';
import {
  databaseSays,
  execution,
  refusal,
  selfReferring,
  writeContext,
  type Ends,
} from '../fakes.ts';

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
async function complaint(work: Promise<unknown>): Promise<readonly (readonly [number, string])[]> {
  const error: unknown = await work.catch((thrown: unknown) => thrown);
  if (!(error instanceof ProtocolError)) throw new Error('it did not fail');
  return error.toItems().map(({ errCode, message }) => [errCode, message]);
}

describe('all or none', () => {
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
