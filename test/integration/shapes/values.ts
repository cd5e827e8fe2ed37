import { COUNTED, mapped, type Shape } from './engines.ts';
import { inBothLanguages } from './languages.ts';

const statements = [
  'CREATE TABLE app.doc (id int PRIMARY KEY, body TEXT_TYPE, extra JSON_TYPE)',
  `INSERT INTO app.doc VALUES (1, 'null', 'null'), (2, NULL, NULL), (3, ' null ', '{"a":null}'), (4, '{"a":1}', '"null"')`,
  'CREATE TABLE app.event (id int PRIMARY KEY, milli MILLI_TYPE, whole WHOLE_TYPE, coarse COARSE_TYPE, hour time(3), note NAME_TYPE)',
  'CREATE TABLE app.part (id BYTES_TYPE NOT NULL PRIMARY KEY, name NAME_TYPE, parent BYTES_TYPE REFERENCES app.part (id))',
  'CREATE TABLE app."use" (part BYTES_TYPE REFERENCES app.part (id), line int, note NAME_TYPE, PRIMARY KEY (part, line))',
  "INSERT INTO app.part VALUES (0x0A1B2C3D, 'root', NULL)",
  "INSERT INTO app.part VALUES (0x00000001, 'one', 0x0A1B2C3D), (0x00000002, 'two', 0x0A1B2C3D)",
  `INSERT INTO app."use" VALUES (0x00000001, 1, 'a'), (0x00000001, 2, 'b'), (0x0A1B2C3D, 1, 'c')`,
  'CREATE VIEW app.kit AS SELECT id, name FROM app.part',
  'CREATE TABLE app.box (id int PRIMARY KEY, kit BYTES_TYPE, note NAME_TYPE)',
  "INSERT INTO app.box VALUES (1, 0x0A1B2C3D, 'a'), (2, 0x0A1B2C3D, 'b'), (3, 0x00000009, 'lost'), (4, NULL, 'none')",
  'CREATE TABLE app.code (id int PRIMARY KEY, code char(4) NOT NULL UNIQUE)',
  'CREATE TABLE app.coded (id int PRIMARY KEY, code varchar(10))',
  "INSERT INTO app.code VALUES (1, 'ab'), (2, 'cd')",
  "INSERT INTO app.coded VALUES (1, 'ab'), (2, 'AB'), (3, 'xy'), (4, NULL)",
];

/** JSON that is null, times of fewer digits than clients send, and keys of bytes. */
export const oddValues: Shape = {
  ...inBothLanguages(statements, {
    TEXT_TYPE: ['text', 'nvarchar(max)'],
    MILLI_TYPE: ['timestamp(3)', 'datetime2(3)'],
    WHOLE_TYPE: ['timestamp(0)', 'datetime2(0)'],
    COARSE_TYPE: ['timestamp(2)', 'datetime'],
    NAME_TYPE: ['varchar(20)', 'nvarchar(20)'],
    BYTES_TYPE: ['bytea', 'binary(4)'],
  }),
  mappings: mapped(`
doc: {dataclass: Doc, table: app.doc, stamp: hash, attributes: {id: id, body: {column: body, type: object}, extra: {column: extra, type: object}}}
event: {dataclass: Event, table: app.event, stamp: hash}
part: {dataclass: Part, table: app.part, stamp: hash, requireStamp: false, attributes: {id: id, name: name, parentId: parent},
  relations: {parent: {to: Part, columns: {parent: id}}, parts: {inverse: Part.parent}, uses: {inverse: Use.part}}}
use: {dataclass: Use, table: app.use, stamp: hash, requireStamp: false, attributes: {partId: part, line: line, note: note},
  relations: {part: {to: Part, columns: {part: id}}}}
kit: {dataclass: Kit, view: app.kit, key: [id], readOnly: true, relations: {boxes: {inverse: Box.kit}}}
code: {dataclass: Code, table: app.code, stamp: hash, attributes: {id: id, code: code}}
coded: {dataclass: Coded, table: app.coded, stamp: hash, requireStamp: false, attributes: {id: id, text: code}, relations: {code: {to: Code,
  columns: {code: code}}}}
box: {dataclass: Box, table: app.box, stamp: hash, attributes: {id: id, kitId: kit, note: note}, relations: {kit: {to: Kit, columns: {kit: id}}}}
`),
  verbs: { COUNTED },
};
