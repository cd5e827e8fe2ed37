import { mapped, type Shape } from './engines.ts';
import { lackingOn } from './server-version.ts';

/** Columns of a table that is wider than CONCAT takes values. */
const WIDE = Array.from({ length: 299 }, (_, index) => `C${index + 2}`);

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

  'CREATE TABLE dbo.heap (kind int NULL, note ntext NULL)',
  "INSERT INTO dbo.heap VALUES (2, N'b'), (1, N'a'), (NULL, NULL)",
  'CREATE TABLE dbo.bytes (content varbinary(max) NULL)',
  'INSERT INTO dbo.bytes VALUES (0x00)',

  `CREATE TABLE dbo.document (id int NOT NULL PRIMARY KEY, doc ntext NULL)`,
  `INSERT INTO dbo.document VALUES
    (1, N'{"items": [{"n": 1}, {"n": 2.5, "deep": {"é": true}}], "twice": 1, "twice": 1}'),
    (2, N'{"items": {"1": {"n": "2.5"}}}'), (3, N'no json'), (4, NULL)`,

  `CREATE TABLE dbo.wide (C1 int PRIMARY KEY, ${WIDE.map((name) => `${name} int NULL`).join(', ')})`,
  'INSERT INTO dbo.wide (C1) VALUES (1)',
];

/** A legacy schema in T-SQL as such schemas are, and mapping files that leave to the gateway what it can derive. */
export const shape: Shape = {
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
heap: {dataclass: Heap, table: dbo.heap}
bytes: {dataclass: Bytes, table: dbo.bytes}
document: {dataclass: Document, table: dbo.document, attributes: {ID: id, doc: {column: doc, type: object}}}
wide: {dataclass: Wide, table: dbo.wide, stamp: hash, attributes: {first: C1, second: C2}}
`),
};

/** Text that the code page of the database lacks. */
export const words: Shape = {
  postgres: '',
  sqlserver: [
    `CREATE TABLE dbo.word (w varchar(10) COLLATE Cyrillic_General_CS_AS NOT NULL PRIMARY KEY,
    loose nvarchar(10) COLLATE Latin1_General_CI_AS NULL)`,
    `INSERT INTO dbo.word VALUES (N'Дом', N'House'), (N'дом', N'house'), (N'abc', N'Zoo')`,
    `CREATE TABLE dbo.sentence (id int NOT NULL PRIMARY KEY,
    w varchar(10) COLLATE Cyrillic_General_CS_AS NULL CONSTRAINT FK_WORD REFERENCES dbo.word (w))`,
    `INSERT INTO dbo.sentence VALUES (1, N'Дом'), (2, N'дом'), (3, N'дом')`,
  ],
  mappings: mapped(`
word: {dataclass: Word, table: dbo.word, attributes: {w: w, loose: loose}, relations: {sentences: {inverse: Sentence.word}}}
sentence: {dataclass: Sentence, table: dbo.sentence, attributes: {ID: id}, relations: {word: {to: Word, foreignKey: FK_WORD}}}
`),
  missing: lackingOn(
    /Babelfish/,
    'Babelfish compares no varchar of another collation in a foreign key',
  ),
};
