import { rows } from '../rows.ts';
import type { DataclassName } from './dataclasses.ts';
import { readLines } from './lines.ts';
import { collection, inKeyOrder, oneEntity, type Row, rowAt, rowsOf } from './oracle.ts';
import type { Case } from './suite.ts';

/** `$attributes` of one entity. */
const lists = rows`
  Employee(1) | *
  Employee(1) | lastName
  Employee(1) | lastName,firstName,ID
  Employee(1) | photo
  Employee(1) | employer
  Employee(1) | projects
  Employee(1) | employer.*
  Employee(1) | employer.name
  Employee(1) | employer.name,employer
  Employee(1) | employer.*,employer.country.name
  Employee(1) | employer.country.name
  Employee(1) | employer.logo,employer.details
  Employee(4) | manager.manager.employer.country.name
  Employee(400) | manager.lastName
  Employee(5) | employer.country.name
  Employee(1) | *,employer.name
  Employee(1) | *,employer.name,projects.*
  Employee(1) | projects.*
  Employee(1) | projects.staff.lastName
  Employee(1) | employer.employees.department.name
  Order(7) | lines.quantity,lines.product.name,lines.product.category.code
  OrderLine(7;2) | order.billTo.country.name,product.*
  Order(400) | lines.*
  CompanyTurnover(1) | company.*
  Document(c0ffee00-0000-4000-8000-000000000001) | content,owner.name
`;

const attributesReads: readonly Case[] = [
  ...readLines(
    lists.map(([entity = '', attributes = '']) => [
      ...[`§4.4 $attributes=${attributes} of ${entity}`, `${entity}?$attributes=${attributes}`],
      entity,
    ]),
  ),
  ...readLines(
    rows`
      §4.4 without $attributes all attributes, relations deferred | Company(1) | Company(1)
      §4.4 an empty $attributes means all | Company(1)?$attributes= | Company(1)
      §4.4 $attributes in quotes, with blanks | Employee(1)?$attributes="lastName, employer.name , ID" | Employee(1)
      §4.4 100 employees with relations to one and to many | Employee?$attributes=ID,employer.name,department.code,projects.* | Employee[]
      §4.4 several levels of relations to many
        | Project?$filter="ID<6"&$attributes=name,staff.lastName,staff.accounts.login,customer.documents.title | Project(1,2,3,4,5)[]
      §4.4 a relation of a dataclass without a key | LogEntry?$top=5&$attributes=message,employee.lastName | LogEntry[]
      §4.4 an attribute list with $filter, $orderby and a window over the same relation
        | Employee?$filter="employer.ID<10"&$orderby="employer.ID desc,ID"&$skip=5&$top=5&$attributes=ID,employer.ID | employed of Employee
    `,
    {
      employed: (rowsOf('Employee') as readonly Row[])
        .filter(({ COMP_ID }) => COMP_ID !== null && Number(COMP_ID) < 10)
        .toSorted((one, other) => Number(other['COMP_ID']) - Number(one['COMP_ID'])),
    },
  ),
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
];

/** `$expand` of one entity: all attributes, and all of the relations that are named. */
const expansions = rows`
  Employee(1) | employer
  Employee(1) | employer.*,employer.country.*
  Employee(1) | projects
  Employee(5) | projects
  Department(R&D) | subDepartments
  Order(7) | lines,lines.product,billTo,billTo.country
  CompanyTurnover(1) | company
`;

/** §4.5, DECISIONS "Answers": `$expand`. */
const expandCases: readonly Case[] = [
  ...readLines(
    expansions.map(([entity = '', expand = '']) => {
      const quoted = entity.replace(
        /\((.*)\)/,
        (_, key: string) => `("${encodeURIComponent(key)}")`,
      );
      return [`§4.5 $expand=${expand} of ${entity}`, `${quoted}?$expand=${expand}`, entity];
    }),
  ),
  ...readLines(
    rows`
      §4.5 $expand on a filtered collection | Order?$filter="ID IN [1,7]"&$expand=billTo | Order(1,7)[]
      §4.5 $expand of a path expands each relation on it | Employee(1)?$expand=employer.country | Employee(1) | {expand: 'employer,employer.country'}
      §4.5 $expand in quotes, with blanks | Order(7)?$expand="billTo, shipTo" | Order(7)
      §4.5 $expand beside $attributes | Employee(1)?$attributes=lastName&$expand=employer | Employee(1)
      §4.5 $expand of the longest relation, in key order | Product(33)?$attributes=name&$expand=orderLines | Product(33)
      §4.5 $expand of several entities that share what is related
        | Holiday?$filter="country.code=FR"&$expand=country,country.holidays | ofFrance of Holiday
    `,
    { ofFrance: rowsOf('Holiday').filter(({ CTRY_CD }) => CTRY_CD === 'FR') },
  ),
];

