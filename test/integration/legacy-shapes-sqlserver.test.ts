import { expect, test } from 'vitest';
import { errors, mapped, onEngines, type Shape } from './shapes/engines.ts';

/** Columns of a table that is wider than CONCAT takes values. */
const WIDE = Array.from({ length: 300 }, (_, index) => `C${index + 1}`);

/** Batches that make the schema. */
const batches: readonly string[] = [
  'CREATE SCHEMA "old] stuff"',
  'CREATE SCHEMA "select"',
  `CREATE TABLE "old] stuff"."or]der ""x"" [a]" (
    "group by" int NOT NULL, "a]b" date NOT NULL, "it's" uniqueidentifier NOT NULL, "q""q" nvarchar(10) NULL,
    CONSTRAINT "PK ]'"" x" PRIMARY KEY ("group by", "a]b", "it's"))`,
  `INSERT INTO "old] stuff"."or]der ""x"" [a]" VALUES
    (1, '2024-02-29', 'C0FFEE00-0000-4000-8000-00000000000A', N'x'),
    (1, '2024-02-29', 'C0FFEE00-0000-4000-8000-00000000000B', NULL)`,

  `CREATE TABLE "select"."table" (code char(4) NOT NULL, price decimal(38, 2) NULL, "order" int NULL)`,
  `CREATE UNIQUE INDEX "by code" ON "select"."table" (code)`,
  `INSERT INTO "select"."table" VALUES ('ab', 1.50, 1), ('abcd', NULL, 2)`,
  `CREATE TABLE "select".line (id int NOT NULL PRIMARY KEY, code char(4) NULL, other char(4) NULL,
    CONSTRAINT FK_CODE FOREIGN KEY (code) REFERENCES "select"."table" (code),
    CONSTRAINT FK_OTHER FOREIGN KEY (other) REFERENCES "select"."table" (code))`,
  `INSERT INTO "select".line VALUES (1, 'ab', 'abcd'), (2, 'ab', NULL), (3, 'abcd', 'ab')`,

  `CREATE TABLE dbo.happening (at datetime NOT NULL PRIMARY KEY, what text NULL)`,
  `INSERT INTO dbo.happening VALUES ('2024-02-29T12:00:00.003', 'one'), ('2024-02-29T12:00:00.007', 'two')`,
  `CREATE TABLE dbo.witness (id int NOT NULL PRIMARY KEY, at datetime NULL
    CONSTRAINT FK_AT REFERENCES dbo.happening (at))`,
  `INSERT INTO dbo.witness VALUES (1, '2024-02-29T12:00:00.003'), (2, '2024-02-29T12:00:00.007'),
    (3, '2024-02-29T12:00:00.007')`,

  `CREATE TABLE dbo.word (w varchar(10) COLLATE Cyrillic_General_CS_AS NOT NULL PRIMARY KEY,
    loose nvarchar(10) COLLATE Latin1_General_CI_AS NULL)`,
  `INSERT INTO dbo.word VALUES (N'Дом', N'House'), (N'дом', N'house'), (N'abc', N'Zoo')`,
  `CREATE TABLE dbo.sentence (id int NOT NULL PRIMARY KEY,
    w varchar(10) COLLATE Cyrillic_General_CS_AS NULL CONSTRAINT FK_WORD REFERENCES dbo.word (w))`,
  `INSERT INTO dbo.sentence VALUES (1, N'Дом'), (2, N'дом'), (3, N'дом')`,

  'CREATE TABLE dbo.heap (kind int NULL, note ntext NULL)',
  "INSERT INTO dbo.heap VALUES (2, N'b'), (1, N'a'), (NULL, NULL)",
  'CREATE TABLE dbo.bytes (content varbinary(max) NULL)',
  'INSERT INTO dbo.bytes VALUES (0x00)',

  `CREATE TABLE dbo.document (id int NOT NULL PRIMARY KEY, doc ntext NULL)`,
  `INSERT INTO dbo.document VALUES
    (1, N'{"items": [{"n": 1}, {"n": 2.5, "deep": {"é": true}}], "twice": 1, "twice": 1}'),
    (2, N'{"items": {"1": {"n": "2.5"}}}'), (3, N'no json'), (4, NULL)`,

  `CREATE TABLE dbo.wide (${WIDE.map((name) => `${name} int NULL`).join(', ')})`,
  'INSERT INTO dbo.wide (C1, C300) VALUES (1, NULL), (1, 1)',
];

