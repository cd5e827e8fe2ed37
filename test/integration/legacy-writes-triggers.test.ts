import { expect, test } from 'vitest';
import { errors, notCreated, notUpdated, onEngines, refused, saved } from './shapes/engines.ts';
import { before, filled, shape } from './shapes/written-triggers.ts';

onEngines('triggers', shape, (served) => {
  const stampOf = async (path: string): Promise<number> => {
    const [, body] = await served.get(path);
    return (body as { __STAMP: number }).__STAMP;
  };

  test('the answer shows what a trigger did to the row, and its stamp is the one to come back with', async () => {
    const first = saved('Touched', '1', { id: 1, name: 'a', changes: 2 }, 2);
    expect(await served.post('Touched', { name: 'a' })).toEqual([200, first]);
    const second = saved('Touched', '1', { id: 1, name: 'b', changes: 4 }, 4);
    expect(await served.post('Touched', { __KEY: 1, __STAMP: 2, name: 'b' })).toEqual([
      200,
      second,
    ]);
    expect(await served.post('Touched', { __KEY: 1, __STAMP: 2, name: 'c' })).toMatchObject([
      409,
      { __STATUS: { status: 2 }, __STAMP: 4, name: 'b' },
    ]);
  });

  test('an identity that a trigger makes elsewhere is not taken for the key', async () => {
    expect(await served.post('Journaled', { name: 'a' })).toEqual([
      200,
      saved('Journaled', '5', { id: 5, name: 'a' }),
    ]);
    const __STAMP = await stampOf('Journaled(5)');
    expect(await served.post('Journaled', { __KEY: 5, __STAMP, name: 'b' })).toEqual([
      200,
      saved('Journaled', '5', { id: 5, name: 'b' }),
    ]);
    expect(await served.post('Journaled', [{ name: 'c' }, { name: 'd' }])).toMatchObject([
      200,
      { __ENTITIES: [{ name: 'c' }, { name: 'd' }] },
    ]);
    expect(await served.get('Journal/what?$orderby=id')).toMatchObject([
      200,
      { __ENTITIES: [{ what: 'a' }, { what: 'b' }, { what: 'c' }, { what: 'd' }] },
    ]);
  });

  test('an identity that a trigger makes elsewhere, standing in for the change, is not taken for the key', async () => {
    const [, told] = await served.post('Audited', { name: 'a', note: 'b' });
    const { id } = told as { id: number };
    expect(told).toEqual(saved('Audited', String(id), { id, name: 'a', note: 'b' }));
    expect(id).toBeGreaterThanOrEqual(100);
    // The identity of its entry in the audit is the key of another entity.
    for (const atomic of ['', '?$atomic=true']) {
      const [status, body] = await served.post(`Audited${atomic}`, { name: 'c', note: 'same' });
      expect(status).toBe(200);
      expect(body).toMatchObject({ __STATUS: { success: true } });
      const unknown = {
        __entityModel: 'Audited',
        __DATACLASS: 'Audited',
        __STATUS: { success: true },
      };
      if (served.isSqlServer) expect(body).toEqual(unknown);
      else expect(body).toMatchObject({ name: 'c', note: 'same' });
    }
    expect(await served.get('Audited?$filter="name=c"')).toMatchObject([200, { __COUNT: 2 }]);
  });

  const refusals = [
    ['bad', 'Names must not be bad.'],
    ['thrown', 'Thrown for it.'],
    ['kept', 'Raised without rollback.'],
  ] as const;

  test.each(refusals)('what a trigger raises reaches the client: %s', async (name, text) => {
    expect(await served.post('Strict', { id: 1, name })).toEqual([
      422,
      notCreated('Strict', 9017, text),
    ]);
    expect(await served.get('Strict(1)')).toMatchObject([404, {}]);
  });

  test.each(refusals)('in an atomic request nothing is saved: %s', async (name, text) => {
    const bodies = [
      { id: 1, name: 'good' },
      { id: 2, name },
    ];
    expect(await served.post('Strict?$atomic=true', bodies)).toEqual([
      422,
      errors(
        [9017, `Element 1 of the body, a new Strict: ${text}`],
        [1534, 'The new entity of Strict was not saved.'],
        [1046, 'Nothing of the request was saved.'],
      ),
    ]);
    expect(await served.get('Strict')).toMatchObject([200, { __COUNT: 0 }]);
  });

  test('of several, the one that a trigger refuses fails alone, and the pool is as it was', async () => {
    const bodies = [
      { id: 1, name: 'good' },
      { id: 2, name: 'bad' },
      { id: 3, name: 'fine' },
    ];
    expect(await served.post('Strict', bodies)).toEqual([
      200,
      {
        __ENTITIES: [
          saved('Strict', '1', { id: 1, name: 'good' }),
          notCreated('Strict', 9017, 'Names must not be bad.'),
          saved('Strict', '3', { id: 3, name: 'fine' }),
        ],
      },
    ]);
    const __STAMP = await stampOf('Strict(1)');
    expect(await served.post('Strict', { __KEY: 1, __STAMP, name: 'bad' })).toEqual([
      422,
      notUpdated('Strict', '1', 9017, 'Names must not be bad.'),
    ]);
    expect(await served.get('Strict/name')).toMatchObject([
      200,
      { __ENTITIES: [{ name: 'good' }, { name: 'fine' }] },
    ]);
  });

  test('deletes that a trigger refuses', async () => {
    await served.post('Strict', { id: 8, name: 'there' });
    const refusal = errors(
      [9017, 'Strict entities are kept.'],
      [1518, 'Strict(8) was not deleted.'],
    );
    expect(await served.delete('Strict(8)')).toEqual([422, refusal]);
    expect(await served.post('Strict?$filter="id=8"&$method=delete')).toEqual([
      422,
      errors([9017, 'Strict entities are kept.'], [1518, 'No entity of Strict was deleted.']),
    ]);
    expect(await served.get('Strict(8)')).toMatchObject([200, { name: 'there' }]);
  });

  test('a trigger that rolls back without a word', async ({ skip }) => {
    skip(!served.isSqlServer, 'PostgreSQL lets no trigger roll back');
    const silent = { id: 9, name: 'silent' };
    const [status, body] = await served.post('Strict', silent);
    expect([status, body]).toEqual([
      422,
      notCreated(
        'Strict',
        9017,
        'A rule of the database’s own programs refused the change of Strict.',
      ),
    ]);
    expect(await served.post('Strict?$atomic=true', [silent])).toMatchObject([422, {}]);
    expect(await served.get('Strict(9)')).toMatchObject([404, {}]);
    expect(await served.post('Strict', { id: 10, name: 'after' })).toMatchObject([200, {}]);
  });
});