/** §2.2: each kind of deferred form, there and not there. */
const deferredCases: readonly Case[] = [
  ...readLines(
    rows`
      §2.2 a related entity: uri and __KEY | Employee(1)?$attributes=employer | Employee(1)
      §2.2 related entities: uri only, with a question mark | Company(1)?$attributes=employees | Company(1)
      §4.5 an image: key, stamp and the uri with the version | Employee(1)?$attributes=photo | Employee(1)
      §2.2 images, BLOBs and relations that are not there are null | Employee(4)?$attributes=photo,manager.photo,manager.manager.manager | Employee(4)
      §2.2 BLOBs: with content, empty, and none
        | Document?$filter="title begin Inv OR title begin Emp OR title begin Nev"&$orderby=createdAt&$attributes=content | some of Document
      §2.2 a related entity of a text key that needs escapes | Product(1,2,3)?$attributes=category,category.products | Product(1,2,3)[]
      §2.2 related entities of a key of two parts | Assignment(1;1) | Assignment(1;1)
    `,
    { some: rowsOf('Document').filter(({ TITLE_TX }) => /^(?:Inv|Emp|Nev)/.test(TITLE_TX)) },
  ),
];

/** §2, DECISIONS "Answers": the values of all rows of the dataclasses that have something to remember. */
const valueCases: readonly Case[] = rows<
  [what: string, dataclass: DataclassName, attributes: string]
>`
  bigint past 2^53, money, double, date, JSON | Company | ID,registrationNo,creditLimit,founded,isCustomer,latitude,longitude,website,details
  decimal(38,10), real, JSON of its own type | Project | budget,progress,startDate,endDate,status,tags
  dates, bigint, small numbers, JSON text | Employee | firstName,fullName,birthDate,hireDate,badgeNo,grade,active,extra,note
  times, to the millisecond | Employee | shiftStart
  booleans with nulls, real, smallint | Product | listPrice,weight,stock,minimumStock,rating,barcode,discontinued,spec
  dates as keys, times | Holiday | date,halfDay,closingTime,country
  date-times of microseconds | LogEntry | time,severity,source,message
  date-times with an offset, in UTC; timestamps of microseconds | Order | date,placedAt,requiredDate,status,currency,total,paid,note
  decimals of eight places, double | ExchangeRate | currency,date,rate,spread
  GUIDs, bigint | Document | ID,hash,createdAt,title,mimeType
  date-times with an offset and nulls | User | lastLogin,preferences,sortOrder,group
  computed decimals | OrderLine | unitPrice,discount,amount,shippedDate,remark
  decimals of two places | Assignment | role,allocation,fromDate,toDate,billable
  a view that adds up | CompanyTurnover | *
  a view of three tables | DirectoryEntry | *
`.map(([what, dataclass, attributes]) => {
  const byTime = dataclass === 'Document';
  const all: readonly Row[] = rowsOf(dataclass);
  return {
    title: `§2.1 values of ${dataclass}: ${what}`,
    url: `/rest/${dataclass}?$attributes=${attributes}&$top=500${byTime ? '&$orderby=createdAt' : ''}`,
    body: collection(dataclass, byTime ? all : inKeyOrder(dataclass, all), {
      attributes,
      top: 500,
    }),
  };
});

/** Numbers keep their digits in the text of the answer. */
const digits = rows`
  Company(1)?$attributes=registrationNo | "registrationNo":9007199254740993}
  Company(2)?$attributes=registrationNo | "registrationNo":-9223372036854775808}
  Company(7)?$attributes=creditLimit    | "creditLimit":922337203685477.5807}
  Project(3)?$attributes=budget         | "budget":1234567890123456789012345678.0123456789}
  Employee(5)?$attributes=extra         | "serial": ?9007199254740993
  Product(2)?$attributes=weight         | "weight":0.1}
`;

const expandReads: readonly Case[] = [
  ...expandCases,
  ...deferredCases,
  ...valueCases,
  ...digits.flatMap(([url = '', text = '']) =>
    readLines([[`§2.1 every digit of /rest/${url}`, url, url.replace(/\?.*/, '')]]).map((read) => ({
      ...read,
      text: new RegExp(text.replaceAll('.', String.raw`\.`).replace('}', String.raw`\}`)),
    })),
  ),
];

export const reads: readonly Case[] = [...attributesReads, ...expandReads];
