import { document } from './entities.case.ts';
import {
  bareArray,
  collection,
  inKeyOrder,
  oneEntity,
  reach,
  related,
  relationTarget,
  rowAt,
  rowsOf,
  type Page,
  type Row,
} from './oracle.ts';
import type { DataclassName } from './dataclasses.ts';
import type { Case } from './suite.ts';
import { refusal } from './values.ts';

/** A path of relations that ends in one entity, or in none. */
function toOne(
  title: string,
  path: string,
  dataclass: DataclassName,
  key: readonly (string | number)[],
  relations: readonly string[],
  attributes = '*',
): Case {
  const target = relations.reduce<string>(relationTarget, dataclass);
  const [found] = reach(dataclass, rowAt(dataclass, ...key), ...relations);
  return {
    title,
    url: `/rest/${path}`,
    body: found === undefined ? null : oneEntity(target, found, { attributes }),
  };
}

/** A path of relations that ends in many. */
function toMany(
  title: string,
  path: string,
  dataclass: DataclassName,
  key: readonly (string | number)[],
  relations: readonly string[],
  page: Page = {},
  narrow: (rows: readonly Row[]) => readonly Row[] = (rows) => rows,
): Case {
  const target = relations.reduce<string>(relationTarget, dataclass);
  const found = reach(dataclass, rowAt(dataclass, ...key), ...relations);
  return {
    title,
    url: `/rest/${path}`,
    body: collection(target, narrow(inKeyOrder(target, found)), page),
  };
}

const toOneCases: readonly Case[] = [
  toOne('§4.2 a related entity', 'Employee(1)/employer', 'Employee', [1], ['employer']),
  toOne(
    '§4.2 a related entity of a text key',
    'Employee(4)/department',
    'Employee',
    [4],
    ['department'],
  ),
  toOne(
    '§4.2 a related entity without a foreign key',
    'Employee(2)/manager',
    'Employee',
    [2],
    ['manager'],
  ),
  toOne('§4.2 one of two relations to one dataclass', 'Order(1)/billTo', 'Order', [1], ['billTo']),
  toOne('§4.2 the other of two', 'Order(1)/shipTo', 'Order', [1], ['shipTo']),
  toOne('§4.2 behind brackets', 'Employee[1]/employer', 'Employee', [1], ['employer']),
  toOne(
    '§4.2 behind a JSON key',
    'OrderLine({"orderNo":7,"line":2})/product',
    'OrderLine',
    [7, 2],
    ['product'],
  ),
  toOne(
    '§4.2 behind a text key with a slash',
    'Department("OPS/EU")/parent',
    'Department',
    ['OPS/EU'],
    ['parent'],
  ),
  toOne('§4.2 behind a GUID', `Document(${document})/owner`, 'Document', [document], ['owner']),
  toOne('§4.2 behind a view', 'DirectoryEntry(1)/employee', 'DirectoryEntry', [1], ['employee']),
  toOne('§4.2 behind a unique attribute', 'Project:code(PRJ-0001)/lead', 'Project', [1], ['lead']),
  toOne(
    '§4.2 a chain of relations to one',
    'Employee(4)/manager/employer/country',
    'Employee',
    [4],
    ['manager', 'employer', 'country'],
  ),
  toOne('§4.2 no related entity is null', 'Employee(1)/manager', 'Employee', [1], ['manager']),
  toOne(
    '§4.2 no related entity on the way is null',
    'Employee(5)/employer/country',
    'Employee',
    [5],
    ['employer', 'country'],
  ),
  toOne('§4.2 a manager who left is null', 'Employee(400)/manager', 'Employee', [400], ['manager']),
  toOne(
    '§4.2 $expand of the relation in the path asks for nothing more',
    'Employee(1)/employer?$expand=employer',
    'Employee',
    [1],
    ['employer'],
  ),
  toOne(
    '§4.2 a related entity with $attributes',
    'Employee(1)/employer?$attributes=name,country.name',
    'Employee',
    [1],
    ['employer'],
    'name,country.name',
  ),
];

