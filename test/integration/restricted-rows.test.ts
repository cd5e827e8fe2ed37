import { describe, expect, test } from 'vitest';
import { query } from '../targets/sql.ts';
import { makeSet } from './sets.ts';
import { onEngines, type Served } from './shapes/engines.ts';
import { byRole, byRoleOverRelations, overRelations, shape } from './shapes/restricted.ts';

type Answer = Readonly<Record<string, unknown>> | null;

/** How many entities a collection says that it has, and the ids of those that it holds. */
function told(collection: unknown): unknown {
  const { __COUNT: count, __ENTITIES: entities } = collection as {
    readonly __COUNT: number;
    readonly __ENTITIES: readonly Readonly<Record<string, unknown>>[];
  };
  return [count, ...entities.map((entity) => entity['id'] ?? entity['__KEY'])];
}

const member = (personId: number, taskId: number): string => JSON.stringify({ personId, taskId });

function restricted(served: Served): void {
  const get = async (url: string): Promise<Answer> => (await served.get(url))[1] as Answer;

  describe('are in no collection', () => {
    test.each([
      ['Person', [3, 1, 3, 4]],
      ['Person?$top=1', [3, 1]],
      ['Person?$top=0', [3]],
      ['Person(1,2,3)', [2, 1, 3]],
      ['Country', [1, 1]],
      ['Member(1;1,2;1,3;1)', [2, member(1, 1), member(2, 1)]],
      [`Person?$filter="name begin 'B' or name begin 'C'"`, [1, 3]],
      ['Person?$filter="not(name = Ann)"', [2, 3, 4]],
      ['Task?$filter="owner.name is null"', [2, 2, 3]],
      ['Task?$filter="owner.country.code = FR"', [1, 1]],
      ['Person?$filter="country.code = SU"', [0]],
      ['Task?$filter="people.name = Ben"', [0]],
      ['Task?$filter="people.name = Cal"', [0]],
      ['Task?$filter="people.name = Ann"', [1, 1]],
      ['Task?$filter="members.person.name is null"', [1, 1]],
      [`Country?$filter="people.name begin 'B'"`, [0]],
      ['Person?$orderby=boss.name,id', [3, 1, 3, 4]],
      ['Task(1)/people', [2, 1, 4]],
      ['Task(2)/people', [1, 4]],
      ['Person(1)/tasks', [1, 1]],
      ['Country(1)/people', [1, 1]],
    ])('%s', async (url, expected) => {
      expect(told(await get(url))).toEqual(expected);
    });
  });

  describe('cannot be addressed', () => {
    test.each(['Person(2)', 'Person(2)/country', `Person:email('ben@x')`, 'Country(2)/people'])(
      '%s',
      async (url) => {
        expect(await served.get(url)).toMatchObject([404, { __ERROR: [{ errCode: 1543 }] }]);
      },
    );
  });

  test.each(['Task(2)/owner', 'Person(3)/country', 'Person(3)/boss/country'])(
    'are null at the end of a path: %s',
    async (url) => {
      expect(await served.get(url)).toEqual([200, null]);
    },
  );

  describe('are null where a relation to one leads to them', () => {
    test.each([
      ['Task(2)', { owner: null }],
      ['Task(1)', { owner: { __deferred: { uri: '/rest/Person(1)', __KEY: '1' } } }],
      ['Person(3)', { country: null, boss: null }],
      ['Task(2)?$expand=owner', { owner: null }],
      ['Task(1)?$expand=owner', { owner: { id: 1, name: 'Ann' } }],
      ['Person(3)?$attributes=boss.name,country.code', { boss: null, country: null }],
      ['Person(4)?$attributes=boss.name', { boss: { name: 'Ann' } }],
    ])('%s', async (url, expected) => {
      expect(await get(url)).toMatchObject(expected);
    });
  });

  describe('are neither listed nor counted where a relation to many leads to them', () => {
    test.each([
      ['Task(1)?$expand=people', 'people', [2, 1, 4]],
      ['Task(1)?$expand=members', 'members', [3, member(1, 1), member(2, 1), member(4, 1)]],
      ['Task(2)?$attributes=people.id', 'people', [1, 4]],
      ['Country(1)?$expand=people', 'people', [1, 1]],
    ])('%s', async (url, relation, expected) => {
      expect(told((await get(url))?.[relation])).toEqual(expected);
    });
  });

  describe('are in no entity set', () => {
    const make = async (path: string): Promise<string> =>
      (await makeSet(served.gateway, path)).replace('/rest/', '');

    test.each([
      ['Person?$method=entityset', [3, 1, 3, 4]],
      ['Person(1,2,3)?$method=entityset', [2, 1, 3]],
      ['Person?$filter="not(name = Ann)"&$method=entityset', [2, 3, 4]],
      [
        'Member?$orderby="personId desc"&$method=entityset',
        [4, member(4, 1), member(4, 2), member(2, 1), member(1, 1)],
      ],
      ['Task(1)/people?$expand=people&$method=subentityset', [2, 1, 4]],
      ['Task(2)/people?$method=entityset', [1, 4]],
      ['Task(2)/owner?$method=subentityset', [0]],
    ])('%s', async (path, expected) => {
      expect(told(await get(await make(path)))).toEqual(expected);
    });

    test('nor is there one of the key of one of them', async () => {
      expect(await served.get('Person(2)?$method=entityset')).toMatchObject([
        404,
        { __ERROR: [{ errCode: 1543 }] },
      ]);
    });

    test('a row that leaves its dataclass is a deleted entity, and is left alone by a delete', async () => {
      const set = await make('Note?$method=entityset');
      expect(told(await get(set))).toEqual([3, 1, 3, 4]);
      const answer = async (query = ''): Promise<unknown> => {
        const { __COUNT: count, __ENTITIES: entities } = (await get(`${set}${query}`)) as {
          __COUNT: number;
          __ENTITIES: readonly { id?: number; __STAMP: number }[];
        };
        return [count, ...entities.map(({ id, __STAMP }) => (__STAMP === 0 ? null : id))];
      };
      await served.run('UPDATE app.note SET valid_to = 2021 WHERE id = 3');
      expect(await answer()).toEqual([3, 1, null, 4]);
      expect(await answer('?$filter="id>0"')).toEqual([2, 1, 4]);
      expect(await answer('?$orderby="id desc"')).toEqual([3, 4, 1, null]);
      expect(await answer('?$clean=true')).toEqual([2, 1, 4]);
      const some = await make('Note(3,4)?$method=entityset');
      expect(told(await get(some))).toEqual([1, 4]);
      await served.run('INSERT INTO app.note VALUES (20, 9, NULL)');
      const both = await make('Note(20)?$method=entityset');
      expect(told(await get(both))).toEqual([1, 20]);
      await served.run('UPDATE app.note SET valid_to = 2021 WHERE id = 20');
      expect(await served.post(`${both}?$method=delete`)).toEqual([200, { ok: true }, 0]);
      const rows = await query(served.gateway.database, 'SELECT id FROM app.note WHERE id = 20');
      expect(rows).toHaveLength(1);
      await served.run('DELETE FROM app.note WHERE id = 20');
      await served.run('UPDATE app.note SET valid_to = 9999 WHERE id = 3');
      expect(await answer()).toEqual([3, 1, 3, 4]);
    });
  });

  describe('are written by nobody', () => {
    const missing = { errCode: 1542, message: 'There is no entity Person(2).' };

    test('updates', async () => {
      expect(await served.post('Person', { __KEY: 2, __STAMP: 1, name: 'x' })).toMatchObject([
        404,
        { __ERROR: [missing] },
      ]);
      expect(
        await served.post(`Person:email('ben@x')?$method=update&$atomic=true`, { name: 'x' }),
      ).toMatchObject([404, { __ERROR: [{ errCode: 1542 }, {}] }]);
    });

    test('deletes by key', async () => {
      expect(await served.delete('Person(2)')).toMatchObject([404, { __ERROR: [missing] }]);
      expect(await served.post('Person?$method=delete', [{ __KEY: 2 }])).toMatchObject([
        200,
        { ok: false, __ENTITIES: [{ __ERROR: [missing] }] },
      ]);
    });

    test('a save that would leave one behind', async () => {
      const outside = (entity: string): string =>
        `${entity} cannot be saved with these values: it would not be among the entities of Note, which are some of the rows of its table.`;
      const kept = await get('Note(3)');
      const { __STAMP } = kept ?? {};
      expect(await served.post('Note', { id: 7, validTo: 2020 })).toMatchObject([
        422,
        {
          __ERROR: [{ errCode: 1046, message: outside('A new entity of Note') }, { errCode: 1534 }],
        },
      ]);
      const leaves = { __KEY: 3, __STAMP, validTo: 2020 };
      expect(await served.post('Note', leaves)).toMatchObject([
        422,
        { __ERROR: [{ errCode: 1046, message: outside('Note(3)') }, { errCode: 1517 }] },
      ]);
      expect(await served.post('Note', [{ id: 8, validTo: 9999 }, leaves])).toMatchObject([
        200,
        { __ENTITIES: [{ id: 8 }, { __ERROR: [{ errCode: 1046 }, { errCode: 1517 }] }] },
      ]);
      expect(await served.post('Note?$atomic=true', [{ id: 9 }, leaves])).toMatchObject([
        422,
        { __ERROR: [{ errCode: 1046 }, { errCode: 1517 }, { errCode: 1046 }] },
      ]);
      expect(await get('Note(3)')).toEqual(kept);
      expect(told(await get('Note?$filter="id > 6"'))).toEqual([1, 8]);
      expect(await served.delete('Note(8)')).toEqual([200, { ok: true }]);
    });

    test('deletes by filter', async () => {
      const url = 'Note?$filter="person.name != Cal or id > 0"&$method=delete';
      const notes = () => query(served.gateway.database, 'SELECT id FROM app.note ORDER BY id');
      const before = await notes();
      const answer = await served.post(url);
      const rows = await notes();
      expect(answer).toEqual([200, { ok: true }, before.length - rows.length]);
      expect(rows.map(([id]) => Number(id))).toEqual([2, 5, 6]);
    });

    test('a relation to one of them that is sent back as it was read, which is null', async () => {
      const database = served.gateway.database;
      const owners = async (): Promise<unknown[]> =>
        (await query(database, 'SELECT owner_id FROM app.task ORDER BY id')).map(([owner]) =>
          owner === null ? null : Number(owner),
        );
      const before = await owners();
      expect(before).toEqual([1, 2, null]);
      const task = await get('Task(2)');
      expect(task).toMatchObject({ owner: null });
      expect(await served.post('Task', { ...task, title: 'sent back' })).toMatchObject([
        200,
        { title: 'sent back', owner: null, __STATUS: { success: true } },
      ]);
      const both = [await get('Task(1)'), await get('Task(2)')];
      const cleared = both.map((entity) => ({ ...entity, owner: null, members: undefined }));
      expect(await served.post('Task', cleared)).toMatchObject([
        200,
        { __ENTITIES: [{ owner: null }, { owner: null }] },
      ]);
      expect(await owners()).toEqual([null, 2, null]);
      const { __STAMP } = (await get('Task(1)')) ?? {};
      await served.post('Task', { __KEY: 1, __STAMP, owner: 1 });
      expect(await owners()).toEqual(before);
    });

    test('not even told by the key of one that an entity refers to already', async () => {
      const { __STAMP } = (await get('Task(2)')) ?? {};
      expect(await get('Task(2)')).toMatchObject({ owner: null });
      for (const owner of [2, '2', { __KEY: '2' }, 99]) {
        for (const query of ['', '?$refresh=true', '?$atomic=true']) {
          const [status, body] = await served.post(`Task${query}`, { __KEY: 2, __STAMP, owner });
          const [first] = (body as { __ERROR?: { errCode: number }[] }).__ERROR ?? [];
          expect([status, first]).toMatchObject([409, { errCode: 1120 }]);
        }
      }
    });

    test('relations to them', async () => {
      const broken = {
        errCode: 1120,
        message: 'Task.owner refers to an entity that does not exist: there is no Person(2).',
      };
      expect(await served.post('Task', { id: 7, title: 't', owner: 2 })).toMatchObject([
        409,
        { __ERROR: [broken, { errCode: 1534 }] },
      ]);
      const { __STAMP } = (await get('Task(3)')) ?? {};
      expect(await served.post('Task', { __KEY: 3, __STAMP, owner: 2 })).toMatchObject([
        409,
        { __ERROR: [broken, { errCode: 1517 }] },
      ]);
      expect(await served.post('Task', { id: 7, title: 't', ownerId: 2 })).toMatchObject([
        409,
        { __ERROR: [broken, { errCode: 1534 }] },
      ]);
      expect(await served.post('Task', { __KEY: 3, __STAMP, ownerId: 2 })).toMatchObject([
        409,
        { __ERROR: [broken, { errCode: 1517 }] },
      ]);
      const nowhere = { ...broken, message: broken.message.replace('(2)', '(99)') };
      expect(await served.post('Task', { __KEY: 3, __STAMP, ownerId: 99 })).toMatchObject([
        409,
        { __ERROR: [nowhere, { errCode: 1517 }] },
      ]);
      const hidden = (await get('Task(2)')) ?? {};
      expect(hidden).toMatchObject({ ownerId: 2, owner: null });
      expect(await served.post('Task', { ...hidden, title: 'kept' })).toMatchObject([
        200,
        { title: 'kept', ownerId: 2 },
      ]);
      expect(await served.post('Task?$atomic=true', [{ ...hidden, ownerId: 3 }])).toMatchObject([
        409,
        { __ERROR: [{ errCode: 1263 }, { errCode: 1517 }, { errCode: 1046 }] },
      ]);
      expect(await served.post('Task', { __KEY: 3, __STAMP, owner: 1 })).toMatchObject([
        200,
        { owner: { __deferred: { __KEY: '1' } } },
      ]);
    });
  });
}

onEngines('rows that a where leaves out', shape, restricted);
// What a role leaves out goes by the same way; the embedded engine stands for PostgreSQL.
onEngines('rows that a role leaves out', byRole, restricted, ['postgres']);
onEngines('rows that a role leaves out over relations', byRoleOverRelations, restricted);
onEngines('rows that a where over relations leaves out', overRelations, restricted, ['postgres']);