onEngines('triggers before a change', before, (served) => {
  const dropped =
    "The database did not keep the new entity of Filtered: a rule of the database's own does not let it be created.";

  test('values that a trigger changes are answered', async () => {
    expect(await served.post('Filtered', { id: 1, name: 'a' })).toEqual([
      200,
      saved('Filtered', '1', { id: 1, name: 'A' }),
    ]);
    expect(await served.post('Filtered(1)?$atomic=true', { name: 'stay' })).toEqual([
      200,
      saved('Filtered', '1', { id: 1, name: 'STAY' }),
    ]);
  });

  test('a new row that a trigger drops is not told as saved', async () => {
    expect(await served.post('Filtered', { id: 2, name: 'drop' })).toEqual([
      422,
      notCreated('Filtered', 1046, dropped),
    ]);
    expect(await served.post('Made', { name: 'drop' })).toEqual([
      422,
      notCreated('Made', 1046, dropped.replace('Filtered', 'Made')),
    ]);
    expect(await served.post('Filtered?$atomic=true', [{ id: 3, name: 'drop' }])).toEqual([
      422,
      errors(
        [1046, `Element 0 of the body, a new Filtered: ${dropped}`],
        [1534, 'The new entity of Filtered was not saved.'],
        [1046, 'Nothing of the request was saved.'],
      ),
    ]);
  });

  test('of several new rows, those that are left get their own keys', async () => {
    const [status, body] = await served.post('Made', [
      { name: 'x' },
      { name: 'drop' },
      { name: 'z' },
    ]);
    expect([status, body]).toMatchObject([
      200,
      {
        __ENTITIES: [
          { __STATUS: { success: true }, name: 'X' },
          { __STATUS: { success: false }, __ERROR: [{ errCode: 1046 }, { errCode: 1534 }] },
          { __STATUS: { success: true }, name: 'Z' },
        ],
      },
    ]);
    expect(await served.get('Made')).toMatchObject([200, { __COUNT: 2 }]);
  });

  test('a change that a trigger drops is not told as saved, nor a delete', async () => {
    await served.run("INSERT INTO app.filtered VALUES (7, 'stay')");
    expect(await served.post('Filtered?$atomic=true', [{ __KEY: 7, name: 'drop' }])).toMatchObject([
      422,
      { __ERROR: [{ errCode: 1046 }, { errCode: 1517 }, { errCode: 1046 }] },
    ]);
    const [, { __STAMP }] = (await served.get('Filtered(7)')) as [number, { __STAMP: number }];
    expect(await served.post('Filtered', { __KEY: 7, __STAMP, name: 'drop' })).toMatchObject([
      422,
      { __STATUS: { success: false }, __ERROR: [{ errCode: 1046 }, { errCode: 1517 }] },
    ]);
    const kept =
      "The database kept Filtered(7) as it is: it is gone, or a rule of the database's own does not let it be changed.";
    expect(await served.delete('Filtered(7)')).toEqual([
      422,
      errors([1046, kept], [1518, 'Filtered(7) was not deleted.']),
    ]);
    const filtered = errors(
      [
        1046,
        "The database kept entities of Filtered that the filter finds: a rule of the database's own does not let them be deleted.",
      ],
      [1518, 'No entity of Filtered was deleted.'],
    );
    await served.run("INSERT INTO app.filtered VALUES (8, 'goes')");
    expect(await served.post('Filtered?$filter="id >= 7"&$method=delete')).toEqual([422, filtered]);
    expect(await served.get('Filtered(7)')).toMatchObject([200, { name: 'STAY' }]);
    expect(await served.post('Filtered?$filter="id = 8"&$method=delete')).toEqual([
      200,
      { ok: true },
      1,
    ]);
  });

  test('a change after which a trigger gives the row another key is taken back', async () => {
    await served.run("INSERT INTO app.filtered VALUES (20, 'A'), (21, 'B'), (22, 'C')");
    const moved = [
      1046,
      'Filtered(21) cannot be saved with these values: the database would not show it any more, as a view or a rule of its own has it.',
    ] as const;
    const __STAMP = async (key: number): Promise<number> => {
      const [, body] = await served.get(`Filtered(${key})`);
      return (body as { __STAMP: number }).__STAMP;
    };
    const bodies = [
      { __KEY: 20, __STAMP: await __STAMP(20), name: 'x' },
      { __KEY: 21, __STAMP: await __STAMP(21), name: 'move' },
      { __KEY: 22, __STAMP: await __STAMP(22), name: 'drop' },
    ];
    expect(await served.post('Filtered', bodies[1])).toEqual([
      422,
      notUpdated('Filtered', '21', ...moved),
    ]);
    expect(await served.post('Filtered?$atomic=true', bodies)).toEqual([
      422,
      errors(
        [1046, `Element 1 of the body, Filtered(21): ${moved[1]}`],
        [1517, 'Filtered(21) was not saved.'],
        [1046, 'Nothing of the request was saved.'],
      ),
    ]);
    expect(await served.post('Filtered', bodies)).toMatchObject([
      200,
      {
        __ENTITIES: [
          saved('Filtered', '20', { id: 20, name: 'X' }),
          notUpdated('Filtered', '21', ...moved),
          { __STATUS: { success: false }, __ERROR: [{ errCode: 1046 }, { errCode: 1517 }] },
        ],
      },
    ]);
    expect(
      await served.get('Filtered?$filter="id >= 20"&$attributes=id,name&$asArray=true'),
    ).toMatchObject([
      200,
      [
        { id: 20, name: 'X' },
        { id: 21, name: 'B' },
        { id: 22, name: 'C' },
      ],
    ]);
  });
});

