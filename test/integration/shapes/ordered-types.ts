import { expect, test } from 'vitest';
import { mappedAlike, type Served, type Shape } from './engines.ts';
import { settingsIn, withKeys } from './sample.ts';

/** Types that PostgreSQL compares by operators of their own, also as keys and references. */
export const shape: Shape = {
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
    ...mappedAlike('Sort Worn Ranked Other'),
    host: 'dataclass: Host\ntable: app.host\nrelations: { leases: { inverse: Lease.host } }\n',
    lease:
      'dataclass: Lease\ntable: app.lease\nstamp: hash\nrelations: { host: { to: Host, foreignKey: lease_ip_fkey } }\n',
  },
};

const { apiKeys, users } = withKeys({
  ada: {
    roles: ['packer'],
    claims: { home: '9.0.0.1', size: 'HUGE', sizes: ['XS', 'none'], term: 'soon' },
  },
});
const read =
  "s >= S and s begin 'X' or ip = $claims.home or s = $claims.size or s IN $claims.sizes or iv > $claims.term";

/** As {@link shape}, for those who have the key of a role. */
export const restricted: Shape = {
  ...shape,
  users,
  settings: settingsIn({
    authentication: { apiKeys },
    roles: { packer: { dataclasses: { Sort: { read } } } },
  }),
};

/** A token that a client has changed. */
export function forgedTokens(served: Served): void {
  test('a token of $changes with a key that the type does not read is refused', async () => {
    const [, page] = await served.get('Host/$changes?$limit=2');
    const { __TOKEN: token } = page as { readonly __TOKEN: string };
    const text = Buffer.from(token, 'base64url').toString();
    expect(text).toContain('["10.0.0.9"]');
    const forged = Buffer.from(text.replace('["10.0.0.9"]', '["here"]')).toString('base64url');
    expect(await served.get(`Host/$changes?since=${forged}`)).toMatchObject([
      400,
      { __ERROR: [{ errCode: 9067 }] },
    ]);
  });
}
