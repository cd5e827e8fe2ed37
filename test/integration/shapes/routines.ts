import { expect, test } from 'vitest';
import { mapped, type Served, type Shape } from './engines.ts';
import { inBothLanguages } from './languages.ts';
import { settingsIn, withKeys } from './sample.ts';

const tables = inBothLanguages([
  'CREATE TABLE app.dept (id int PRIMARY KEY, title varchar(20) NOT NULL)',
  `CREATE TABLE app.emp (id int PRIMARY KEY, name varchar(20) NOT NULL, salary numeric(19, 4) NOT NULL CHECK (salary < 100000),
      dept_id int REFERENCES app.dept (id), gone FLAG_TYPE NOT NULL DEFAULT NO_VALUE)`,
  'CREATE TABLE app.line (order_no int, line int, qty int NOT NULL, PRIMARY KEY (order_no, line))',
  "INSERT INTO app.dept VALUES (1, 'Lab'), (2, 'Yard')",
  `INSERT INTO app.emp VALUES (1, 'Ann', 100, 1, NO_VALUE), (2, 'Ben', 300, 1, NO_VALUE), (3, 'Cal', 200, 2, NO_VALUE),
      (4, 'Dee', 400, 1, YES_VALUE)`,
  'INSERT INTO app.line VALUES (7, 1, 10), (7, 2, 20)',
]);

const postgres = `${tables.postgres};
CREATE FUNCTION app.f_add(a int, b numeric) RETURNS numeric LANGUAGE sql IMMUTABLE AS 'SELECT a + b';
CREATE FUNCTION app.f_add(a text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT a';
CREATE FUNCTION app.f_types(n bigint) RETURNS TABLE (big bigint, amount numeric(19, 4), at timestamp, day date, label varchar(20), flag boolean, bytes bytea, nothing int)
  LANGUAGE sql STABLE AS $$ SELECT n, 1.5::numeric(19, 4), timestamp '2024-02-29 12:00:00.5', date '2024-02-29', 'a "b"'::varchar(20), true, '\\x0a1b'::bytea, NULL::int $$;
CREATE FUNCTION app.f_emps(lowest numeric) RETURNS TABLE (id int, name text) LANGUAGE sql STABLE AS
  'SELECT e.id, e.name::text FROM app.emp e WHERE e.salary >= lowest ORDER BY e.salary DESC';
CREATE FUNCTION app.f_keys(keys text) RETURNS text LANGUAGE sql AS 'SELECT keys';
CREATE FUNCTION app.f_pick(ids int[], lowest numeric DEFAULT 0) RETURNS TABLE (id int) LANGUAGE sql AS
  'SELECT e.id FROM app.emp e WHERE e.id = ANY (ids) AND e.salary >= lowest ORDER BY e.id DESC';
CREATE FUNCTION app.f_echo(what bytea, doc jsonb) RETURNS TABLE (what bytea, doc jsonb) LANGUAGE sql AS 'SELECT $1, $2';
CREATE FUNCTION app.f_change() RETURNS int LANGUAGE sql AS 'UPDATE app.emp SET salary = salary + 1 WHERE id = 1 RETURNING id';
CREATE PROCEDURE app.p_raise(emp_id int, pct numeric(9, 4), note varchar(10) DEFAULT 'none', INOUT total numeric(19, 4) DEFAULT NULL, INOUT noted text DEFAULT NULL)
  LANGUAGE plpgsql AS $$ BEGIN
    UPDATE app.emp SET salary = salary * (1 + pct / 100) WHERE id = emp_id RETURNING salary INTO total;
    noted := note;
    IF pct > 100 THEN RAISE EXCEPTION 'No raise of % percent', pct::int; END IF;
  END $$;
CREATE PROCEDURE app.p_own(INOUT n int) LANGUAGE plpgsql AS $$ BEGIN COMMIT; n := n + 1; END $$;
CREATE FUNCTION app.p_double(emp_id int) RETURNS void LANGUAGE sql AS
  $$ INSERT INTO app.emp VALUES (emp_id, 'Twin', 1, NULL, false) $$;
`;

