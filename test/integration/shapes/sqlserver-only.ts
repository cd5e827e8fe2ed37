/** What only SQL Server itself can tell is run on a real server, in a container or named by `ENTITYGATE_TEST_SQLSERVER_URL`, and skipped with the reason on anything else. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { gatewayContext } from '../../../src/base/observe/observer.ts';
import type { Command } from '../../../src/database/database.ts';
import { rows } from '../../rows.ts';
import { seed } from '../../property/seed.ts';
import { ownName } from '../../targets/own-name.ts';
import { change, command, query, transaction } from '../../targets/sql.ts';
import { errors, mapped, type Served, type Shape } from './engines.ts';
import { lackingOn } from './server-version.ts';

const missing = lackingOn(/^(?!Microsoft SQL Server)/, 'the server is not a SQL Server');

/**
 * A database of a collation.
 * @param type of a column whose collation is the database's
 * @param text beyond ASCII that the column holds
 * @param found how many names are Ada's where the case is another one
 */
const collated = (collation: string, type: string, text: string, found: number): Shape => ({
  collation,
  postgres: '',
  sqlserver: [
    'CREATE SCHEMA app',
    `CREATE TABLE app.Sample (Id int NOT NULL PRIMARY KEY, Text ${type} NOT NULL, Found int NOT NULL)`,
    `INSERT INTO app.Sample VALUES (1, N'${text}', ${found})`,
    `CREATE TABLE app.Person (Id int NOT NULL PRIMARY KEY, Name ${type} NOT NULL CONSTRAINT by_name UNIQUE, Nick nvarchar(40) NULL,
      Pay decimal(12, 2) NULL, Born date NULL, Seen datetime2(3) NULL, Wakes time(0) NULL,
      Boss ${type} NULL CONSTRAINT boss_of REFERENCES app.Person (Name))`,
    `INSERT INTO app.Person VALUES (1, N'Ada', N'Ада', 1234.56, '1815-12-10', '2024-02-29T12:00:00.123', '06:30', NULL)`,
  ],
  mappings: mapped(`
sample: {dataclass: Sample, table: app.Sample, stamp: hash}
person: {dataclass: Person, table: app.Person, stamp: hash, requireStamp: false, attributes: {id: Id, name: Name, nick: Nick, pay: Pay, born: Born,
  seen: Seen, wakes: Wakes}, relations: {boss: {to: Person, foreignKey: boss_of}, staff: {inverse: boss}}}
`),
  missing,
});

export const caseSensitive = collated(
  ...(['Latin1_General_100_CS_AS', 'varchar(40)', 'Zoë costs 5 €', 0] as const),
);

/** No code page: https://learn.microsoft.com/sql/relational-databases/collations/collation-and-unicode-support */
export const unicodeOnly = collated('Indic_General_100_CI_AS', 'nvarchar(40)', 'Zoë नमस्ते', 1);

export const utf8: Shape = {
  ...collated('Latin1_General_100_CI_AS_SC_UTF8', 'varchar(40)', 'Zoë 日本 😀', 1),
  missing: missing ?? lackingOn(/SQL Server 201[67]/, 'UTF-8 collations came with SQL Server 2019'),
};

/** A login of the server's, of this run alone. */
const LOGIN = ownName();