const toManyCases: readonly Case[] = [
  toMany(
    '§4.2 related entities',
    'Department(SALES)/subDepartments?$orderby=costCenter',
    'Department',
    ['SALES'],
    ['subDepartments'],
  ),
  toMany(
    '§4.2 related entities by the URI of a deferred form',
    'Order(7)/lines?$expand=lines',
    'Order',
    [7],
    ['lines'],
  ),
  toMany(
    '§4.2 related entities through a table between',
    'Employee(1)/projects',
    'Employee',
    [1],
    ['projects'],
  ),
  toMany(
    '§4.2 the way back through that table',
    'Project(1)/staff?$attributes=fullName',
    'Project',
    [1],
    ['staff'],
    {
      attributes: 'fullName',
    },
  ),
  toMany(
    '§4.2 through a table between, each once',
    'Order(1)/products?$attributes=name',
    'Order',
    [1],
    ['products'],
    {
      attributes: 'name',
    },
  ),
  toMany(
    '§4.2 a chain to many by one',
    'Employee(1)/employer/projects',
    'Employee',
    [1],
    ['employer', 'projects'],
  ),
  toMany(
    '§4.2 a chain to one of many, each once',
    'Company(1)/employees/department?$attributes=name&$orderby=costCenter',
    'Company',
    [1],
    ['employees', 'department'],
    { attributes: 'name' },
    (rows) => rows.toSorted((one, other) => Number(one['COST_CTR']) - Number(other['COST_CTR'])),
  ),
  toMany(
    '§4.2 a chain of three relations to many',
    'Country(DK)/companies/employees/projects?$attributes=code&$top=500',
    'Country',
    ['DK'],
    ['companies', 'employees', 'projects'],
    { attributes: 'code', top: 500 },
  ),
  toMany(
    '§4.2 no related entities are an empty collection',
    'Employee(5)/projects',
    'Employee',
    [5],
    ['projects'],
  ),
  toMany(
    '§4.2 no related entities on the way',
    'Employee(5)/employer/projects',
    'Employee',
    [5],
    ['employer', 'projects'],
  ),
  toMany(
    '§4.2 related entities in pages',
    'Company(1)/billedOrders?$skip=3&$top=4&$orderby="ID desc"&$attributes=ID,date',
    'Company',
    [1],
    ['billedOrders'],
    { attributes: 'ID,date', skip: 3, top: 4 },
    (rows) => rows.toReversed(),
  ),
  toMany(
    '§4.2 related entities: the first 100 where nothing is said',
    'Country(FR)/companies/billedOrders?$attributes=date',
    'Country',
    ['FR'],
    ['companies', 'billedOrders'],
    { attributes: 'date' },
  ),
  toMany(
    '§4.2 related entities narrowed by $filter',
    'Company(1)/billedOrders?$filter="paid=false"&$attributes=ID',
    'Company',
    [1],
    ['billedOrders'],
    { attributes: 'ID' },
    (rows) => rows.filter((row) => row['PAID_FL'] === false),
  ),
  {
    title: '§4.2 related entities as a bare array',
    url: '/rest/Order(7)/lines?$asArray=true&$attributes=quantity,amount',
    body: bareArray('OrderLine', related('Order', rowAt('Order', 7), 'lines'), {
      attributes: 'quantity,amount',
    }),
  },
];

/** DECISIONS, "URLs and encodings": a path segment may be an attribute list. */
const listCases: readonly Case[] = [
  {
    title: '§4.4 attributes of an entity in the path',
    url: '/rest/Employee(3)/firstName,lastName',
    body: oneEntity('Employee', rowAt('Employee', 3), { attributes: 'firstName,lastName' }),
  },
  {
    title: '§4.4 one attribute of an entity in the path',
    url: '/rest/Employee[3]/lastName/',
    body: oneEntity('Employee', rowAt('Employee', 3), { attributes: 'lastName' }),
  },
  {
    title: '§4.4 attributes of related entities in the path',
    url: '/rest/Employee(3)/lastName,employer.name,projects.code',
    body: oneEntity('Employee', rowAt('Employee', 3), {
      attributes: 'lastName,employer.name,projects.code',
    }),
  },
  {
    title: '§4.4 attributes of a collection in the path',
    url: '/rest/Employee/firstName,employer.name?$filter="ID<4"',
    body: collection('Employee', rowsOf('Employee').slice(0, 3), {
      attributes: 'firstName,employer.name',
    }),
  },
  {
    title: '§4.4 attributes of a list of keys in the path',
    url: '/rest/Employee(1,3)/firstName',
    body: collection('Employee', [rowAt('Employee', 1), rowAt('Employee', 3)], {
      attributes: 'firstName',
    }),
  },
  {
    title: '§4.4 attributes of a related entity in the path',
    url: '/rest/Employee(1)/employer/name,city',
    body: oneEntity('Company', rowAt('Company', 1), { attributes: 'name,city' }),
  },
  {
    title: '§4.4 attributes of related entities in the path, behind the relation',
    url: '/rest/Company(2)/employees/fullName?$top=500',
    body: collection('Employee', related('Company', rowAt('Company', 2), 'employees'), {
      attributes: 'fullName',
      top: 500,
    }),
  },
];

interface Failure {
  readonly path: string;
  readonly status: number;
  readonly code: number;
  readonly says: readonly RegExp[];
}

const failures: readonly Failure[] = [
  { path: 'Employee(9999)/employer', status: 404, code: 1543, says: [/Employee/, /9999/] },
  { path: 'Employee(9999)/projects', status: 404, code: 1543, says: [/Employee/, /9999/] },
  { path: 'Employee(9999)/employer/projects', status: 404, code: 1543, says: [/9999/] },
  {
    path: 'Employee(1)/employr',
    status: 404,
    code: 1500,
    says: [/Employee/, /employer/, /employr/, /position 14 of the path/],
  },
  {
    path: 'Employee(1)/employer/nme',
    status: 404,
    code: 1500,
    says: [/Company/, /name/, /position 23 of the path/],
  },
  { path: 'Employee(1)/lastName/employer', status: 400, code: 1806, says: [/path/] },
  { path: 'Employee/employer/name', status: 400, code: 1806, says: [/path/] },
  { path: 'Employee(1)/lastName,', status: 400, code: 1804, says: [/position 23 of the path/] },
  { path: 'Employee(1)/salary', status: 404, code: 1500, says: [/salary/] },
  { path: 'Employee(1)/employer?$filter="ID=1"', status: 400, code: 1813, says: [/\$filter/] },
];

export const reads: readonly Case[] = [
  ...toOneCases,
  ...toManyCases,
  ...listCases,
  ...failures.map(({ path, status, code, says }) => ({
    title: `§4.2 a path that leads nowhere: ${path}`,
    url: `/rest/${path}`,
    status,
    body: refusal(code, ...says),
  })),
];
