import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { InitPlan } from '../../../src/cli/init/plan.ts';
import { rulesSchema, type Rules } from '../../../src/cli/init/rules.ts';
import type { Mapping } from '../../../src/config/mapping.ts';
import type { PhysicalSchema } from '../../../src/schema/types.ts';
import { planned, schemaIn, schemaOf, table } from './tables.ts';
import { rows } from '../../rows.ts';

const plan = (schema: PhysicalSchema, rules: Partial<Rules> = {}): Promise<InitPlan> =>
  planned({ schema, rules: rulesSchema.parse(rules) });

/** The mapping files of a first run, by their names. */
async function mapped(
  schema: PhysicalSchema,
  rules: Partial<Rules> = {},
): Promise<Record<string, Mapping>> {
  const { writes } = await plan(schema, rules);
  return Object.fromEntries(
    writes.map(({ path, text }) => [
      path.replace('/out/mappings/', '').replace('.yaml', ''),
      parse(text) as Mapping,
    ]),
  );
}

describe('a table', () => {
  test('is spelled out whole', async () => {
    const columns = ['CD char', 'NOTE_JSON text', 'PHOTO binary', 'DATA binary', 'PWD text'];
    const files = await mapped(schemaOf(table('dbo.TBL_X', columns)), { strip: ['TBL_'] });
    expect(files).toEqual({
      x: {
        dataclass: 'X',
        collection: 'XSelection',
        table: 'dbo.TBL_X',
        key: ['CD'],
        stamp: 'xmin',
        attributes: {
          cd: { column: 'CD', trim: true },
          noteJson: { column: 'NOTE_JSON', type: 'object' },
          photo: { column: 'PHOTO', type: 'image' },
          data: 'DATA',
          pwd: { column: 'PWD', exposed: false },
        },
        relations: {},
      },
    });
  });

  test('has the descriptions of the database, those of withheld columns too', async () => {
    const plain = table('dbo.X', ['ID int', 'NOTE text', 'PWD text']);
    const said = [{ description: '# 1: the\nkey' }, {}, { description: 'Nobody may know' }];
    const columns = plain.columns.map((column, index) => ({ ...column, ...said[index] }));
    const { x } = await mapped(schemaOf({ ...plain, description: 'What: an X', columns }));
    expect(x).toMatchObject({
      description: 'What: an X',
      attributes: {
        id: { column: 'ID', description: '# 1: the\nkey' },
        note: 'NOTE',
        pwd: { column: 'PWD', exposed: false, description: 'Nobody may know' },
      },
    });
  });

  test('has its columns for stamp and timestamp where a rule names them, else what the engine has', async () => {
    const columns = ['ID int', 'REC_VER int', 'MOD_DT timestamp', 'RV binary'];
    const rowVersion = { kind: 'column', name: 'RV' } as const;
    const schema = schemaOf(
      table('dbo.A', columns, { rowVersion }),
      table('dbo.B', ['ID int'], { rowVersion: null }),
    );
    const plain = await mapped(schema);
    expect(plain['a']?.stamp).toEqual({ rowversion: 'RV' });
    expect(Object.keys(plain['a']?.attributes ?? {})).toEqual(['id', 'recVer', 'modDt']);
    expect(plain['b']).not.toHaveProperty('stamp');
    const { writes } = await plan(schema);
    const told = writes.map(({ text }) =>
      text.includes('# The stamp is a hash of the columns; read-only'),
    );
    expect(told).toEqual([false, true]);
    const ruled = await mapped(schema, {
      stampColumns: ['REC_VER'],
      timestampColumns: ['MOD_DT'],
    });
    expect(ruled['a']).toMatchObject({ stamp: { counter: 'REC_VER' }, timestamp: 'MOD_DT' });
    expect(Object.keys(ruled['a']?.attributes ?? {})).toEqual(['id', 'rv']);
  });

  test('keeps a column of its key as an attribute, whatever a rule calls it', async () => {
    const files = await mapped(schemaOf(table('dbo.A', ['last_update timestamp', 'N int'])), {
      timestampColumns: ['last_update'],
      stampColumns: ['N'],
    });
    expect(files['a']).toMatchObject({
      stamp: { counter: 'N' },
      attributes: { lastUpdate: 'last_update' },
    });
    expect(files['a']?.timestamp).toBeUndefined();
  });

  test('gets the key of a unique index without nulls; where there is none, the file says what to do', async () => {
    const { writes, keyless } = await plan(schemaIn`
      dbo.A | CODE text | N int     | KEY: | UNIQUE: CODE
      dbo.B | CODE text null        | KEY: | UNIQUE: CODE
    `);
    expect(writes.map(({ text }) => (parse(text) as Mapping).key)).toEqual([['CODE'], undefined]);
    expect(writes[1]?.text).toContain('# key: [COLUMN]');
    expect(keyless.map(({ dataclass }) => dataclass)).toEqual(['B']);
  });
});