/** Columns that a login may not see as they are. */
export const unseen: Shape = {
  postgres: '',
  sqlserver: [
    'CREATE SCHEMA app',
    'CREATE TABLE app.denied (id int NOT NULL PRIMARY KEY, name nvarchar(20) NULL, pay int NULL)',
    "INSERT INTO app.denied VALUES (1, N'Ada', 5000)",
    // Whose owner is the table's: the right to it is enough.
    'CREATE VIEW app.payroll AS SELECT id, pay FROM app.denied',
    `CREATE TABLE app.masked (id int NOT NULL PRIMARY KEY, name nvarchar(20) NULL,
      email nvarchar(40) MASKED WITH (FUNCTION = 'default()') NULL, changes int NOT NULL)`,
    "INSERT INTO app.masked VALUES (1, N'Ada', N'ada@example.com', 1)",
    `CREATE COLUMN MASTER KEY elsewhere WITH (KEY_STORE_PROVIDER_NAME = N'MSSQL_CERTIFICATE_STORE',
      KEY_PATH = N'CurrentUser/My/0000000000000000000000000000000000000000')`,
    `CREATE COLUMN ENCRYPTION KEY made_up WITH VALUES (COLUMN_MASTER_KEY = elsewhere, ALGORITHM = 'RSA_OAEP',
      ENCRYPTED_VALUE = 0x${'01'.repeat(256)})`,
    `CREATE TABLE app.encrypted (id int NOT NULL PRIMARY KEY, name nvarchar(20) NULL,
      ssn nvarchar(11) COLLATE Latin1_General_BIN2 ENCRYPTED WITH (COLUMN_ENCRYPTION_KEY = made_up, ENCRYPTION_TYPE = DETERMINISTIC,
      ALGORITHM = 'AEAD_AES_256_CBC_HMAC_SHA_256') NULL)`,
    "INSERT INTO app.encrypted (id, name) VALUES (1, N'Ada')",
    `CREATE LOGIN ${LOGIN} WITH PASSWORD = 'Secret-1A'`,
    `CREATE USER ${LOGIN} FOR LOGIN ${LOGIN}`,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON SCHEMA::app TO ${LOGIN}`,
    `DENY SELECT ON app.denied (pay) TO ${LOGIN}`,
  ],
  mappings: mapped(`
denied: {dataclass: Denied, table: app.denied, stamp: hash}
payroll: {dataclass: Payroll, view: app.payroll, key: [id], stamp: {counter: pay}, readOnly: true}
masked: {dataclass: Masked, table: app.masked, stamp: {counter: changes}, attributes: {id: id, name: name, email: email}}
encrypted: {dataclass: Encrypted, table: app.encrypted, stamp: hash}
`),
  login: { user: LOGIN, password: 'Secret-1A' },
  missing,
};

/** A member table of a partitioned view; the view is written to only where each has such a check, and the key holds its column. */
const member = (year: number): string =>
  `CREATE TABLE app.sale_${year} (year int NOT NULL CHECK (year = ${year}), no int NOT NULL, amount int NULL,
    changes int NOT NULL, PRIMARY KEY (year, no))`;

/**
 * A partitioned view, which takes no OUTPUT, a view that makes a column of the time, columns that hold all of Unicode or a code page, rows longer than a
 * sort takes, and a trigger that catches an error: this dooms its transaction, whoever catches it, since XACT_ABORT is on in triggers.
 */
export const shape: Shape = {
  postgres: '',
  sqlserver: [
    'CREATE SCHEMA app',
    member(2023),
    member(2024),
    'CREATE VIEW app.sale AS SELECT year, no, amount, changes FROM app.sale_2023 UNION ALL SELECT year, no, amount, changes FROM app.sale_2024',
    'INSERT INTO app.sale_2023 VALUES (2023, 1, 10, 1), (2023, 2, 20, 1)',
    'INSERT INTO app.sale_2024 VALUES (2024, 1, 30, 1)',
    'CREATE TABLE app.emp (id int NOT NULL PRIMARY KEY, name nvarchar(20) NOT NULL)',
    "INSERT INTO app.emp VALUES (1, N'Ada')",
    'CREATE VIEW app.aged AS SELECT id, name, SYSUTCDATETIME() AS seen FROM app.emp',
    'CREATE TABLE app.code (id varchar(10) COLLATE Latin1_General_CI_AS NOT NULL PRIMARY KEY, name nvarchar(40) NULL)',
    "INSERT INTO app.code VALUES ('?', N'a question mark'), ('o', N'a letter')",
    'CREATE TABLE app.single (id int NOT NULL PRIMARY KEY)',
    'INSERT INTO app.single VALUES (1)',
    'CREATE TABLE app.swallowing (id int NOT NULL PRIMARY KEY, name nvarchar(20) NULL)',
    "INSERT INTO app.swallowing VALUES (1, N'kept'), (2, N'free')",
    `CREATE TRIGGER app.swallow ON app.swallowing AFTER INSERT, UPDATE, DELETE AS BEGIN SET NOCOUNT ON;
      IF NOT EXISTS (SELECT 1 FROM inserted WHERE name = N'bad') AND NOT EXISTS (SELECT 1 FROM deleted WHERE name = N'kept') RETURN;
      DECLARE @number int; BEGIN TRY INSERT INTO app.single VALUES (1); END TRY BEGIN CATCH SET @number = ERROR_NUMBER(); END CATCH END`,
    'CREATE TABLE app.note (id int NOT NULL PRIMARY KEY, text nvarchar(max) NULL)',
    'CREATE TABLE app.measure (id int NOT NULL PRIMARY KEY, value float NULL)',
    'CREATE TABLE app.heap (a nvarchar(4000) NULL, b nvarchar(4000) NULL, c nvarchar(4000) NULL)',
    `INSERT INTO app.heap SELECT v.a + t.x, v.a + t.x, v.a + n.x FROM (VALUES (REPLICATE(N'x', 3999))) v(a),
      (VALUES (N'1')) t(x), (VALUES (N'1'), (N'2'), (N'3')) n(x)`,
    'CREATE TABLE app.document (id int NOT NULL PRIMARY KEY, content xml NULL)',
  ],
  mappings: mapped(`
sale: {dataclass: Sale, view: app.sale, key: [year, no], stamp: {counter: changes}, attributes: {year: year, no: no, amount: amount}}
aged: {dataclass: Aged, view: app.aged, key: [id], attributes: {id: id, name: name, seen: seen}}
code: {dataclass: Code, table: app.code, stamp: hash, requireStamp: false}
swallowing: {dataclass: Swallowing, table: app.swallowing, stamp: hash, requireStamp: false}
note: {dataclass: Note, table: app.note, stamp: hash, requireStamp: false, attributes: {id: id, text: text}}
measure: {dataclass: Measure, table: app.measure, stamp: hash, attributes: {id: id, value: value}}
heap: {dataclass: Heap, table: app.heap, stamp: hash}
document: {dataclass: Document, table: app.document, stamp: hash, requireStamp: false}
`),
};

/** Longer than what an nvarchar column holds that is not `max`. */
const LONG = `é${'x'.repeat(5000)}`;

/** What a LIKE pattern may have: 8,000 bytes (https://learn.microsoft.com/sql/t-sql/language-elements/like-transact-sql). */
const PATTERN = 4000;

/** Fills an nvarchar(4000). */
const FULL = 'x'.repeat(3999);

const DOUBLES = 10_000;

/** Doubles that float(53) documents to hold: normal ones, and 0. */
const double = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  .filter((value) => Math.abs(value) >= 2 ** -1022 || Object.is(value, 0));

/** Values too long, or too many, for a line. */
export function longValues(served: Served): void {
  test('text of 5,001 characters is saved whole, alone and among others, and found', async ({
    skip,
  }) => {
    skip(served.isBabelfish, 'Babelfish cuts long text among others');
    const first = { id: 1, text: LONG };
    expect(await served.post('Note', first)).toMatchObject([200, first]);
    const others = [
      { id: 2, text: 'short' },
      { id: 3, text: `${LONG}!` },
    ];
    expect(await served.post('Note', others)).toMatchObject([200, { __ENTITIES: others }]);
    const changed = { __KEY: 2, text: `2${LONG}` };
    expect(await served.post('Note', changed)).toMatchObject([200, { text: changed.text }]);
    const found = [200, { __COUNT: 1, __ENTITIES: [first] }];
    expect(await served.get(`Note?$filter="text = '${LONG}'"`)).toMatchObject(found);
    // So many that they travel as JSON.
    const list = [...Array.from({ length: 60 }, (_, index) => `none ${index}`), LONG];
    const params = encodeURIComponent(JSON.stringify([list]));
    expect(await served.get(`Note?$filter="text IN :1"&$params='${params}'`)).toMatchObject(found);
  });

  test('a pattern of 4,000 characters finds, and a longer one is refused', async () => {
    const note = { id: 10, text: 'y'.repeat(PATTERN) };
    await served.post('Note', note);
    const find = (text: string): ReturnType<Served['get']> =>
      served.get(`Note?$filter="text begin '${encodeURIComponent(text)}'"`);
    // The wildcard behind it counts, too.
    const longest = await find(note.text.slice(1));
    expect(longest).toMatchObject([200, { __COUNT: 1, __ENTITIES: [note] }]);
    // Escaped, each of these is three characters.
    for (const longer of [note.text, '%'.repeat(Math.ceil(PATTERN / 3))]) {
      const refused = errors([1508, expect.any(String) as string]);
      expect(await find(longer)).toEqual([400, refused]);
    }
  });

  test('10,000 doubles keep every bit, as JSON and as parameters', async () => {
    const values = fc.sample(double, { numRuns: DOUBLES, seed });
    const all = values.map((value, index) => ({ id: index + 1, value }));
    const parts = Array.from({ length: DOUBLES / 1000 }, (_, at) =>
      all.slice(at * 1000, (at + 1) * 1000),
    );
    for (const part of parts) expect((await served.post('Measure', part))[0]).toBe(200);
    const { text } = await served.gateway.get(`/rest/Measure?$top=${DOUBLES}&$asArray=true`);
    const read = JSON.parse(text) as readonly { readonly id: number; readonly value: number }[];
    const wrong = all.filter(({ value }, index) => !Object.is(read[index]?.value, value));
    expect({ seed, count: read.length, wrong }).toEqual({ seed, count: DOUBLES, wrong: [] });

    // Where a double goes as eight bytes, it is the one that went as text.
    let met = 0;
    const float = { kind: 'float', bits: 64, native: 'float' } as const;
    for (const part of parts) {
      const pairs = part.map(({ id }, index) => `(${id}, @p${index + 1})`).join(', ');
      const equal = command(
        `SELECT m.id FROM app.measure m JOIN (VALUES ${pairs}) v(id, value) ON v.id = m.id AND v.value = m.value`,
        'read',
        part.map(({ value }, index) => [{ kind: 'rowField', index, type: float }, String(value)]),
      );
      met += (await served.gateway.database.run(equal, gatewayContext)).rows.length;
    }
    expect({ seed, met }).toEqual({ seed, met: DOUBLES });
  });

  test('a table without key whose rows are longer than a sort takes has its pages', async () => {
    const last: string[] = [];
    for (const skip of [0, 1, 2]) {
      const [status, body] = await served.get(`Heap?$top=1&$skip=${skip}`);
      const c = expect.stringMatching(/^x{3999}.$/) as string;
      const row = { a: `${FULL}1`, b: `${FULL}1`, c };
      expect([status, body]).toMatchObject([200, { __COUNT: 3, __ENTITIES: [row] }]);
      const [one] = (body as { __ENTITIES: readonly { c: string }[] }).__ENTITIES;
      last.push(one?.c.slice(-1) ?? '');
    }
    expect(last.toSorted()).toEqual(['1', '2', '3']);
  });
}

/** Columns of the type json. */
export const json: Shape = {
  postgres: '',
  sqlserver: [
    'CREATE SCHEMA app',
    'CREATE TABLE app.document (id int NOT NULL PRIMARY KEY, doc json NULL)',
  ],
  mappings: mapped(
    'document: {dataclass: Document, table: app.document, stamp: hash, requireStamp: false}',
  ),
  missing:
    missing ?? lackingOn(/SQL Server 20(?:1\d|22)/, 'the type json came with SQL Server 2025'),
};

/** In seconds. */
const LIMIT = 5;

/** Rows of which one fills a page of the server's, so that the first ones are sent long before the last ones are read. */
const ROWS = 300;

/** Tables whose rows are locked by others. */
export const locked: Shape = {
  postgres: '',
  sqlserver: [
    // The default of the box, not of Azure: readers wait for writers.
    'ALTER DATABASE CURRENT SET READ_COMMITTED_SNAPSHOT OFF',
    'CREATE SCHEMA app',
    'CREATE TABLE app.line (id int NOT NULL PRIMARY KEY, text nvarchar(4000) NOT NULL)',
    `WITH d AS (SELECT n FROM (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) v(n))
      INSERT INTO app.line SELECT TOP (${ROWS}) n, REPLICATE(N'x', 3900) FROM
        (SELECT a.n + 10 * b.n + 100 * c.n + 1 AS n FROM d a, d b, d c) numbered ORDER BY n`,
    `CREATE TABLE app.version (id int NOT NULL PRIMARY KEY, name nvarchar(20) NULL, changes int NOT NULL,
      valid_from datetime2 GENERATED ALWAYS AS ROW START NOT NULL, valid_to datetime2 GENERATED ALWAYS AS ROW END NOT NULL,
      PERIOD FOR SYSTEM_TIME (valid_from, valid_to)) WITH (SYSTEM_VERSIONING = ON (HISTORY_TABLE = app.version_history))`,
    "INSERT INTO app.version (id, name, changes) VALUES (1, N'one', 1), (2, N'two', 1)",
  ],
  mappings: mapped(`
line: {dataclass: Line, table: app.line, stamp: hash}
version: {dataclass: Version, table: app.version, stamp: {counter: changes}, attributes: {id: id, name: name}}
`),
  statementTimeoutSeconds: LIMIT,
  missing,
};

/** Requests that wait for the locks of others. */
export function waiting(served: Served): void {
  test('a page that meets a lock in its middle ends in time, and the connections serve on', async () => {
    const { database } = served.gateway;
    await transaction(database, async (other) => {
      await change(other, `UPDATE app.line SET text = N'' WHERE id = ${ROWS - 50}`);
      const begun = performance.now();
      const late = errors([9003, expect.any(String) as string]);
      expect(await served.get(`Line?$top=${ROWS}`)).toEqual([504, late]);
      const seconds = (performance.now() - begun) / 1000;
      expect(seconds).toBeGreaterThanOrEqual(LIMIT);
      expect(seconds).toBeLessThan(LIMIT + 3);
    });
    const again = await Promise.all(
      Array.from({ length: 8 }, () => served.get(`Line?$top=${ROWS}&$attributes=id`)),
    );
    for (const answer of again) expect(answer).toMatchObject([200, { __SENT: ROWS }]);
    expect(await served.get(`Line(${ROWS - 50})`)).toMatchObject([200, { text: '' }]);
  });

  // https://learn.microsoft.com/sql/relational-databases/tables/temporal-tables: times are those of the transactions' beginnings.
  test('a row of a system-versioned table that another program changed since the save began (13535) is saved by a second try', async () => {
    const { database } = served.gateway;
    let saving: Promise<unknown> = Promise.resolve();
    const names = ['uno', 'due'].map((name) => ({ name }));
    await transaction(database, async (other) => {
      await change(other, "UPDATE app.version SET name = N'held' WHERE id = 1");
      const body = names.map((name, at) => ({ __KEY: at + 1, ...name }));
      saving = served.post('Version?$atomic=true', body);
      const blocked =
        'SELECT COUNT(*) FROM sys.dm_exec_requests WHERE database_id = DB_ID() AND blocking_session_id <> 0';
      await expect
        .poll(async () => (await query(database, blocked)).flat(), { timeout: 10_000 })
        .toEqual([1]);
      await change(database, "UPDATE app.version SET name = N'between' WHERE id = 2");
    });
    expect(await saving).toMatchObject([200, { __ENTITIES: names }]);
    const read = await served.get('Version?$attributes=name');
    expect(read).toMatchObject([200, { __ENTITIES: names }]);
    const history = 'SELECT name FROM app.version_history ORDER BY id, valid_from';
    expect(await query(database, history)).toEqual([['one'], ['held'], ['two'], ['between']]);
  });
}

const OWNERS = 2000;
const ITEMS = 20_000;

/** Rows `n` from 0 on. */
const numbers = (count: number): string =>
  `WITH d AS (SELECT n FROM (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) v(n)),
    numbered AS (SELECT a.n + 10 * b.n + 100 * c.n + 1000 * e.n + 10000 * f.n AS n FROM d a, d b, d c, d e, (VALUES (0), (1)) f(n)),
    counted AS (SELECT n FROM numbered WHERE n < ${count})`;

/** Tables large enough that a scan is dearer than a seek. */
export const indexed: Shape = {
  postgres: '',
  sqlserver: [
    'CREATE SCHEMA app',
    'CREATE TABLE app.owner (id int NOT NULL CONSTRAINT owner_key PRIMARY KEY, name nvarchar(40) NOT NULL, version rowversion NOT NULL)',
    `${numbers(OWNERS)} INSERT INTO app.owner (id, name) SELECT n, CONCAT(N'Owner ', n) FROM counted`,
    `CREATE TABLE app.item (id int NOT NULL CONSTRAINT item_key PRIMARY KEY,
      owner_id int NOT NULL CONSTRAINT item_owner_key REFERENCES app.owner (id), code nvarchar(20) NULL,
      fine datetime2(3) NOT NULL, coarse datetime NOT NULL, day date NOT NULL, filler nchar(200) NOT NULL, version rowversion NOT NULL)`,
    `${numbers(ITEMS)} INSERT INTO app.item (id, owner_id, code, fine, coarse, day, filler) SELECT n, n % ${OWNERS},
      CASE WHEN n % 4000 > 0 THEN CONCAT(N'C', n) END, DATEADD(MINUTE, n, '2020-01-01'), DATEADD(MINUTE, n, '2020-01-01'),
      DATEADD(DAY, n, '1990-01-01'), N'' FROM counted`,
    'CREATE INDEX item_owner ON app.item (owner_id)',
    'CREATE INDEX item_code ON app.item (code)',
    'CREATE INDEX item_fine ON app.item (fine)',
    'CREATE INDEX item_coarse ON app.item (coarse)',
    'CREATE INDEX item_day ON app.item (day)',
  ],
  mappings: mapped(`
owner: {dataclass: Owner, table: app.owner, attributes: {id: id, name: name}, relations: {items: {inverse: Item.owner}}}
item: {dataclass: Item, table: app.item, attributes: {id: id, code: code, fine: fine, coarse: coarse, day: day}, relations: {owner: {to: Owner,
  foreignKey: item_owner_key}}}
`),
  missing,
};

/** 500 values and null. */
const CODES = encodeURIComponent(
  JSON.stringify([[...Array.from({ length: 500 }, (_, index) => `C${index * 30 + 1}`), null]]),
);

/** How statements come to the rows of items. */
export function plans(served: Served): void {
  /** `Seek item_fine` for each operator of an actual plan that goes to items, in their order; the command is run once more, with its values. */
  const accesses = async ({ statement, values }: Command): Promise<string[]> => {
    // https://learn.microsoft.com/sql/t-sql/statements/set-statistics-xml-transact-sql: set at run time, it need not be alone in its batch,
    // and the plan of each statement comes behind what the statement answers.
    const text = `SET STATISTICS XML ON; ${statement.text}`;
    // Of a write the last result set is answered.
    const explained = { ...statement, name: `explain ${statement.name}`, text, effect: 'write' };
    const asked = { statement: explained as Command['statement'], values };
    const [row] = (await served.gateway.database.run(asked, gatewayContext)).rows;
    const plan = String(row?.[0]);
    expect(plan).toContain('<ShowPlanXML');
    // https://learn.microsoft.com/sql/relational-databases/showplan-logical-and-physical-operators-reference
    const operators =
      /<RelOp [^>]*PhysicalOp="(?:Table|Index|Clustered Index) (Scan|Seek)"[^>]*>[\s\S]*?<Object ([^>]*)>/g;
    return [...plan.matchAll(operators)].flatMap(([, operator = '', object = '']) =>
      /\bTable="\[item\]"/.test(object)
        ? [`${operator} ${/\bIndex="\[([^"]*)\]"/.exec(object)?.[1] ?? ''}`]
        : [],
    );
  };

  test.each(rows`
    # What is related to the entities of a page.
    item_owner  | Owner?$filter="id >= 100 AND id < 150"&$expand=items
    item_owner  | Owner(42)/items
    item_code   | Item?$filter="code IN :1"&$params='CODES'&$top=600
    item_fine   | Item?$filter="fine = 2020-01-01T00:42:00Z"
    item_fine   | Item?$filter="fine IN [2020-01-01T00:42:00Z, 2020-01-01T00:43:00Z]"
    item_fine   | Item?$filter="fine >= 2020-01-01T00:42:00Z AND fine < 2020-01-01T00:52:00Z"
    item_coarse | Item?$filter="coarse = 2020-01-01T00:42:00Z"
    item_coarse | Item?$filter="coarse IN [2020-01-01T00:42:00Z, 2020-01-01T00:43:00Z]"
    item_coarse | Item?$filter="coarse >= 2020-01-01T00:42:00Z AND coarse < 2020-01-01T00:52:00Z"
    item_day    | Item?$filter="day = 1990-02-03"
    item_day    | Item?$filter="day >= 1990-02-03 AND day < 1990-02-13"
  `)('%s is sought by %s', async (index, path) => {
    served.gateway.takeCalls();
    const { status, body } = await served.gateway.get(`/rest/${path.replace('CODES', CODES)}`);
    const found = index === 'item_code' ? { __COUNT: 505 } : {};
    expect([status, body]).toMatchObject([200, found]);
    const ways: string[] = [];
    for (const call of served.gateway.takeCalls()) ways.push(...(await accesses(call)));
    // The rows that a seek finds are fetched from the table by its key, but for what the index has itself.
    expect(ways.filter((way) => !way.startsWith('Seek '))).toEqual([]);
    expect(ways).toContain(`Seek ${index}`);
  });
}
