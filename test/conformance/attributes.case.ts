import type { DataclassName } from './dataclasses.ts';
import { collection, oneEntity, rowAt, rowsOf, type Row } from './oracle.ts';
import type { Case } from './suite.ts';
import { refusal } from './values.ts';

type Entity = readonly [dataclass: DataclassName, ...key: (string | number)[]];

const marie: Entity = ['Employee', 1];

/** `$attributes` of one entity. */
const lists: readonly (readonly [attributes: string, ...entity: Entity])[] = [
  ['*', ...marie],
  ['lastName', ...marie],
  ['lastName,firstName,ID', ...marie],
  ['lastName,lastName', ...marie],
  ['photo', ...marie],
  ['extra', ...marie],
  ['employer', ...marie],
  ['manager', ...marie],
  ['projects', ...marie],
  ['employer.*', ...marie],
  ['employer.name', ...marie],
  ['employer.name,employer.city', ...marie],
  ['employer.name,employer', ...marie],
  ['employer,employer.name', ...marie],
  ['employer.*,employer.country.name', ...marie],
  ['employer.country.name', ...marie],
  ['employer.country.*', ...marie],
  ['employer.country', ...marie],
  ['employer.logo,employer.details', ...marie],
  ['manager.manager.employer.country.name', 'Employee', 4],
  ['manager.*', 'Employee', 1],
  ['manager.lastName', 'Employee', 400],
  ['employer.country.name', 'Employee', 5],
  ['*,employer.name', ...marie],
  ['lastName,*', ...marie],
  ['*,employer.name,projects.*', ...marie],
  ['projects.name', ...marie],
  ['projects.*', ...marie],
  ['projects.customer.name,projects.lead.lastName', ...marie],
  ['projects.staff.lastName', ...marie],
  ['projects.*', 'Employee', 5],
  ['employer.projects.code', ...marie],
  ['employer.employees.department.name', ...marie],
  ['directReports.lastName,directReports.projects.code', 'Employee', 2],
  ['billTo.name,shipTo.name', 'Order', 1],
  ['lines.quantity,lines.product.name,lines.product.category.code', 'Order', 7],
  ['products.name', 'Order', 7],
  ['order.billTo.country.name,product.*', 'OrderLine', 7, 2],
  ['lines.*', 'Order', 400],
  ['orderLines.line', 'Product', 1],
  ['employee.lastName', 'User', 1],
  ['employee.employer.name', 'DirectoryEntry', 1],
  ['company.*', 'CompanyTurnover', 1],
  ['content,owner.name', 'Document', 'c0ffee00-0000-4000-8000-000000000001'],
  ['head.lastName,parent.name,parent.head.lastName', 'Department', 'IT'],
];

function path(dataclass: DataclassName, key: readonly (string | number)[]): string {
  return `/rest/${dataclass}(${key.join(';')})`;
}

const errors: readonly (readonly [attributes: string, code: number, ...says: RegExp[]])[] = [
  ['lastNam', 1500, /Employee/, /lastName/, /position 1 of \$attributes/],
  ['ID,employer.nam', 1500, /Company/, /\bname\b/, /position 4 of \$attributes/],
  ['employers.name', 1500, /employer\b/, /position 1 of \$attributes/],
  ['lastName.first', 1500, /lastName/, /first/, /position 1 of \$attributes/],
  ['lastName.*', 1500, /lastName/, /position 1 of \$attributes/],
  ['salary', 1500, /salary/],
  ['employer.CMP_NM', 1500, /CMP_NM/],
  ['lastName,', 1804, /attribute name/, /position 10 of \$attributes/],
  [',lastName', 1804, /attribute name/, /position 1 of \$attributes/],
  ['lastName firstName', 1804, /comma/, /position 10 of \$attributes/],
  ['employer.', 1804, /attribute name/, /position 10 of \$attributes/],
  ['employer..name', 1804, /position 10 of \$attributes/],
  ['*.name', 1804, /position 2 of \$attributes/],
  ['employer.*.name', 1804, /position 11 of \$attributes/],
];