const sqlserver = [
  ...tables.sqlserver,
  'CREATE TYPE app.id_list AS TABLE (id int)',
  'CREATE FUNCTION app.f_add(@a int, @b numeric(19, 4)) RETURNS numeric(19, 4) AS BEGIN RETURN @a + @b END',
  `CREATE FUNCTION app.f_types(@n bigint) RETURNS TABLE AS RETURN (SELECT @n AS big, CAST(1.5 AS numeric(19, 4)) AS amount,
     CAST('2024-02-29T12:00:00.5' AS datetime2(7)) AS at, CAST('2024-02-29' AS date) AS day, CAST('a "b"' AS varchar(20)) AS label,
     CAST(1 AS bit) AS flag, CAST(0x0a1b AS varbinary(10)) AS bytes, CAST(NULL AS int) AS nothing)`,
  `CREATE PROCEDURE app.f_emps @lowest numeric(19, 4) AS
     SELECT id, name FROM app.emp WHERE salary >= @lowest ORDER BY salary DESC`,
  'CREATE FUNCTION app.f_keys(@keys nvarchar(max)) RETURNS nvarchar(max) AS BEGIN RETURN @keys END',
  `CREATE PROCEDURE app.f_pick @ids app.id_list READONLY, @lowest numeric(19, 4) = 0 AS
     SELECT e.id FROM app.emp e JOIN @ids i ON i.id = e.id WHERE e.salary >= @lowest ORDER BY e.id DESC`,
  'CREATE PROCEDURE app.f_echo @what varbinary(100), @doc nvarchar(max) AS SELECT @what AS what, @doc AS doc',
  `CREATE PROCEDURE app.p_raise @emp_id int, @pct numeric(9, 4), @note varchar(10) = 'none', @total numeric(19, 4) = NULL OUTPUT,
     @noted varchar(20) = NULL OUTPUT AS BEGIN
     UPDATE app.emp SET salary = salary * (1 + @pct / 100) WHERE id = @emp_id;
     SELECT @total = salary, @noted = @note FROM app.emp WHERE id = @emp_id;
     IF @pct > 100 BEGIN DECLARE @text varchar(50) = 'No raise of ' + CAST(CAST(@pct AS int) AS varchar(10)) + ' percent'; THROW 50001, @text, 1 END
     RETURN 3 END`,
  'CREATE PROCEDURE app.f_change AS BEGIN UPDATE app.emp SET salary = salary + 1 WHERE id = 1; SELECT 1 AS id END',
  'CREATE PROCEDURE app.p_own @n int OUTPUT AS BEGIN BEGIN TRANSACTION; COMMIT; SET @n = @n + 1 END',
  "CREATE PROCEDURE app.p_double @emp_id int AS INSERT INTO app.emp VALUES (@emp_id, 'Twin', 1, NULL, 0)",
];

/** Routines of all shapes, and what they are called on. */
export const shape: Shape = {
  isDocumented: true,
  postgres,
  sqlserver,
  mappings: mapped(`
dept: {dataclass: Dept, table: app.dept, attributes: {ID: id, title: title}, relations: {staff: {inverse: Emp.dept}},
  functions: {twin: {routine: app.p_double, key: emp_id}}}
emp: {dataclass: Emp, table: app.emp, where: gone = false, attributes: {ID: id, name: name, salary: salary, gone: {column: gone, exposed: false}},
  relations: {dept: {to: Dept, columns: {dept_id: id}}}, functions: {raise: {routine: app.p_raise, key: emp_id, parameters: [pct, {name: note,
  optional: true}]}, raised: {routine: app.p_raise, key: {ID: emp_id}, parameters: [pct], returns: {output: total}}, twin: {routine: app.p_double,
  key: emp_id}, pick: {routine: app.f_pick, keys: ids, parameters: [{name: lowest, optional: true}], returns: {dataclass: Emp}},
  keys: {routine: app.f_keys, keys: keys}, wellPaid: {routine: app.f_emps, parameters: [lowest], returns: {dataclass: Emp}, allowedOnHTTPGET: true},
  best: {routine: app.f_emps, parameters: [lowest], returns: {dataclass: Emp, one: true}}, secret: {routine: app.f_keys, parameters: [keys],
  exposed: false}}}
line: {dataclass: Line, table: app.line, attributes: {orderNo: order_no, line: line, qty: qty}, functions: {keys: {routine: app.f_keys,
  keys: keys}}}
routines: {functions: {add: {routine: app.f_add, parameters: [a, b], allowedOnHTTPGET: true, description: Adds two numbers.},
  types: {routine: app.f_types, parameters: [n]}, echo: {routine: app.f_echo, parameters: [what, {name: doc, type: object}], returns: row},
  own: {routine: app.p_own, parameters: [n], returns: {output: n}, transaction: false}, change: {routine: app.f_change, returns: value,
  allowedOnHTTPGET: true}}, singletons: {Prices: {functions: {quote: {routine: app.f_add, parameters: [a, b], description: What it costs.}}},
  Hidden: {functions: {quote: {routine: app.f_add, parameters: [a, b], exposed: false}}}}}
`),
};

