import { describe, expect, test } from 'vitest';
import { apiKeyHash, makeApiKey } from '../../src/access/auth/api-keys.ts';
import { configSchema } from '../../src/config/config.ts';
import { notUpdated, onEngines, type Shape } from './shapes/engines.ts';

/** Types that PostgreSQL compares by operators of their own, also as keys and references. */
const ordered: Shape = {
  postgres: `
CREATE SCHEMA app;
CREATE TYPE app.size AS ENUM ('XS', 'S', 'M', 'L', 'XL');
CREATE DOMAIN app.fit AS app.size;
CREATE TABLE app.sort (id int PRIMARY KEY, s app.size, ip inet, iv interval);
INSERT INTO app.sort VALUES (1, 'XS', '10.0.0.10', '10 days'), (2, 'XL', '10.0.0.9', '9 days'),
  (3, 'M', '9.0.0.1', '23 hours'), (4, 'S', '10.0.0.10', '240:00:00');

CREATE TABLE app.host (ip inet PRIMARY KEY, mac macaddr UNIQUE, note text);
INSERT INTO app.host VALUES ('10.0.0.10', '08:00:2b:01:02:03', 'ten'), ('10.0.0.9', '08:00:2b:01:02:04', 'nine'),
  ('10.0.0.0/8', NULL, 'net');
CREATE TABLE app.lease (fit app.size, days interval, ip inet REFERENCES app.host, PRIMARY KEY (fit, days));
INSERT INTO app.lease VALUES ('S', '10 days', '10.0.0.9'), ('M', '9 days', '10.0.0.9'), ('XL', '1 hour', '10.0.0.10');

CREATE TABLE app.worn (id int PRIMARY KEY, fit app.fit);
INSERT INTO app.worn VALUES (1, 'XS'), (2, 'M');
CREATE TABLE app.other (id int PRIMARY KEY, o oid, b bit(3), vb varbit, r int4range, m8 macaddr8, net cidr, lsn pg_lsn, tz timetz, p point);
INSERT INTO app.other VALUES
  (1, 9, '011', '1', '[1,9)', '08:00:2b:01:02:03:04:0a', '10.0.0.0/8', '0/9', '12:00+02', '(10,0)'),
  (2, 10, '101', '011', '[1,10)', '08:00:2b:01:02:03:04:05', '9.0.0.0/8', '0/A0', '11:30+00', '(9,0)'),
  (3, 100, '010', '01', '[2,3)', '07:00:2b:01:02:03:04:05', '10.1.0.0/16', 'F/0', '11:00+01', '(1,1)');

-- As of hstore, only = and <> have their usual names.
CREATE TYPE app.rank;
CREATE FUNCTION app.rank_in(cstring) RETURNS app.rank LANGUAGE internal IMMUTABLE STRICT AS 'int4in';
CREATE FUNCTION app.rank_out(app.rank) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'int4out';
CREATE TYPE app.rank (INPUT = app.rank_in, OUTPUT = app.rank_out, INTERNALLENGTH = 4, PASSEDBYVALUE, ALIGNMENT = int4, DELIMITER = ':');
DO $$ DECLARE o text[]; BEGIN
  FOREACH o SLICE 1 IN ARRAY '{{lt,app.#<#},{le,app.#<=#},{ge,app.#>=#},{gt,app.#>#},{eq,public.=},{ne,public.<>}}'::text[] LOOP
    EXECUTE format('CREATE FUNCTION app.rank_%s(app.rank, app.rank) RETURNS bool LANGUAGE internal IMMUTABLE STRICT AS %L', o[1], 'int4' || o[1]);
    EXECUTE format('CREATE OPERATOR %s (LEFTARG = app.rank, RIGHTARG = app.rank, FUNCTION = app.rank_%s%s)', o[2], o[1],
      CASE o[1] WHEN 'eq' THEN ', NEGATOR = OPERATOR(public.<>)' END);
  END LOOP;
END $$;
CREATE FUNCTION app.rank_cmp(app.rank, app.rank) RETURNS int LANGUAGE internal IMMUTABLE STRICT AS 'btint4cmp';
CREATE OPERATOR CLASS app.rank_ops DEFAULT FOR TYPE app.rank USING btree AS OPERATOR 1 app.#<#, OPERATOR 2 app.#<=#,
  OPERATOR 3 public.=, OPERATOR 4 app.#>=#, OPERATOR 5 app.#>#, FUNCTION 1 app.rank_cmp(app.rank, app.rank);
CREATE TABLE app.ranked (r app.rank PRIMARY KEY, p point, b box, j jsonpath, x xml);
INSERT INTO app.ranked (r, p, b, j) VALUES ('9', '(1,2)', '(1,1),(0,0)', '$.a'), ('10', '(3,4)', '(2,2),(0,0)', '$.b'), ('100', NULL, NULL, NULL);
`,
  sqlserver: [],
  mappings: {
    sort: 'dataclass: Sort\ntable: app.sort\n',
    host: 'dataclass: Host\ntable: app.host\nrelations: { leases: { inverse: Lease.host } }\n',
    lease:
      'dataclass: Lease\ntable: app.lease\nstamp: hash\nrelations: { host: { to: Host, foreignKey: lease_ip_fkey } }\n',
    worn: 'dataclass: Worn\ntable: app.worn\n',
    ranked: 'dataclass: Ranked\ntable: app.ranked\n',
    other: 'dataclass: Other\ntable: app.other\n',
  },
};