const employees = rowsOf('Employee');

export const reads: readonly Case[] = [
  ...lists.map(([attributes, dataclass, ...key]) => ({
    title: `§4.4 $attributes=${attributes} of ${dataclass}(${key.join(';')})`,
    url: `${path(dataclass, key)}?$attributes=${attributes}`,
    body: oneEntity(dataclass, rowAt(dataclass, ...key), { attributes }),
  })),
  {
    title: '§4.4 without $attributes all attributes, relations deferred',
    url: '/rest/Company(1)',
    body: oneEntity('Company', rowAt('Company', 1)),
  },
  {
    title: '§4.4 an empty $attributes means all',
    url: '/rest/Company(1)?$attributes=',
    body: oneEntity('Company', rowAt('Company', 1)),
  },
  {
    title: '§4.4 $attributes in quotes, with blanks',
    url: '/rest/Employee(1)?$attributes="lastName, employer.name , ID"',
    body: oneEntity('Employee', rowAt('Employee', 1), { attributes: 'lastName,employer.name,ID' }),
  },
  {
    title: '§4.4 attributes stand in the order of the list',
    url: '/rest/Employee(1)?$attributes=lastName,ID,firstName',
    body: oneEntity('Employee', rowAt('Employee', 1), { attributes: 'lastName,ID,firstName' }),
    text: /"__STAMP":4,"lastName":"Dubois","ID":1,"firstName":"Marie"\}$/,
  },
  {
    title: '§2.3 fields of a nested collection stand in the order of DECISIONS',
    url: '/rest/Employee(1)?$attributes=projects.ID',
    body: oneEntity('Employee', rowAt('Employee', 1), { attributes: 'projects.ID' }),
    text: /"projects":\{"__ENTITYSET":"[^"]+","__GlobalStamp":\d+,"__COUNT":2,"__FIRST":0,"__ENTITIES":\[.*\],"__SENT":2\}\}$/,
  },
  {
    title: '§4.4 100 employees with relations to one and to many',
    url: '/rest/Employee?$attributes=ID,employer.name,department.code,projects.*',
    body: collection('Employee', employees, {
      attributes: 'ID,employer.name,department.code,projects.*',
    }),
  },
  {
    title: '§4.4 several levels of relations to many',
    url: '/rest/Project?$filter="ID<6"&$attributes=name,staff.lastName,staff.accounts.login,customer.documents.title',
    body: collection('Project', rowsOf('Project').slice(0, 5), {
      attributes: 'name,staff.lastName,staff.accounts.login,customer.documents.title',
    }),
  },
  {
    title: '§4.4 a relation of a dataclass without a key',
    url: '/rest/LogEntry?$top=5&$attributes=message,employee.lastName',
    body: collection('LogEntry', rowsOf('LogEntry'), {
      attributes: 'message,employee.lastName',
      top: 5,
    }),
  },
  {
    title: '§4.4 an attribute list with $filter, $orderby and a window over the same relation',
    url: '/rest/Employee?$filter="employer.ID<10"&$orderby="employer.ID desc,ID"&$skip=5&$top=5&$attributes=ID,employer.ID',
    body: collection(
      'Employee',
      (employees as readonly Row[])
        .filter(({ COMP_ID }) => COMP_ID !== null && Number(COMP_ID) < 10)
        .toSorted((one, other) => Number(other['COMP_ID']) - Number(one['COMP_ID'])),
      { attributes: 'ID,employer.ID', skip: 5, top: 5 },
    ),
  },
  ...errors.map(([attributes, code, ...says]) => ({
    title: `§4.4 $attributes is refused: ${attributes}`,
    url: `/rest/Employee?$attributes=${attributes}`,
    status: code === 1500 ? 404 : 400,
    body: refusal(code, ...says),
  })),
];