const { apiKeys, users } = withKeys({
  ada: { roles: ['staff'], claims: { least: '2', depts: ['Yard'] } },
});

/** As {@link shape}, for those who have the key of a role. */
export const byRole: Shape = {
  ...shape,
  // The document is another one for each role.
  isDocumented: false,
  users,
  settings: settingsIn({
    authentication: { apiKeys },
    roles: {
      staff: {
        dataclasses: {
          // Over a dataclass that the role does not see.
          Emp: {
            read: 'dept.title IN $claims.depts or (ID = 2 and dept.staff.ID >= $claims.least)',
            attributes: { salary: 'hidden' },
          },
        },
        execute: ['Emp.keys', 'Emp.pick', 'Emp.best', 'Emp.raised', 'Line.*', 'add'],
      },
    },
  }),
};

/** A procedure that answers rows of all kinds, which PostgreSQL's cannot. */
export const reportShape: Shape = {
  postgres: '',
  sqlserver: [
    'CREATE TABLE dbo.t (id int NOT NULL PRIMARY KEY)',
    `CREATE PROCEDURE dbo.p_report @n int AS BEGIN
      SELECT CAST('123456789012345678901234567890.12345678' AS numeric(38, 8)) AS long, CAST(-2.50 AS numeric(9, 2)) AS short,
        CAST('922337203685477.5807' AS money) AS money, CAST(9223372036854775807 AS bigint) AS big, CAST(1 AS bit) AS yes,
        CAST('2024-02-29T12:00:00.123456' AS datetime2(6)) AS at, CAST('2024-02-29' AS date) AS day,
        CAST(0x0A1B AS varbinary(10)) AS bytes, CAST('ABCDEF00-0000-0000-0000-000000000001' AS uniqueidentifier) AS guid,
        REPLICATE(CAST(N'é' AS nvarchar(max)), 70000) AS text, CAST(NULL AS int) AS nothing;
      SELECT 'x' AS a, 'y' AS a;
      RETURN @n END`,
    `CREATE PROCEDURE dbo.p_many @n int AS
      WITH ten AS (SELECT 1 AS n UNION ALL SELECT 1 UNION ALL SELECT 1 UNION ALL SELECT 1 UNION ALL SELECT 1
        UNION ALL SELECT 1 UNION ALL SELECT 1 UNION ALL SELECT 1 UNION ALL SELECT 1 UNION ALL SELECT 1)
      SELECT TOP (@n) a.n FROM ten a CROSS JOIN ten b CROSS JOIN ten c CROSS JOIN ten d CROSS JOIN ten e CROSS JOIN ten f`,
  ],
  mappings: mapped(`
t: {table: dbo.t}
routines: {functions: {report: {routine: dbo.p_report, parameters: [n]}, many: {routine: dbo.p_many, parameters: [n]}}}
`),
};

/** What a procedure may answer in rows: all digits, and no more than fits. */
export function rowsOfProcedures(served: Served): void {
  test('have all digits of their values, whatever their types', async () => {
    const answer = await served.gateway.get('/rest/$catalog/report', {
      method: 'POST',
      body: '[7]',
    });
    const text = 'é'.repeat(70_000);
    expect(answer.text).toBe(
      '{"result":{"returnValue":7,"output":{},"resultSets":[[{"long":123456789012345678901234567890.12345678,"short":-2.50,' +
        '"money":922337203685477.5807,"big":9223372036854775807,"yes":true,"at":"2024-02-29T12:00:00.123456Z","day":"2024-02-29",' +
        `"bytes":"Chs=","guid":"abcdef00-0000-0000-0000-000000000001","text":"${text}","nothing":null}],[{"a":"x","a_2":"y"}]]}}`,
    );
  });

  test('may be so many, and no more', async () => {
    const [status, body] = await served.post('$catalog/many', [100_000]);
    const { result } = body as { result: { resultSets: readonly [readonly object[]] } };
    expect([status, result.resultSets[0].length]).toEqual([200, 100_000]);
    expect(await served.post('$catalog/many', [100_001])).toMatchObject([
      400,
      { __ERROR: [{ errCode: 9012 }] },
    ]);
  });
}
