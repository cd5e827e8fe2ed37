import type { RequestAst } from '../../../src/request/ast.ts';

/** A request that names what is withheld. */
export interface Asked {
  readonly verb: string;
  readonly url: string;
  readonly body?: string | undefined;
}

const get = (path: string): Asked => ({ verb: 'GET', url: `/rest/${path}` });
const head = (path: string): Asked => ({ verb: 'HEAD', url: `/rest/${path}` });
const post = (path: string, body?: unknown): Asked => ({
  verb: 'POST',
  url: `/rest/${path}`,
  body: body === undefined ? undefined : JSON.stringify(body),
});
const remove = (path: string): Asked => ({ verb: 'DELETE', url: `/rest/${path}` });

/** An id that no set has. */
const SET = '0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF';

/**
 * Requests of every kind, each with what may be withheld from a role: dataclasses, attributes, relations and rows, in every place where a request can name
 * them or an answer tell of them. A kind of request without rows does not compile.
 */
export const endpoints: Readonly<Record<RequestAst['kind'], readonly Asked[]>> = {
  catalog: [
    get('$catalog'),
    get('$catalog/$all'),
    get('$catalog/Assignment'),
    get('$catalog/Company,Assignment'),
    get('$catalog/Employee'),
    head('$catalog/Assignment'),
  ],
  read: [
    // A dataclass that is not there.
    get('Assignment'),
    get('Assignment(1;1)'),
    get('Asignment'),
    head('Assignment'),
    get('Employee(1)/assignments'),
    get('Employee(1)/projects'),
    get('Employee?$expand=assignments'),
    get('Employee?$expand=projects'),
    get('Employee?$attributes=projects.name'),
    get('Employee?$attributes=lastName,assignments.*'),
    get('Employee?$filter="assignments.role=Lead"'),
    get('Employee?$filter="projects.name=x"'),
    get('Employee?$filter="projects != null"'),
    get('Project(1)?$expand=assignments'),
    // Attributes and relations that are not there.
    get('Company(1)'),
    get('Company?$top=3'),
    get('Company(1)/creditLimit'),
    get('Company?$attributes=creditLimit'),
    get('Company?$attributes=*'),
    get('Company?$attributes=details.x'),
    get('Company?$filter="creditLimit > 0"'),
    get('Company?$filter="not(creditLimit is null)"'),
    get('Company?$filter="creditLimt > 0"'),
    get('Company?$filter="details.a = 1"'),
    get('Company?$filter="country.code = FR"'),
    get('Company?$filter="country = null"'),
    get('Company?$orderby=creditLimit'),
    get('Company?$orderby=country.name'),
    get('Company?$expand=country'),
    get('Company(1)/country'),
    get('Company(1)/logo?$expand=logo'),
    get('Country(FR)?$expand=companies'),
    get('Country("FR")/companies'),
    get('Country?$filter="companies.name begin A"'),
    get(`Employee:email('ada@example.com')`),
    get('Employee?$filter="email begin a"'),
    get('Employee?$filter="employer.creditLimit > 0"'),
    get('Employee?$orderby="employer.creditLimit desc"'),
    get('Employee?$attributes=employer.creditLimit,lastName'),
    get('Employee?$attributes=employer.*'),
    get('Employee(3)?$expand=employer'),
    get('Employee(3)/manager'),
    get('Employee(3)/manager/lastName'),
    get('Employee?$filter="manager.lastName = x"'),
    get('Employee(1)/directReports'),
    get('LogEntry?$top=20'),
    get('LogEntry?$filter="source = a"'),
    get('LogEntry?$orderby=source&$top=5'),
    // Rows that are not there.
    get('Company?$top=0'),
    get('Company(9)'),
    get('Company(9)/employees'),
    get('Company(5,6,7,8)'),
    get('Company({"ID":9})'),
    get('Company?$filter="ID > 4"'),
    get('Company?$filter="not(ID < 6)"'),
    get('Company?$filter="ID = 1 EXCEPT ID > 0"'),
    get('Company?$orderby="ID desc"&$top=2'),
    get('Company?$skip=4'),
    get('Company?$asArray=true&$attributes=ID'),
    get('Employee?$filter="employer.name != null"&$top=0'),
    get('Employee?$filter="employer = null"&$top=0'),
    get('Employee?$filter="employer.ID > 5"'),
    get('Employee?$orderby="employer.name desc,ID"&$attributes=ID,employer.name'),
    get('Employee?$attributes=ID,employer&$top=100'),
    get('Employee?$expand=employer&$attributes=ID&$top=100'),
    get('Employee(12)/employer'),
    get('Order?$attributes=billTo.name,shipTo.name&$top=50'),
    get('Order?$filter="billTo.ID > 5"&$top=0'),
    get('Project?$expand=customer&$top=50'),
  ],
  entitySet: [
    get('Assignment?$method=entityset'),
    get('Company?$method=entityset'),
    get('Company?$filter="ID > 3"&$orderby="ID desc"&$method=entityset'),
    get('Company(5,6,7)?$method=entityset'),
    get('Company(9)?$method=entityset'),
    get('Company(9)/employees?$method=subentityset'),
    get('Employee(1)/projects?$method=subentityset'),
    get('Company?$orderby=creditLimit&$method=entityset'),
    get(`Company/$entityset/${SET}`),
    get(`Company/$entityset/${SET}?$filter="creditLimit > 1"`),
    get(`Assignment/$entityset/${SET}`),
    get(`Company/$entityset/${SET}?$savedfilter="creditLimit > 1"`),
    get(`Company/$entityset/${SET}?$logicOperator=AND&$otherCollection=${SET}`),
    get(`Company/$entityset/${SET}?$findKey=9`),
    head(`Company/$entityset/${SET}?$orderby=creditLimit`),
  ],
  release: [
    get(`Company/$entityset/${SET}?$method=release`),
    get(`Assignment/$entityset/${SET}?$method=release`),
  ],
  deleteSet: [
    post(`Company/$entityset/${SET}?$method=delete`),
    post(`Company/$entityset/${SET}?$filter="creditLimit > 1"&$method=delete`),
    remove(`Assignment/$entityset/${SET}`),
  ],
  save: [
    post('Assignment', { employeeID: 1, projectID: 1 }),
    post('Company', { name: 'x', creditLimit: 1 }),
    post('Company', { name: 'x', country: 'FR' }),
    post('Company', { __KEY: 1, __STAMP: 1, creditLimit: 1 }),
    post('Company', { __KEY: 9, __STAMP: 1, name: 'x' }),
    post('Company?$atomic=true', [{ __KEY: 9, name: 'x' }]),
    post('Company?$method=update', [{ __KEY: 9, __STAMP: 1, name: 'x' }, { details: {} }]),
    post('Company?$refresh=true&$method=update', { __KEY: 9, __STAMP: -1, name: 'x' }),
    post('Company(9)?$method=update', { __STAMP: 1, name: 'x' }),
    post('Company?$attributes=creditLimit', { __KEY: 1, __STAMP: 1, name: 'x' }),
    post('Company?$filter="creditLimit > 1"', { __KEY: 1, __STAMP: 1, name: 'x' }),
    post('Company?$expand=country', { __KEY: 1, __STAMP: 1, name: 'x' }),
    post('Employee', { firstName: 'A', lastName: 'B', employer: 9 }),
    post('Employee', { firstName: 'A', lastName: 'B', employer: { __KEY: '9' } }),
    post('Employee', { firstName: 'A', lastName: 'B', manager: 1 }),
    post('Employee', { firstName: 'A', lastName: 'B', email: 'ada@example.com' }),
    post('Employee', { __KEY: 1, __STAMP: 1, projects: [] }),
    post(`Employee:email('ada@example.com')?$method=update&$atomic=true`, { lastName: 'x' }),
    { verb: 'PUT', url: '/rest/Company(9)', body: '{"__STAMP":1,"name":"x"}' },
  ],
  delete: [
    remove('Company(9)'),
    remove('Company(8,9)'),
    remove('Assignment(1;1)'),
    post('Company?$method=delete', [{ __KEY: 9, __STAMP: 1 }]),
    post('Company?$method=delete', { __KEY: 9 }),
    post('Company?$filter="creditLimit > 1"&$method=delete'),
    post('Company?$filter="country.code = FR"&$method=delete'),
    post('Assignment?$filter="role = x"&$method=delete'),
    post('Company?$filter="ID > 5"&$method=delete'),
  ],
  attributeUpload: [
    { verb: 'POST', url: '/rest/Company(1)/logo?$rawPict=image/png', body: 'x' },
    { verb: 'POST', url: '/rest/Employee(999)/photo?$binary=true', body: 'x' },
    { verb: 'POST', url: '/rest/Company(9)/name?$binary=true', body: 'x' },
    { verb: 'POST', url: '/rest/Assignment(1;1)/role?$binary=true', body: 'x' },
  ],
  call: [
    post('$catalog/Assignment'),
    post('Assignment/recount'),
    post('Assignment(1;1)/recount', [1]),
    post('Company(9)/raise'),
    post('Company(1)/creditLimit', [1]),
    post('Company/country'),
    post('Employee/manager'),
    post('Employee(1)/assignments/recount'),
    post('$singleton/Assignment/recount'),
    get('Company(9)/employees?$method=subentityset&$emMethod=recount'),
  ],
  upload: [{ verb: 'POST', url: '/rest/$upload?$binary=true', body: 'x' }],
  lock: [
    get('Company(9)?$lock=true'),
    get('Company(9)?$lock=false'),
    get('Company(9)?$lock=true&__STAMP=1'),
    get('Assignment(1;1)?$lock=true'),
    get(`Employee:email('ada@example.com')?$lock=true`),
  ],
  directory: [
    post('$directory/login', ['ada', 'secret']),
    get('$directory/currentUser'),
    get('$directory/logout'),
  ],
  info: [get('$info')],
};

/** All of them, with their kind. */
export const everyEndpoint = Object.entries(endpoints).flatMap(([kind, rows]) =>
  rows.map((row) => ({ kind, ...row })),
);