/** A legacy schema in T-SQL as such schemas are, and mapping files that leave to the gateway what it can derive. */
const legacySchema: Shape = {
  postgres: '',
  sqlserver: batches,
  mappings: mapped(`
odd: {table: {schema: 'old] stuff', name: 'or]der "x" [a]'}, dataclass: Odd}
table: {dataclass: Item, table: select.table, attributes: {code: code, price: price, order: order},
  relations: {lines: {inverse: Line.item}, others: {inverse: Line.other}}}
line: {dataclass: Line, table: select.line, attributes: {ID: id},
  relations: {item: {to: Item, foreignKey: FK_CODE}, other: {to: Item, foreignKey: FK_OTHER}}}
happening: {dataclass: Happening, table: dbo.happening, attributes: {at: at, what: what}, relations: {witnesses: {inverse: Witness.happening}}}
witness: {dataclass: Witness, table: dbo.witness, attributes: {ID: id}, relations: {happening: {to: Happening, foreignKey: FK_AT}}}
word: {dataclass: Word, table: dbo.word, attributes: {w: w, loose: loose}, relations: {sentences: {inverse: Sentence.word}}}
sentence: {dataclass: Sentence, table: dbo.sentence, attributes: {ID: id}, relations: {word: {to: Word, foreignKey: FK_WORD}}}
heap: {dataclass: Heap, table: dbo.heap}
bytes: {dataclass: Bytes, table: dbo.bytes}
document: {dataclass: Document, table: dbo.document, attributes: {ID: id, doc: {column: doc, type: object}}}
wide: {dataclass: Wide, table: dbo.wide, attributes: {first: C1}}
`),
};

const stamp = expect.any(Number) as number;

function entity(key: string, fields: object): object {
  return { __KEY: key, __STAMP: stamp, ...fields };
}

function page(entities: readonly object[]): object {
  return {
    __GlobalStamp: expect.any(Number) as number,
    __COUNT: entities.length,
    __FIRST: 0,
    __ENTITIES: entities,
    __SENT: entities.length,
  };
}

/** The whole answer of a collection object. */
function collection(dataclass: string, entities: readonly object[]): object {
  return { __DATACLASS: dataclass, __entityModel: dataclass, ...page(entities) };
}

function single(dataclass: string, key: string, fields: object): object {
  return { __entityModel: dataclass, __DATACLASS: dataclass, ...entity(key, fields) };
}

function nested(uri: string, entities: readonly object[]): object {
  return { __ENTITYSET: uri, ...page(entities) };
}