onEngines('types with an order of their own', ordered, (served) => {
  /** The answered values of an attribute; what is answered instead. */
  const values = async (name: string, path: string): Promise<unknown> => {
    const [status, body] = await served.get(`${path}&$asArray=true`);
    return status === 200 ? (body as Record<string, unknown>[]).map((one) => one[name]) : body;
  };

  test.each([
    ['s', [1, 4, 3, 2]],
    ['s desc', [2, 3, 4, 1]],
    ['iv,id', [3, 2, 1, 4]],
    ['ip,id', [3, 2, 1, 4]],
  ])('$orderby=%s', async (order, ids) => {
    expect(await values('id', `Sort?$orderby=${order}`)).toEqual(ids);
  });

  test.each([
    ['s > S', [2, 3]],
    ['s <= S', [1, 4]],
    ['s = M', [3]],
    ['s != M', [1, 2, 4]],
    ['s IN [M, XL]', [2, 3]],
    ['NOT(s IN [M, XL])', [1, 4]],
    ['s begin X', [1, 2]],
    ['s = "@L"', [2]],
    ['s = null', []],
    ['ip = 10.0.0.9', [2]],
    ['ip = 10.0.0.9/32', [2]],
    ['ip < 10.0.0.9', [3]],
    ['ip begin 10.', [1, 2, 4]],
    ['ip = "@.9"', [2]],
    ['ip % ".1"', [1, 3, 4]],
    ['iv = "10 days"', [1, 4]],
    ['iv = P10D', [1, 4]],
    ['iv IN ["240 hours", "P9D"]', [1, 2, 4]],
    ['iv < "1 day"', [3]],
  ])('$filter=%s', async (filter, ids) => {
    expect(await values('id', `Sort?$orderby=id&$filter='${encodeURIComponent(filter)}'`)).toEqual(
      ids,
    );
  });

  test.each([
    ['r = 010', ['10']],
    ['r != 010', ['9', '100']],
    ['r > 9', ['10', '100']],
    ['r <= 10', ['9', '10']],
    ['NOT(r >= 100)', ['9', '10']],
    ['r IN [009, 10]', ['9', '10']],
    ['r begin 10', ['10', '100']],
    // Without an order, values are compared by the text that their type makes of what it reads.
    ['p = "( 1.0, 2 )"', ['9']],
    ['p != "(1, 2.0)"', ['10']],
    ['p IN ["1,2", "3,4"]', ['9', '10']],
    ['p > "(1, 2)"', ['10']],
    ['p begin "(1"', ['9']],
    ['b IN ["0,0,1,1", "(0,0),(2,2)"]', ['9', '10']],
    ['j = "$.a"', ['9']],
    ['x = null', ['9', '10', '100']],
  ])('operators of other names, and types without any: %s', async (filter, keys) => {
    expect(
      await values('r', `Ranked?$orderby=r&$filter=${encodeURIComponent(`'${filter}'`)}`),
    ).toEqual(keys);
  });

  test('keys of operators of other names, page by page', async () => {
    expect(await served.get('Ranked(010)')).toMatchObject([200, { __KEY: '10' }]);
    expect(await served.get('Ranked/r?$compute=max')).toEqual([200, '100']);
    const [, page] = await served.get('Ranked/$changes?$limit=2');
    const { __TOKEN: token } = page as { __TOKEN: string };
    expect(await served.get(`Ranked/$changes?since=${token}`)).toMatchObject([
      200,
      { __ENTITIES: [{ __KEY: '100' }] },
    ]);
  });

  test('are answered as the database writes them', async () => {
    expect(await served.get('Sort?$attributes=s,ip,iv&$orderby=id&$asArray=true')).toMatchObject([
      200,
      [
        { s: 'XS', ip: '10.0.0.10', iv: 'P10D' },
        { s: 'XL', ip: '10.0.0.9', iv: 'P9D' },
        { s: 'M', ip: '9.0.0.1', iv: 'PT23H' },
        { s: 'S', ip: '10.0.0.10', iv: 'PT240H' },
      ],
    ]);
  });

  test.each([
    ['Sort', 's', ['XS', 'S', 'M', 'L', 'XL'].filter((size) => size !== 'L')],
    ['Sort', 'ip', ['9.0.0.1', '10.0.0.9', '10.0.0.10']],
    ['Other', 'o', ['9', '10', '100']],
    ['Other', 'b', ['010', '011', '101']],
    ['Other', 'vb', ['01', '011', '1']],
    ['Other', 'r', ['[1,9)', '[1,10)', '[2,3)']],
    [
      'Other',
      'm8',
      ['07:00:2b:01:02:03:04:05', '08:00:2b:01:02:03:04:05', '08:00:2b:01:02:03:04:0a'],
    ],
    ['Other', 'net', ['9.0.0.0/8', '10.0.0.0/8', '10.1.0.0/16']],
    ['Other', 'lsn', ['0/9', '0/A0', 'F/0']],
    ['Other', 'tz', ['12:00:00+02', '11:00:00+01', '11:30:00+00']],
    // Points have no order: their text has.
    ['Other', 'p', ['(1,1)', '(10,0)', '(9,0)']],
  ])('%s/%s: distinct, min and max', async (dataclass, name, all) => {
    expect(await served.get(`${dataclass}/${name}?$distinct=true`)).toEqual([200, all]);
    expect(await served.get(`${dataclass}/${name}?$distinct=true&$orderby=${name} desc`)).toEqual([
      200,
      all.toReversed(),
    ]);
    expect(await served.get(`${dataclass}/${name}?$compute=min`)).toEqual([200, all[0]]);
    expect(await served.get(`${dataclass}/${name}?$compute=max`)).toEqual([200, all.at(-1)]);
    const above = `$filter='${name} > :1'&$params=${encodeURIComponent(JSON.stringify(all.slice(0, 1)))}`;
    expect(await values(name, `${dataclass}?${above}&$orderby=${name},id`)).toContain(all[1]);
    expect(await values(name, `${dataclass}?${above}`)).not.toContain(all[0]);
  });

  test('equal values are one', async () => {
    expect(await served.get('Sort?$filter="iv=P10D"&$asArray=true')).toMatchObject([
      200,
      [{ id: 1 }, { id: 4 }],
    ]);
    const [, found] = await served.get('Sort/iv?$distinct=true');
    expect((found as unknown[]).slice(0, 2)).toEqual(['PT23H', 'P9D']);
    expect(found).toHaveLength(3);
  });

  describe('keys are found in each spelling', () => {
    test.each([
      ['Host("10.0.0.9")', '10.0.0.9'],
      ['Host(10.0.0.9)', '10.0.0.9'],
      ['Host(10.0.0.9%2F32)', '10.0.0.9'],
      ['Host(10.0.0.0%2F8)', '10.0.0.0/8'],
      ['Host:mac(08-00-2B-01-02-04)', '10.0.0.9'],
      ['Host:mac(0800.2b01.0204)', '10.0.0.9'],
      ['Lease(S;240:00:00)', '{"fit":"S","days":"P10D"}'],
      ['Lease(S;P10D)', '{"fit":"S","days":"P10D"}'],
      ['Lease({"fit":"S","days":"10 days"})/host', '10.0.0.9'],
    ])('%s', async (path, key) => {
      expect(await served.get(path)).toMatchObject([200, { __KEY: key }]);
    });

    test('in lists', async () => {
      const keys = async (path: string): Promise<unknown> => {
        const [status, body] = await served.get(path);
        return status === 200
          ? (body as { __ENTITIES: { __KEY: string }[] }).__ENTITIES.map(({ __KEY }) => __KEY)
          : body;
      };
      expect(await keys('Host(10.0.0.9%2F32,10.0.0.10)')).toEqual(['10.0.0.9', '10.0.0.10']);
      expect(await keys('Lease(S;10 days,M;216 hours)')).toEqual([
        '{"fit":"S","days":"P10D"}',
        '{"fit":"M","days":"P9D"}',
      ]);
      expect(await keys('Host?$orderby=ip desc')).toEqual(['10.0.0.10', '10.0.0.9', '10.0.0.0/8']);
      const [, made] = await served.get(
        'Host?$method=entityset&$filter="ip>10.0.0.1"&$orderby=mac',
      );
      const { __ENTITYSET: set } = made as { __ENTITYSET: string };
      const id = set.slice('/rest/'.length);
      expect(await keys(`${id}?$filter="ip<10.0.0.10"`)).toEqual(['10.0.0.9']);
      expect(await keys(`${id}?$expand=leases`)).toEqual(['10.0.0.10', '10.0.0.9']);
    });

    test('in bodies, also several of one entity', async () => {
      const stamp = async (): Promise<unknown> =>
        ((await values('__STAMP', 'Lease?$filter="fit=M"')) as unknown[])[0];
      const bodies = [
        { __KEY: '{"fit":"M","days":"216 hours"}', __STAMP: await stamp(), ip: '10.0.0.10/32' },
        { __KEY: { days: '9 days', fit: 'M' }, __STAMP: await stamp(), ip: '10.0.0.10' },
      ];
      const answer = { __KEY: '{"fit":"M","days":"P9D"}', ip: '10.0.0.10' };
      expect(await served.post('Lease?$method=update', bodies)).toMatchObject([
        200,
        { __ENTITIES: [answer, { ...answer, __STATUS: { status: 2 } }] },
      ]);
      const own = { __KEY: '{"fit":"M","days":"P9D"}', __STAMP: await stamp(), ip: '10.0.0.9/32' };
      expect(await served.post('Lease(M;216 hours)?$method=update', own)).toMatchObject([
        200,
        { ...answer, ip: '10.0.0.9' },
      ]);
      const made = { ip: '10.0.0.77/32', leases: [{ fit: 'L', days: '24:00:00' }] };
      const lease = '{"fit":"L","days":"PT24H"}';
      expect(await served.post('Host', made)).toMatchObject([
        200,
        { __KEY: '10.0.0.77', ip: '10.0.0.77', leases: { __ENTITIES: [{ __KEY: lease }] } },
      ]);
      const equal = { fit: 'L', days: '1 day', ip: '10.0.0.77' };
      expect(await served.post('Lease', equal)).toMatchObject([409, {}]);
      const kept = {
        __KEY: '10.0.0.77/32',
        __STAMP: ((await values('__STAMP', 'Host?$filter="ip=10.0.0.77"')) as unknown[])[0],
        leases: [
          {
            __KEY: '{"fit":"L","days":"1 day"}',
            __STAMP: ((await values('__STAMP', 'Lease?$filter="fit=L"')) as unknown[])[0],
          },
        ],
      };
      expect(await served.post('Host?$method=update&$replace=leases', kept)).toMatchObject([
        200,
        { __STATUS: { success: true } },
      ]);
      expect(await values('__KEY', 'Lease?$filter="fit=L"')).toEqual([lease]);
      expect(await served.delete('Lease(L;1 day)')).toEqual([200, { ok: true }]);
      expect(await served.delete('Host(10.0.0.77%2F32)')).toEqual([200, { ok: true }]);
    });

    test('by $changes, page by page', async () => {
      const page = async (query: string): Promise<unknown[]> => {
        const [status, body] = await served.get(`Host/$changes?$limit=2${query}`);
        const { __ENTITIES: found = [], __TOKEN: token } = body as {
          __ENTITIES?: { __KEY: string }[];
          __TOKEN: string;
        };
        return [status, found.map(({ __KEY }) => __KEY), token];
      };
      const [, first, token] = await page('');
      expect(first).toEqual(['10.0.0.0/8', '10.0.0.9']);
      expect(await page(`&since=${String(token)}`)).toMatchObject([
        200,
        ['10.0.0.10'],
        expect.any(String),
      ]);
      const forged = Buffer.from(String(token), 'base64url')
        .toString()
        .replace('["10.0.0.9"]', '["here"]');
      expect(
        await served.get(`Host/$changes?since=${Buffer.from(forged).toString('base64url')}`),
      ).toMatchObject([400, { __ERROR: [{ errCode: 9067 }] }]);
    });
  });

  describe('a value that the type does not read is refused', () => {
    const error = (message: string): object => ({
      __ERROR: [{ message, componentSignature: 'dbmg', errCode: 1508 }],
    });
    test.each([
      [
        'Sort?$filter="s=XXL"',
        '"XXL" is not a value for Sort.s: expected one of XS, S, M, L, XL (at position 3 of $filter)',
      ],
      [
        'Sort?$filter="s IN [M,XXL]"',
        '"XXL" is not a value for Sort.s: expected one of XS, S, M, L, XL (at position 9 of $filter)',
      ],
      [
        'Sort?$filter="id=1 OR iv>soon"',
        '"soon" is not a value for Sort.iv: expected an interval (at position 12 of $filter)',
      ],
      [
        'Sort?$filter="ip!=here AND id>0"&$format=csv',
        '"here" is not a value for Sort.ip: expected an inet (at position 5 of $filter)',
      ],
      [
        'Sort/s?$compute=max&$filter="s=XXL"',
        '"XXL" is not a value for Sort.s: expected one of XS, S, M, L, XL (at position 3 of $filter)',
      ],
      [
        'Sort?$method=entityset&$filter="s=XXL"',
        '"XXL" is not a value for Sort.s: expected one of XS, S, M, L, XL (at position 3 of $filter)',
      ],
      [
        'Other?$filter="o=99999999999"',
        '"99999999999" is not a value for Other.o: expected an oid (at position 3 of $filter)',
      ],
      ...[
        ['r < ten', 'ten', 'r', 'a rank'],
        ['p = "(1"', '(1', 'p', 'a point'],
        ['p IN [here]', 'here', 'p', 'a point'],
        ['p != here', 'here', 'p', 'a point'],
        ['b > "1,2"', '1,2', 'b', 'a box'],
        ['j = "$["', '$[', 'j', 'a jsonpath'],
        ['x = "<a"', '<a', 'x', 'an xml'],
      ].map(([filter = '', text = '', name = '', expected = '']) => [
        `Ranked?$filter=${encodeURIComponent(`'${filter}'`)}`,
        `"${text}" is not a value for Ranked.${name}: expected ${expected} (at position ${filter.replaceAll('"', '').indexOf(text) + 1} of $filter)`,
      ]),
      [
        'Ranked?$filter="p IN :1"&$params=[[%22a%5C%22%22,%22b%22]]',
        'A value for Ranked.p is not of the kind that the database holds there: expected a point.',
      ],
      [
        'Worn?$filter="fit=XXL"',
        '"XXL" is not a value for Worn.fit: expected one of XS, S, M, L, XL (at position 5 of $filter)',
      ],
      [
        'Host(10.0.0.999)',
        '"10.0.0.999" is not a value for Host.ip: expected an inet (at position 7 of the path)',
      ],
      [
        'Host:mac(x)',
        '"x" is not a value for Host.mac: expected a macaddr (at position 11 of the path)',
      ],
      [
        'Host(10.0.0.9,here)',
        '"here" is not a value for Host.ip: expected an inet (at position 16 of the path)',
      ],
      [
        'Lease(S;P10D,M;soon)',
        '"soon" is not a value for Lease.days: expected an interval (at position 17 of the path)',
      ],
    ])('%s', async (path, message) => {
      expect(await served.get(path)).toEqual([400, error(message)]);
    });

    test('in writes', async () => {
      expect(await served.post('Sort?$filter="s=XXL"&$method=delete')).toMatchObject([400, {}]);
      expect(
        await served.post('Host?$method=update', [
          { __KEY: 'here', __STAMP: 1, note: 'x' },
          { __KEY: '10.0.0.10/32', __STAMP: 1, note: 'ten' },
        ]),
      ).toMatchObject([
        200,
        {
          __ENTITIES: [
            notUpdated(
              'Host',
              'here',
              1508,
              'Host.ip is not of the kind that the database holds there. Expected an inet.',
            ),
            { __KEY: '10.0.0.10', __STATUS: { status: 2 } },
          ],
        },
      ]);
      expect(
        await served.post('Host(here)?$method=update', { note: 'x', __STAMP: 1 }),
      ).toMatchObject([400, {}]);
      expect(await served.delete('Host(here)')).toMatchObject([400, {}]);
      expect(await served.post('Lease', { fit: 'XXL', days: 'P1D' })).toMatchObject([400, {}]);
      expect(
        await served.post('Lease', { fit: 'L', days: 'P1D', host: { __KEY: 'here' } }),
      ).toMatchObject([400, {}]);
    });
  });

  test('a domain over an enum is compared by its text', async () => {
    expect(await values('fit', 'Worn?$orderby=fit')).toEqual(['M', 'XS']);
    expect(await values('fit', 'Worn?$filter="fit=M"')).toEqual(['M']);
  });
});

