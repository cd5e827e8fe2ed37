import type { DataclassName } from './dataclasses.ts';
import { document } from './entities.case.ts';
import { collection, inKeyOrder, oneEntity, type Row, rowAt, rowsOf } from './oracle.ts';
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

const attributesReads: readonly Case[] = [
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

/** `$expand` of one entity: all attributes, and all of the relations that are named. */
const expansions: readonly (readonly [
  expand: string,
  dataclass: DataclassName,
  ...key: (string | number)[],
])[] = [
  ['employer', 'Employee', 1],
  ['manager', 'Employee', 1],
  ['employer,department', 'Employee', 4],
  ['employer.*', 'Employee', 1],
  ['employer.*,employer.country.*', 'Employee', 1],
  ['projects.*', 'Employee', 1],
  ['employer,employer.country', 'Employee', 1],
  ['projects', 'Employee', 1],
  ['projects', 'Employee', 5],
  ['subDepartments', 'Department', 'R&D'],
  ['lines,lines.product,billTo,billTo.country', 'Order', 7],
  ['lines,lines.product,lines.product.category', 'Order', 7],
  ['owner', 'Document', document],
  ['employee', 'DirectoryEntry', 1],
  ['company', 'CompanyTurnover', 1],
];

const expandErrors: readonly (readonly [
  expand: string,
  status: number,
  code: number,
  ...RegExp[],
])[] = [
  ['employr', 404, 1500, /Employee/, /employer/, /position 1 of \$expand/],
  ['employer.contry', 404, 1500, /Company/, /country/, /position 1 of \$expand/],
  ['lastName', 400, 1813, /lastName/, /relation/, /position 1 of \$expand/],
  ['employer,', 400, 1805, /position 10 of \$expand/],
  ['employer department', 400, 1805, /comma/, /position 10 of \$expand/],
  ['*', 400, 1805, /position 1 of \$expand/],
];

/** §4.5, DECISIONS "Answers": `$expand`. */
const expandCases: readonly Case[] = [
  ...expansions.map(([expand, dataclass, ...key]) => ({
    title: `§4.5 $expand=${expand} of ${dataclass}(${key.join(';')})`,
    url: `/rest/${dataclass}("${key.map(encodeURIComponent).join('";"')}")?$expand=${expand}`,
    body: oneEntity(dataclass, rowAt(dataclass, ...key), { expand }),
  })),
  {
    title: '§4.5 $expand on a filtered collection',
    url: '/rest/Order?$filter="ID IN [1,7]"&$expand=billTo',
    body: collection('Order', [rowAt('Order', 1), rowAt('Order', 7)], { expand: 'billTo' }),
  },
  {
    title: '§4.5 $expand of a path expands each relation on it',
    url: '/rest/Employee(1)?$expand=employer.country',
    body: oneEntity('Employee', rowAt('Employee', 1), { expand: 'employer,employer.country' }),
  },
  {
    title: '§4.5 $expand in quotes, with blanks',
    url: '/rest/Order(7)?$expand="billTo, shipTo"',
    body: oneEntity('Order', rowAt('Order', 7), { expand: 'billTo,shipTo' }),
  },
  {
    title: '§4.5 $expand beside $attributes',
    url: '/rest/Employee(1)?$attributes=lastName&$expand=employer',
    body: oneEntity('Employee', rowAt('Employee', 1), {
      attributes: 'lastName',
      expand: 'employer',
    }),
  },
  {
    title: '§4.5 $expand of the longest relation, in key order',
    url: '/rest/Product(33)?$attributes=name&$expand=orderLines',
    body: oneEntity('Product', rowAt('Product', 33), { attributes: 'name', expand: 'orderLines' }),
  },
  {
    title: '§4.5 $expand of several entities that share what is related',
    url: '/rest/Holiday?$filter="country.code=FR"&$expand=country,country.holidays',
    body: collection(
      'Holiday',
      rowsOf('Holiday').filter(({ CTRY_CD }) => CTRY_CD === 'FR'),
      { expand: 'country,country.holidays' },
    ),
  },
  ...expandErrors.map(([expand, status, code, ...says]) => ({
    title: `§4.5 $expand is refused: ${expand}`,
    url: `/rest/Employee(1)?$expand=${expand}`,
    status,
    body: refusal(code, ...says),
  })),
];

/** §2.2: each kind of deferred form, there and not there. */
const deferredCases: readonly Case[] = [
  {
    title: '§2.2 a related entity: uri and __KEY',
    url: '/rest/Employee(1)?$attributes=employer',
    body: {
      __entityModel: 'Employee',
      __DATACLASS: 'Employee',
      __KEY: '1',
      __TIMESTAMP: '2024-06-03T07:45:12.345Z',
      __STAMP: 4,
      employer: { __deferred: { uri: '/rest/Company(1)', __KEY: '1' } },
    },
  },
  {
    title: '§2.2 related entities: uri only, with a question mark',
    url: '/rest/Company(1)?$attributes=employees',
    body: {
      __entityModel: 'Company',
      __DATACLASS: 'Company',
      __KEY: '1',
      __TIMESTAMP: '2024-05-17T08:15:30.250Z',
      __STAMP: 3,
      employees: { __deferred: { uri: '/rest/Company(1)/employees?$expand=employees' } },
    },
  },
  {
    title: '§4.5 an image: key, stamp and the uri with the version',
    url: '/rest/Employee(1)?$attributes=photo',
    body: {
      __entityModel: 'Employee',
      __DATACLASS: 'Employee',
      __KEY: '1',
      __TIMESTAMP: '2024-06-03T07:45:12.345Z',
      __STAMP: 4,
      photo: {
        __KEY: '1',
        __STAMP: 4,
        uri: '/rest/Employee(1)/photo?$imageformat=best&$version=4&$expand=photo',
        __deferred: {
          uri: '/rest/Employee(1)/photo?$imageformat=best&$version=4&$expand=photo',
          image: true,
        },
      },
    },
  },
  {
    title: '§2.2 images, BLOBs and relations that are not there are null',
    url: '/rest/Employee(4)?$attributes=photo,manager.photo,manager.manager.manager',
    body: oneEntity('Employee', rowAt('Employee', 4), {
      attributes: 'photo,manager.photo,manager.manager.manager',
    }),
  },
  {
    title: '§2.2 BLOBs: with content, empty, and none',
    url: '/rest/Document?$filter="title begin Inv OR title begin Emp OR title begin Nev"&$orderby=createdAt&$attributes=content',
    body: collection(
      'Document',
      rowsOf('Document').filter(({ TITLE_TX }) => /^(?:Inv|Emp|Nev)/.test(TITLE_TX)),
      { attributes: 'content' },
    ),
  },
  {
    title: '§2.2 a related entity of a text key that needs escapes',
    url: '/rest/Product(1,2,3)?$attributes=category,category.products',
    body: collection('Product', rowsOf('Product').slice(0, 3), {
      attributes: 'category,category.products',
    }),
  },
  {
    title: '§2.2 related entities of a key of two parts',
    url: '/rest/Assignment(1;1)',
    body: oneEntity('Assignment', rowAt('Assignment', 1, 1)),
  },
];

/** §2, DECISIONS "Answers": the values of all rows of the dataclasses that have something to remember. */
const valueCases: readonly Case[] = (
  [
    [
      'bigint past 2^53, money, double, date, JSON',
      'Company',
      'ID,registrationNo,creditLimit,founded,isCustomer,latitude,longitude,website,details',
    ],
    [
      'decimal(38,10), real, JSON of its own type',
      'Project',
      'budget,progress,startDate,endDate,status,tags',
    ],
    [
      'dates, bigint, small numbers, JSON text',
      'Employee',
      'firstName,fullName,birthDate,hireDate,badgeNo,grade,active,extra,note',
    ],
    ['times, to the millisecond', 'Employee', 'shiftStart'],
    [
      'booleans with nulls, real, smallint',
      'Product',
      'listPrice,weight,stock,minimumStock,rating,barcode,discontinued,spec',
    ],
    ['dates as keys, times', 'Holiday', 'date,halfDay,closingTime,country'],
    ['date-times of microseconds', 'LogEntry', 'time,severity,source,message'],
    [
      'date-times with an offset, in UTC; timestamps of microseconds',
      'Order',
      'date,placedAt,requiredDate,status,currency,total,paid,note',
    ],
    ['decimals of eight places, double', 'ExchangeRate', 'currency,date,rate,spread'],
    ['GUIDs, bigint', 'Document', 'ID,hash,createdAt,title,mimeType'],
    ['date-times with an offset and nulls', 'User', 'lastLogin,preferences,sortOrder,group'],
    ['computed decimals', 'OrderLine', 'unitPrice,discount,amount,shippedDate,remark'],
    ['decimals of two places', 'Assignment', 'role,allocation,fromDate,toDate,billable'],
    ['a view that adds up', 'CompanyTurnover', '*'],
    ['a view of three tables', 'DirectoryEntry', '*'],
  ] as const
).map(([what, dataclass, attributes]) => {
  const byTime = dataclass === 'Document';
  const rows: readonly Row[] = byTime
    ? rowsOf(dataclass)
    : inKeyOrder(dataclass, rowsOf(dataclass));
  return {
    title: `§2.1 values of ${dataclass}: ${what}`,
    url: `/rest/${dataclass}?$attributes=${attributes}&$top=500${byTime ? '&$orderby=createdAt' : ''}`,
    body: collection(dataclass, rows, { attributes, top: 500 }),
  };
});

/** Numbers keep their digits in the text of the answer. */
const digits: readonly (readonly [
  url: string,
  text: RegExp,
  ...entity: [DataclassName, number, string],
])[] = [
  [
    '/rest/Company(1)?$attributes=registrationNo',
    /"registrationNo":9007199254740993\}/,
    'Company',
    1,
    'registrationNo',
  ],
  [
    '/rest/Company(2)?$attributes=registrationNo',
    /"registrationNo":-9223372036854775808\}/,
    'Company',
    2,
    'registrationNo',
  ],
  [
    '/rest/Company(7)?$attributes=creditLimit',
    /"creditLimit":922337203685477\.5807\}/,
    'Company',
    7,
    'creditLimit',
  ],
  [
    '/rest/Project(3)?$attributes=budget',
    /"budget":1234567890123456789012345678\.0123456789\}/,
    'Project',
    3,
    'budget',
  ],
  ['/rest/Employee(5)?$attributes=extra', /"serial":\s*9007199254740993/, 'Employee', 5, 'extra'],
  ['/rest/Product(2)?$attributes=weight', /"weight":0\.1\}/, 'Product', 2, 'weight'],
];

const expandReads: readonly Case[] = [
  ...expandCases,
  ...deferredCases,
  ...valueCases,
  ...digits.map(([url, text, dataclass, key, attributes]) => ({
    title: `§2.1 every digit of ${url}`,
    url,
    body: oneEntity(dataclass, rowAt(dataclass, key), { attributes }),
    text,
  })),
];

export const reads: readonly Case[] = [...attributesReads, ...expandReads];