onEngines('a legacy schema', legacySchema, (served) => {
  async function body(path: string): Promise<unknown> {
    const [status, told] = await served.get(path);
    return status === 200 ? told : [status, told];
  }

  /** The IDs of the documents that a filter finds. */
  async function documents(filter: string): Promise<unknown> {
    return body(`Document/ID?$filter="${filter}"`);
  }

  test('names with blanks, quotes, brackets and reserved words; a key of integer, date and GUID', async () => {
    const guid = 'c0ffee00-0000-4000-8000-00000000000';
    const key = (last: string): string => `{"groupBy":1,"aB":"2024-02-29","itS":"${guid}${last}"}`;
    const fields = (last: string, text: string | null): object => ({
      groupBy: 1,
      aB: '2024-02-29',
      itS: `${guid}${last}`,
      qQ: text,
    });
    expect(await body('Odd')).toEqual(
      collection('Odd', [entity(key('a'), fields('a', 'x')), entity(key('b'), fields('b', null))]),
    );
    expect(await body(`Odd(1;2024-02-29;${guid}b)`)).toEqual(
      single('Odd', key('b'), fields('b', null)),
    );
    expect(await body('Odd?$filter="qQ=x"')).toEqual(
      collection('Odd', [entity(key('a'), fields('a', 'x'))]),
    );
  });

  test('a unique index is the key where there is no other; padding is not part of it', async () => {
    const fields = { code: 'ab  ', price: 1.5, order: 1 };
    expect(await body('Item(ab)?$attributes=code,price,order')).toEqual(
      single('Item', 'ab', fields),
    );
    expect(await body('Item/order?$filter="price > 1.499"')).toEqual(
      collection('Item', [entity('ab', { order: 1 })]),
    );
  });

  test('two foreign keys to one table, over CHAR, lead both ways', async () => {
    expect(await body('Item?$attributes=lines.ID,others.ID')).toEqual(
      collection('Item', [
        entity('ab', {
          lines: nested('/rest/Item(ab)/lines?$expand=lines', [
            entity('1', { ID: 1 }),
            entity('2', { ID: 2 }),
          ]),
          others: nested('/rest/Item(ab)/others?$expand=others', [entity('3', { ID: 3 })]),
        }),
        entity('abcd', {
          lines: nested('/rest/Item(abcd)/lines?$expand=lines', [entity('3', { ID: 3 })]),
          others: nested('/rest/Item(abcd)/others?$expand=others', [entity('1', { ID: 1 })]),
        }),
      ]),
    );
    expect(await body('Line(1)')).toEqual(
      single('Line', '1', {
        ID: 1,
        item: { __deferred: { uri: '/rest/Item(ab)', __KEY: 'ab' } },
        other: { __deferred: { uri: '/rest/Item(abcd)', __KEY: 'abcd' } },
      }),
    );
  });

  test('a key of datetime, to its third of 0.01 s', async () => {
    const key = '2024-02-29T12:00:00.007Z';
    expect(await body(`Happening(${key})?$attributes=what,witnesses.ID`)).toEqual(
      single('Happening', key, {
        what: 'two',
        witnesses: nested(
          `/rest/Happening(${encodeURIComponent(key)})/witnesses?$expand=witnesses`,
          [entity('2', { ID: 2 }), entity('3', { ID: 3 })],
        ),
      }),
    );
    expect(await body('Happening(2024-02-29T12:00:00.006Z)')).toEqual([
      404,
      errors([1543, 'There is no entity Happening(2024-02-29T12:00:00.006Z).']),
    ]);
  });

  test('a varchar key outside the database’s code page, by a case-sensitive collation', async () => {
    expect(await body('Word("дом")?$attributes=w,loose,sentences.ID')).toEqual(
      single('Word', 'дом', {
        w: 'дом',
        loose: 'house',
        sentences: nested(
          `/rest/Word(${encodeURIComponent('"дом"')})/sentences?$expand=sentences`,
          [entity('2', { ID: 2 }), entity('3', { ID: 3 })],
        ),
      }),
    );
    expect(await body('Word/w?$filter="w IN [Дом, 日本]"')).toEqual(
      collection('Word', [entity('Дом', { w: 'Дом' })]),
    );
    expect(await body('Word/loose?$filter="loose = HOUSE"&$orderby=w desc')).toMatchObject({
      __COUNT: 2,
    });
  });

  test('a table without any key is read by filter, in the order of its columns, and where nothing orders it all the same', async () => {
    const rows = [
      { __STAMP: stamp, kind: null, note: null },
      { __STAMP: stamp, kind: 1, note: 'a' },
      { __STAMP: stamp, kind: 2, note: 'b' },
    ];
    expect(await body('Heap')).toEqual(collection('Heap', rows));
    expect(await body('Heap?$filter="note=b"')).toEqual(collection('Heap', rows.slice(2)));
    expect(await body('Bytes')).toMatchObject({ __COUNT: 1, __SENT: 1 });
  });

  test('JSON in ntext: paths go through objects and arrays', async () => {
    const first = collection('Document', [entity('1', { ID: 1 })]);
    expect(await documents('doc.items.1.n = 2.5')).toEqual(first);
    expect(await documents('doc.items.1.deep.é')).toEqual(first);
    expect(await documents('doc.twice = 1')).toEqual(first);
    expect(await documents("doc.items.1.n = '2.5'")).toEqual(
      collection('Document', [entity('1', { ID: 1 }), entity('2', { ID: 2 })]),
    );
    expect(await documents(`doc.twice = 1${'0'.repeat(30)}`)).toEqual(collection('Document', []));
    expect(await documents(`doc.twice < 1${'0'.repeat(30)}`)).toEqual(first);
  });

  test('a hash tells changes in the last of 300 columns', async () => {
    const found = await body('Wide');
    const row = { __STAMP: stamp, first: 1 };
    expect(found).toEqual(collection('Wide', [row, row]));
    const { __ENTITIES: rows } = found as { __ENTITIES: readonly { __STAMP: number }[] };
    expect(new Set(rows.map(({ __STAMP }) => __STAMP)).size).toBe(2);
  });
});
