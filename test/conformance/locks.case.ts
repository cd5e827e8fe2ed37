import { expect } from 'vitest';
import { addressOf, type Made, type WriteClient } from './write-client.ts';
import { changedRow, errors, saved } from './write-oracle.ts';
import { category, country, employee } from './write-samples.ts';
import type { WriteCase } from './write-suite.ts';

const DONE = { result: true, __STATUS: { success: true } };

/** A lock that was not had (§7). */
function refused(status: number, statusText: string, more: object = {}): object {
  return { result: false, __STATUS: { success: false, status, statusText, ...more } };
}

/** The status of a lock that could be taken. */
function available(own: boolean): object {
  return { result: true, __STATUS: { success: true, own, lost: false } };
}

/** Locks an entity for a new session. @returns the header by which the session is named */
async function lock(rest: WriteClient, entity: string): Promise<Record<string, string>> {
  const answer = await rest.answers({ method: 'GET', url: `${entity}?$lock=true` }, DONE);
  return { 'entitygate-session': String(answer.headers['entitygate-session']) };
}

/** By whom a lock is held, as others are told. */
function held(recordNumber: number): object {
  return refused(3, 'Already locked', {
    lockKind: 7,
    lockKindText: 'Locked by session',
    lockInfo: {
      host: expect.stringMatching(/^127\.0\.0\.1:\d+$/) as string,
      IPAddr: '127.0.0.1',
      recordNumber,
      userAgent: '',
    },
  });
}

const made = (rest: WriteClient): Promise<Made> => rest.create('Employee', employee(rest));

/** Locks of entities (§3.2, §4.12): each client that names no session is another one. */
export const writes: readonly WriteCase[] = [
  {
    title: '§4.12 lock and unlock by one session',
    run: async (rest) => {
      const { dataclass, row } = await made(rest);
      const url = addressOf(dataclass, row);
      const headers = await lock(rest, url);
      await rest.answers({ method: 'GET', url: `${url}?$lock=true`, headers }, DONE);
      await rest.answers({ method: 'GET', url: `${url}?$lock=false`, headers }, DONE);
      await lock(rest, url);
    },
  },
  {
    title: '§4.12 lock by a unique attribute, and of a key of text',
    run: async (rest) => {
      const employed = await made(rest);
      await lock(rest, `Employee:email(ada${rest.number}@case.example)`);
      const url = addressOf(employed.dataclass, employed.row);
      await rest.answers({ method: 'GET', url: `${url}?$lock=true` }, held(Number(employed.key)));
      const text = await rest.create('Category', category(rest));
      await lock(rest, addressOf(text.dataclass, text.row));
      await rest.answers(
        { method: 'GET', url: `${addressOf(text.dataclass, text.row)}?$lock=true` },
        held(0),
      );
    },
  },
  {
    title: '§3.2 lock and unlock by another session are refused',
    run: async (rest) => {
      const { dataclass, row, key } = await made(rest);
      const url = addressOf(dataclass, row);
      await lock(rest, url);
      for (const wanted of [true, false]) {
        await rest.answers({ method: 'GET', url: `${url}?$lock=${wanted}` }, held(Number(key)));
      }
    },
  },
  {
    title: '§3.2 update and delete by another session are refused, and by the same one are not',
    run: async (rest) => {
      const entity = await made(rest);
      const { dataclass, row, key, stamp } = entity;
      const url = addressOf(dataclass, row);
      const headers = await lock(rest, url);
      const name = `Employee(${key})`;
      const locked = [9025, `${name} is locked by another session.`] as const;
      const update = {
        url: 'Employee?$method=update',
        body: { __KEY: key, __STAMP: stamp, grade: 5 },
      };
      const atomic = { ...update, url: 'Employee?$atomic=true' };
      await rest.answers(
        atomic,
        errors([
          [9025, `Element 0 of the body, ${name}: ${name} is locked by another session.`],
          [1517, `${name} was not saved.`],
          [1046, 'Nothing of the request was saved.'],
        ]),
        409,
      );
      await rest.answers(
        { method: 'DELETE', url },
        errors([locked, [1518, `${name} was not deleted.`]]),
        409,
      );
      const filter = encodeURIComponent(`ID = ${key}`);
      await rest.answers(
        { url: `Employee?$filter="${filter}"&$method=delete` },
        errors([locked, [1518, 'No entity of Employee was deleted.']]),
        409,
      );
      await rest.reads(entity);
      await rest.answers(
        { ...update, headers },
        saved('Employee', changedRow('Employee', row, { grade: 5 })),
      );
      await rest.answers({ method: 'DELETE', url, headers }, { ok: true });
      await rest.gone(entity);
    },
  },
  {
    title: '§4.12 the status of a lock takes nothing: free, the session’s own, another session’s',
    run: async (rest) => {
      const { dataclass, row, key, stamp } = await made(rest);
      const url = addressOf(dataclass, row);
      const status = { method: 'GET', url: `${url}?$lock=status` };
      const asked = await rest.answers(status, available(false));
      expect(asked.headers['entitygate-session']).toBeUndefined();
      const headers = await lock(rest, url);
      await rest.answers({ ...status, headers }, available(true));
      await rest.answers(status, held(Number(key)));
      await rest.answers({ method: 'GET', url: `${url}?$lock=false`, headers }, DONE);
      await rest.answers({ ...status, headers }, available(false));
      const other = Number(stamp) + 1;
      await rest.answers(
        { method: 'GET', url: `${url}?$lock=status&__STAMP=${other}` },
        refused(2, 'Stamp has changed'),
      );
      await lock(rest, url);
    },
  },
  {
    title: '§7 lock with another stamp: status 2; with the present one it is had',
    run: async (rest) => {
      const { dataclass, row, stamp } = await made(rest);
      const url = addressOf(dataclass, row);
      const other = Number(stamp) + 1;
      await rest.answers(
        { method: 'GET', url: `${url}?$lock=true&__STAMP=${other}` },
        refused(2, 'Stamp has changed'),
      );
      await lock(rest, url);
      const second = await rest.create('Country', country(rest));
      await rest.answers(
        {
          method: 'GET',
          url: `${addressOf(second.dataclass, second.row)}?$lock=true&__STAMP=${String(second.stamp)}`,
        },
        DONE,
      );
    },
  },
  ...(
    [
      ['lock', true],
      ['unlock', false],
      ['lock status', 'status'],
    ] as const
  ).map(([what, wanted]): WriteCase => ({
    title: `§7 ${what} of an entity that is not there: status 5`,
    run: async (rest) => {
      await rest.answers(
        { method: 'GET', url: `Employee(99999)?$lock=${wanted}` },
        refused(5, 'Entity does not exist'),
      );
    },
  })),
  {
    title: '§4.12 $lock is for one entity, by GET',
    run: async (rest) => {
      for (const url of ['Employee', 'Employee(1,2)', 'Employee(1)/employer']) {
        await rest.refuses(
          { method: 'GET', url: `${url}?$lock=true` },
          400,
          1813,
          '$lock is for one entity: expected /rest/Employee(key)?$lock=true.',
        );
      }
      await rest.refuses(
        { method: 'GET', url: 'Employee(1)?$lock=maybe' },
        400,
        1806,
        'The value of $lock is "maybe"; expected true, false or status. (at position 1 of $lock)',
      );
      await rest.refuses(
        { method: 'GET', url: 'Employee(1)?$lock=true&$top=3' },
        400,
        1813,
        '$top does not apply to a lock. (at position 30 of the URL)',
      );
      expect((await rest.send({ method: 'HEAD', url: 'Employee(1)?$lock=true' })).status).toBe(405);
    },
  },
];
