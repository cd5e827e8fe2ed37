import { expect, test } from 'vitest';
import { atOnce, TimeSlice } from '../../../src/base/time.ts';
import { parseBody } from '../../../src/protocol/body/body.ts';
import type { ValueLimits } from '../../../src/sql/dialect.ts';
import { outermost, readEntity } from '../../../src/run/body/body-entity.ts';
import type { EntityContext } from '../../../src/run/convert/types.ts';
import { model, table, type TableSketch } from '../../model/physical.ts';
import { parsed, rows } from '../../rows.ts';

const department = table('DEPT', {
  columns: { TENANT: 'int', DNO: 'int' },
  primaryKey: ['TENANT', 'DNO'],
});
const project = table('PROJ', {
  columns: { TENANT: 'int', PNO: 'int' },
  primaryKey: ['TENANT', 'PNO'],
});

/** An employee's columns, and the relations that the mapping file has, of `dept` and `proj`. */
interface Employees {
  readonly columns: TableSketch['columns'];
  readonly relations?: string;
}

const dept = 'dept: { to: Dept, foreignKey: TO_DEPT }';
const both = `${dept}, proj: { to: Proj, foreignKey: TO_PROJ }`;

/** The columns that a body of an employee sets to null. */
async function cleared({ columns, relations = both }: Employees, body: object): Promise<string[]> {
  const employee = table('EMP', {
    columns: { ID: 'int', ...columns },
    primaryKey: ['ID'],
    foreignKeys: [
      {
        name: 'TO_DEPT',
        columns: ['TENANT', 'DNO'],
        targetTable: 'DEPT',
        targetColumns: ['TENANT', 'DNO'],
      },
      {
        name: 'TO_PROJ',
        columns: ['TENANT', 'PNO'],
        targetTable: 'PROJ',
        targetColumns: ['TENANT', 'PNO'],
      },
    ].filter(({ name }) => relations.includes(name)),
  });
  const { dataclasses } = await model([employee, department, project], {
    emp:
      'dataclass: Emp\ntable: S.EMP\nstamp: hash\n' +
      'attributes: { id: ID, tenant: TENANT, dno: DNO, pno: PNO }\n' +
      `relations: { ${relations} }\n`,
    dept: 'dataclass: Dept\ntable: S.DEPT\nstamp: hash\nattributes: { tenant: TENANT, dno: DNO }\n',
    proj: 'dataclass: Proj\ntable: S.PROJ\nstamp: hash\nattributes: { tenant: TENANT, pno: PNO }\n',
  });
  const dataclass = dataclasses.get('Emp');
  const bytes = Buffer.from(JSON.stringify({ __KEY: '1', __STAMP: 1, ...body }));
  const slice = new TimeSlice();
  const parsed = await parseBody({ contentType: undefined, bytes }, { slice, maxEntities: 1 });
  const [entity] = parsed?.entities ?? [];
  if (dataclass === undefined || entity === undefined) throw new Error('there is no employee');
  const context: EntityContext = {
    dataclass,
    method: 'update',
    atomic: true,
    urlKey: null,
    urlAttribute: null,
    limits: {} as ValueLimits,
    findUpload: () => undefined,
    position: outermost({ maxDepth: 5, maxEntities: 5 }),
  };
  const reading = readEntity(entity, 0, context);
  const read = 'next' in reading ? atOnce(reading) : reading;
  if ('error' in read) throw read.error;
  const { slots, nulls } = read.given.shape;
  return slots.filter((_, at) => nulls[at]).map(({ column }) => column.name);
}

const nullable = { columns: { TENANT: 'int?', DNO: 'int?', PNO: 'int?' } } as const;
const mandatory = { columns: { TENANT: 'int', DNO: 'int?', PNO: 'int?' } } as const;
const alone = { ...nullable, relations: dept };
const key = { tenant: 1, pno: 1 };
const asRead = { __KEY: 1, id: 1, tenant: 1, dno: 1, pno: 1, proj: { __deferred: { __KEY: key } } };

test.each<[string, Employees, object, string[]]>([
  ['what another relation stands on stays', nullable, { dept: null }, ['DNO']],
  ['so it does in an entity as it was read', nullable, { ...asRead, dept: null }, ['DNO']],
  ['beside a value of its own', nullable, { __KEY: 1, dept: null, tenant: 1 }, ['DNO']],
  ['beside the other relation', nullable, { id: 50, dept: null, proj: key }, ['DNO']],
  [
    'both relations have columns of their own',
    nullable,
    { dept: null, proj: null },
    ['DNO', 'PNO'],
  ],
  ['what is mandatory stays', mandatory, { dept: null }, ['DNO']],
  ['a relation alone is all of its columns', alone, { dept: null }, ['TENANT', 'DNO']],
  ['but not what the body says otherwise', alone, { dept: null, tenant: 1 }, ['DNO']],
  ['unless it says all of them', alone, { tenant: 1, dno: 1, dept: null }, ['TENANT', 'DNO']],
])('a null for a relation: %s', async (_, employees, body, columns) => {
  expect(await cleared(employees, body)).toEqual(columns);
});

test.each(rows`
  nothing else holds none of its columns | {TENANT: int?, DNO: int, PNO: int?} | TENANT
  none can be null                       | {TENANT: int, DNO: int, PNO: int?}  | TENANT | DNO
`)('where %s, all that can be are meant', async (_, columns, ...expected) => {
  expect(await cleared({ columns: parsed(columns) }, { dept: null })).toEqual(expected);
});