describe('names', () => {
  test('of two tables or columns are told apart, the same way whatever their order', async () => {
    const schema = schemaIn`
      HR.USER           | ID int  | Name text | NAME text | n.a.m.e text
      dbo.USER          | ID int
      dbo.UserSelection | ID int
      dbo.aux           | 1st int | 名 int
    `;
    const files = await mapped(schema);
    expect(await mapped(schemaOf(...schema.tables.toReversed()))).toEqual(files);
    const named = Object.entries(files).map(([file, { table: of, dataclass, collection }]) => {
      return [file, of, dataclass, collection];
    });
    expect(named).toEqual([
      ['hr-user', 'HR.USER', 'HrUser', 'HrUserSelection'],
      ['user', 'dbo.USER', 'User', 'UserSelection2'],
      ['user-selection', 'dbo.UserSelection', 'UserSelection', 'UserSelectionSelection'],
      ['aux-table', 'dbo.aux', 'Aux', 'AuxSelection'],
    ]);
    expect(Object.keys(files['hr-user']?.attributes ?? {})).toEqual([
      ...['id', 'name', 'name2', 'nAME3'],
    ]);
  });
});

describe('relations', () => {
  const sides = ['EMP_ID int', 'FK_E: EMP_ID -> dbo.EMP(ID)'];
  const both = [...sides, 'PRJ_ID int', 'FK_P: PRJ_ID -> dbo.PRJ(ID)'];

  test.each(rows`
    who made it             | created_by int | FK_U: created_by -> dbo.USR(ID)
    who changed it          | upd_usr_id int | FK_U: upd_usr_id -> dbo.USR(ID)
    whose it is             | tenant_id int  | FK_T: tenant_id -> dbo.TENANT(ID)
    whose it is, unrelated  | tenant_id int
    when and by whom        | ts timestamp   | usr text
    all sorts of bookkeeping | created_at timestamp | modified_by text | rowguid text | SORT_ORDER int | last_update timestamp | ModifiedDate timestamp
  `)('over a link table are there whatever it says of %s', async (_, ...more) => {
    const others = ['EMP', 'PRJ', 'USR', 'TENANT'].map((name) => table(`dbo.${name}`, ['ID int']));
    const files = await mapped(schemaOf(...others, table('dbo.EMP_PRJ', [...both, ...more])));
    expect(files['emp']?.relations).toMatchObject({ prjs: { through: ['empPrjs', 'prj'] } });
    expect(files['prj']?.relations).toMatchObject({ emps: { through: ['empPrjs', 'emp'] } });
  });

  test.each([
    ['says what they are to each other', ...both, 'ROLE text'],
    ['may no longer hold', ...both, 'deleted_at timestamp'],
    ['may not hold yet', ...both, 'valid_from date'],
    ['has a third side, which no file maps', ...both, 'X_ID int', 'FK_X: X_ID -> other.X(ID)'],
    ['has a side and an author', ...sides, 'created_by int', 'FK_C: created_by -> dbo.PRJ(ID)'],
  ])('do not lead over a table that %s', async (_, ...texts) => {
    const ends = ['EMP', 'PRJ'].map((name) => table(`dbo.${name}`, ['ID int']));
    const files = await mapped(schemaOf(...ends, table('dbo.EMP_PRJ', texts)));
    expect(files['emp']?.relations).toEqual({ empPrjs: { inverse: 'EmpPrj.emp' } });
  });

  test.each(rows`
    PARENT_ID      | children
    PARENT_NODE_ID | childNodes
    MAIN_ID        | subNodes
    BOSS_ID        | reports
  `)('of a table to itself by %s have %s as the way back', async (column, inverse) => {
    const node = table('dbo.NODE', ['ID int', `${column} int`, `FK_N: ${column} -> dbo.NODE(ID)`]);
    const [, back] = Object.keys((await mapped(schemaOf(node)))['node']?.relations ?? {});
    expect(back).toBe(inverse);
  });

  test('between one-letter names get no plural that is another word', async () => {
    const files = await mapped(schemaIn`
      dbo.PERSON | ID int
      dbo.FRIEND | A int  | B int | FK_A: A -> dbo.PERSON(ID) | FK_B: B -> dbo.PERSON(ID)
      l.i        | ID int | PERSON_ID int | FK_P: PERSON_ID -> dbo.PERSON(ID)
    `);
    expect(Object.keys(files['person']?.relations ?? {})).toEqual([
      ...['aFriends', 'bFriends', 'iCollection', 'bCollection', 'aCollection'],
    ]);
  });

  test('on several columns, or on a column that says nothing, are named by their target', async () => {
    const files = await mapped(schemaIn`
      dbo.companies | companyid int
      dbo.lines     | tenant int | no int | KEY: tenant, no
      dbo.types     | kind int
      dbo.staff     | no int
      dbo.owners    | id int
      dbo.x         | id int | companyid int | tenant int | spot_no int | KIND int | chief int | A: companyid -> dbo.companies(companyid)
        | B: tenant, spot_no -> dbo.lines(tenant, no) | C: KIND -> dbo.types(kind) | D: chief -> dbo.staff(no) | E: tenant -> dbo.owners(id)
    `);
    expect(files['x']?.relations).toEqual({
      company: { to: 'Company', foreignKey: 'A' },
      line: { to: 'Line', foreignKey: 'B' },
      type: { to: 'Type', foreignKey: 'C' },
      chief: { to: 'Staff', foreignKey: 'D' },
      tenant: { to: 'Owner', foreignKey: 'E' },
    });
    expect(Object.keys(files['x']?.attributes ?? {})).toEqual([
      ...['id', 'companyId', 'tenantId', 'spotNo', 'kind', 'chiefNo'],
    ]);
  });

  test('on composite keys that share a column are named by the other one', async () => {
    const files = await mapped(schemaIn`
      dbo.COMPANY | TENANT int | NO int | KEY: TENANT, NO
      dbo.ORDER   | ID int | TENANT int | BILL_TO int | SHIP_TO_NO int | FK_B: TENANT, BILL_TO -> dbo.COMPANY(TENANT, NO)
        | FK_S: TENANT, SHIP_TO_NO -> dbo.COMPANY(TENANT, NO)
    `);
    expect(files['order']?.relations).toEqual({
      billTo: { to: 'Company', foreignKey: 'FK_B' },
      shipTo: { to: 'Company', foreignKey: 'FK_S' },
    });
    expect(Object.keys(files['order']?.attributes ?? {})).toEqual([
      ...['id', 'tenant', 'billToNo', 'shipToNo'],
    ]);
    expect(files['company']?.relations).toEqual({
      billToOrders: { inverse: 'Order.billTo' },
      shipToOrders: { inverse: 'Order.shipTo' },
    });
  });

  test('that cannot be are left out with the reason, and so is what stands on them', async () => {
    const schema = schemaIn`
      dbo.A     | ID text
      dbo.B     | ID int | A_ID int | C_ID int | FK_A: A_ID -> dbo.A(ID) | FK_C: C_ID -> other.C(ID)
      other.C   | ID int
      dbo.EMPTY
    `;
    const { writes, leftOut } = await plan(schema, { schemas: ['dbo'] });
    expect(writes.map(({ text }) => (parse(text) as Mapping).relations)).toEqual([{}, {}]);
    expect(leftOut).toEqual([
      { what: 'dbo.B, foreign key FK_A', why: 'column A_ID (int4) cannot equal ID (text)' },
      { what: 'dbo.B, foreign key FK_C', why: 'it refers to other.C, which no file maps' },
      { what: 'dbo.EMPTY', why: 'it has no column that the login may read' },
    ]);
  });

  test('that would show what is withheld are left out with the reason, and so are the ways back', async () => {
    const { writes, leftOut } = await plan(schemaIn`
      dbo.BANK    | IBAN text | NAME text
      dbo.PAYMENT | ID int | BANK_IBAN text | PAYER text | CARD_TOKEN text | FK_B: BANK_IBAN -> dbo.BANK(IBAN) | FK_C: CARD_TOKEN -> dbo.CARD(REF)
        | FK_P: PAYER -> dbo.BANK(NAME)
      dbo.CARD    | REF text
    `);
    expect(writes.map(({ text }) => (parse(text) as Mapping).relations)).toEqual([{}, {}, {}]);
    const why = (column: string): string =>
      `the relation would show dbo.${column}, whose attribute is not exposed`;
    expect(leftOut).toEqual([
      { what: 'dbo.PAYMENT, foreign key FK_B', why: why('BANK, column IBAN') },
      { what: 'dbo.PAYMENT, foreign key FK_C', why: why('PAYMENT, column CARD_TOKEN') },
      { what: 'dbo.PAYMENT, foreign key FK_P', why: why('BANK, column IBAN') },
    ]);
  });

  test('over withheld columns that show another key are there', async () => {
    const files = await mapped(schemaIn`
      dbo.BANK    | ID int | IBAN text | UNIQUE: IBAN
      dbo.PAYMENT | ID int | IBAN text | FK_B: IBAN -> dbo.BANK(IBAN)
    `);
    expect(files['payment']).toMatchObject({
      attributes: { iban: { column: 'IBAN', exposed: false } },
      relations: { bank: { to: 'Bank', foreignKey: 'FK_B' } },
    });
  });
});