const key = makeApiKey();
const { authentication, roles } = configSchema.parse({
  authentication: {
    apiKeys: [
      {
        name: 'ada',
        hash: `sha256:${apiKeyHash(key)}`,
        roles: ['packer'],
        claims: { home: '9.0.0.1', size: 'HUGE', sizes: ['XS', 'none'], term: 'soon' },
      },
    ],
  },
  roles: {
    packer: {
      dataclasses: {
        Sort: {
          read: "s >= S and s begin 'X' or ip = $claims.home or s = $claims.size or s IN $claims.sizes or iv > $claims.term",
        },
      },
    },
  },
});

const restricted = {
  ...ordered,
  settings: { ...(authentication && { authentication }), ...(roles && { roles }) },
};

onEngines('policies of types with an order of their own', restricted, (served) => {
  test('a claim that its type does not read meets nothing', async () => {
    const headers = { 'api-key': key };
    const ids = async (query: string): Promise<unknown> => {
      const { body } = await served.gateway.get(`/rest/Sort?$asArray=true${query}`, { headers });
      return body;
    };
    expect(await ids('&$orderby=s')).toMatchObject([{ id: 1 }, { id: 3 }, { id: 2 }]);
    expect(await ids('&$filter="s>XS"&$orderby=iv')).toMatchObject([{ id: 3 }, { id: 2 }]);
  });
});