onEngines('what the database fills in', filled, (served) => {
  const made = { made: '2024-02-29', state: 'new' };
  const mandatory = (member: string): readonly [number, string] => [
    1116,
    `${member} is mandatory: it needs a value.`,
  ];

  const OWN_TABLE = 'Babelfish runs no INSTEAD OF trigger that inserts into its own table';

  test('is not asked for, and what is missing all the same is named', async ({ skip }) => {
    skip(served.isBabelfish, OWN_TABLE);
    const b = { code: 'c-b', who: 'b' };
    const sent = served.isSqlServer ? b : { who: 'b', code: null };
    expect(
      await served.post('Filled', [{ code: 'a', who: 'a', made: null }, sent, { code: 'd' }]),
    ).toEqual([
      200,
      {
        __ENTITIES: [
          saved('Filled', 'a', { code: 'a', who: 'a', ...made }),
          saved('Filled', 'c-b', { ...b, ...made }),
          notCreated('Filled', ...mandatory('Filled.who')),
        ],
      },
    ]);
    expect(await served.post('Filled?$atomic=true', [{ code: 'e', who: null }])).toEqual([
      422,
      errors(
        [1116, `Element 0 of the body, a new Filled: ${mandatory('Filled.who')[1]}`],
        [1534, 'The new entity of Filled was not saved.'],
        [1046, 'Nothing of the request was saved.'],
      ),
    ]);
    const [, { __STAMP }] = (await served.get('Filled(a)')) as [number, { __STAMP: number }];
    expect(await served.post('Filled', { __KEY: 'a', __STAMP, who: null })).toEqual([
      422,
      refused('a', mandatory('Filled.who')),
    ]);
  });

  test('the default of a domain, and a domain that takes no null', async () => {
    expect(await served.post('State', { id: 1, must: 'a', state: null })).toEqual([
      200,
      saved('State', '1', { id: 1, must: 'a', state: 'new' }),
    ]);
    expect(await served.post('State', { id: 2 })).toEqual([
      422,
      refused(null, mandatory('State.must')),
    ]);
  });

  test('a trigger of a partition', async ({ skip }) => {
    skip(served.isSqlServer, 'SQL Server has no triggers of partitions');
    expect(await served.post('Parted', { who: 'b', must: 'm' })).toEqual([
      200,
      saved('Parted', 'c-b', { code: 'c-b', who: 'b', made: '2024-02-29', must: 'm' }),
    ]);
    expect(await served.post('Parted', { code: 'a', made: '2024-01-01' })).toEqual([
      422,
      notCreated('Parted', ...mandatory('Parted.must')),
    ]);
  });

  /** Entities that can be created. */
  const complete: Record<string, Record<string, unknown>> = {
    Filled: { code: 'z', made: '2024-01-01', who: 'z' },
    State: { id: 71, state: 'old', must: 'z' },
    Given: {
      ...{ id: 'c56a4180-65aa-42ec-a945-5fd21dec0538', note: 'n', must: 'm', kind: 'x' },
      ...{ bytes: 'AAAA', stated: 70, other: 70, usual: 70 },
    },
  };
  const GIVEN = 'given';
  const LEFT_OUT = 'may be left out';
  const JUDGED = 'judged by the database';
  // What a new entity may leave out, it may send as null; changes take null for what can be null alone.
  test.for([
    ['Filled', 'code', 'never null', JUDGED],
    ['Filled', 'made', 'never null', JUDGED],
    ['Filled', 'who', 'never null', JUDGED],
    ['State', 'id', 'never null', GIVEN],
    ['State', 'state', 'never null', LEFT_OUT],
    ['State', 'must', 'never null', GIVEN],
    ['Given', 'id', 'never null', LEFT_OUT],
    ['Given', 'note', 'null', LEFT_OUT],
    ['Given', 'must', 'never null', GIVEN],
    ['Given', 'kind', 'never null', LEFT_OUT],
    ['Given', 'bytes', 'never null', GIVEN],
    ['Given', 'stated', 'relation', GIVEN],
    ['Given', 'other', 'relation', LEFT_OUT],
    ['Given', 'usual', 'relation', LEFT_OUT],
  ])(
    'catalog, contract and saves say of %s.%s: %s, %s',
    async ([dataclass = '', name = '', holds, sent], { skip }) => {
      skip(dataclass === 'Filled' && served.isBabelfish, OWN_TABLE);
      const [, catalog] = await served.get(`$catalog/${dataclass}`);
      const { attributes, extraProperties } = (
        catalog as {
          dataClasses: {
            attributes: { name: string; not_null?: boolean }[];
            extraProperties: { required: string[] };
          }[];
        }
      ).dataClasses[0] ?? { attributes: [], extraProperties: { required: [] } };
      const [, contract] = await served.get('$openapi');
      const { schemas } = (
        contract as {
          components: { schemas: Record<string, { properties: Record<string, object> }> };
        }
      ).components;
      const { [name]: value, ...rest } = complete[dataclass] ?? {};
      const codes = async (body: object): Promise<unknown> => {
        const [, answer] = await served.post(`${dataclass}?$refresh=true&$method=insert`, body);
        return (answer as { __ERROR?: { errCode: number }[] }).__ERROR?.[0]?.errCode ?? 'created';
      };
      const outcomes = sent === JUDGED ? ['created', 1116] : [sent === GIVEN ? 1116 : 'created'];
      expect({
        notNull: attributes.find((one) => one.name === name)?.not_null,
        required: extraProperties.required.includes(name),
        takesNull: JSON.stringify(schemas[`${dataclass}.Body`]?.properties[name]).includes(
          '"null"',
        ),
        leftOut: await codes(rest),
        asNull: await codes({ ...rest, [name]: null }),
        complete: await codes({ ...rest, [name]: value }),
      }).toEqual({
        notNull: holds === 'relation' ? undefined : holds === 'never null',
        required: sent === GIVEN,
        takesNull: sent !== GIVEN,
        leftOut: expect.toBeOneOf(outcomes) as unknown,
        asNull: expect.toBeOneOf(outcomes) as unknown,
        complete: 'created',
      });
    },
  );
});