test('columns of the last change and versions that many tables have are proposed', async () => {
  const schema = schemaIn`
    dbo.A | ID int | last_update timestamp | ModifiedDate timestamp | REC_VER int
    dbo.B | ID int | last_update timestamp | ModifiedDate timestamp | REC_VER int
    dbo.C | ID int | last_update timestamp | ModifiedDate timestamp | REC_VER int
    dbo.D | ID int | last_update timestamp | updated_at timestamp
  `;
  const { proposals } = await plan(schema, { timestampColumns: ['ModifiedDate'] });
  expect(proposals).toEqual([
    { column: 'last_update', option: '--timestamp-column', tables: 4 },
    { column: 'REC_VER', option: '--stamp-column', tables: 3 },
  ]);
});

test('attributes have the types of their columns as comments', async () => {
  const plain = table('dbo.X', ['ID int', 'CODE char', 'SUM int']);
  const columns = plain.columns.map((column) => ({
    ...column,
    identity: column.name === 'ID',
    computed: column.name === 'SUM',
  }));
  const { writes } = await plan(schemaOf({ ...plain, columns }));
  expect(writes[0]?.text).toContain(`attributes:
  id: ID # int4, identity
  code: { column: CODE, trim: true } # bpchar(5)
  sum: SUM # int4, computed
`);
});
