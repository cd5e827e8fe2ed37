import type { RequestAst } from '../../../src/protocol/ast.ts';

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
    get('$catalog/Employee'),
    head('$catalog/Assignment'),
  ],
  openapi: [get('$openapi')],
  reports: [get('$reports')],
  read: [
    // A dataclass that is not there.
    get('Assignment'),
    get('Assignment(1;1)'),
    get('Asignment'),
    head('Assignment'),
    get('Employee(1)/assignments'),
    get('Employee?$expand=projects'),
    get('Employee?$attributes=lastName,assignments.*'),
    get('Employee?$filter="assignments.role=Lead"'),
    get('Employee?$filter="projects.name=x"'),
    get('Project(1)?$expand=assignments'),
    // Attributes and relations that are not there.
    get('Company(1)'),
    get('Company(1)/creditLimit'),
    get('Company?$attributes=creditLimit'),
    get('Company?$attributes=*'),
    get('Company?$filter="creditLimit > 0"'),
    get('Company?$queryplan=true&$filter="ID < 9 and employees.lastName > B"'),
    get('Company(1)/employees?$queryplan=true&$filter="employer.name > B"'),
    get('Company(9)/employees?$queryplan=true'),
    get('Employee?$queryplan=true&$filter="projects.name=x"'),
    get('Company?$filter="creditLimt > 0"'),
    get('Company?$filter="details.a = 1"'),
    get('Company?$filter="country.code = FR"'),
    get('Company?$filter="country = null"'),
    get('Company?$orderby=creditLimit'),
    get('Company?$orderby=country.name'),
    get('Company(1)/country'),
    get('Company(1)/logo?$expand=logo'),
    get('Country?$filter="companies.name begin A"'),
    get(`Employee:email('ada@example.com')`),
    get('Employee?$orderby="employer.creditLimit desc"'),
    get('Employee?$attributes=employer.*'),
    get('Employee(3)?$expand=employer'),
    get('Employee(3)/manager/lastName'),
    get('Employee(1)/directReports'),
    get('LogEntry?$orderby=source&$top=5'),
    // Rows that are not there.
    get('Company?$top=0'),
    get('Company(9)'),
    get('Company(9)/employees'),
    get('Company(5,6,7,8)'),
    get('Company?$filter="not(ID < 6)"'),
    get('Company?$orderby="ID desc"&$top=2'),
    get('Company?$skip=4'),
    get('Employee?$filter="employer = null"&$top=0'),
    get('Employee?$orderby="employer.name desc,ID"&$attributes=ID,employer.name'),
    get('Employee?$expand=employer&$attributes=ID&$top=100'),
    get('Employee(12)/employer'),
    get('Order?$attributes=billTo.name,shipTo.name&$top=50'),
  ],
  content: [
    get('Company(1)/logo?$imageformat=best&$version=1&$expand=logo'),
    get('Company(9)/logo?$imageformat=png&$expand=logo'),
    get('Employee(3)/manager/photo?$imageformat=best&$expand=photo'),
    get('Employee(1)/photo?$binary=true&$expand=photo'),
    get(`Employee:email('ada@example.com')/photo?$imageformat=gif&$expand=photo`),
    get('Assignment(1;1)/role?$binary=true&$expand=role'),
    head('Company(1)/logo?$imageformat=best&$expand=logo'),
  ],
  entitySet: [
    get('Company?$queryplan=true&$method=entityset&$filter="employees.grade > 3"'),
    get('Assignment?$method=entityset'),
    get('Company?$method=entityset'),
    get('Company?$filter="ID > 3"&$orderby="ID desc"&$method=entityset'),
    get('Company(5,6,7)?$method=entityset'),
    get('Company(9)/employees?$method=subentityset'),
    get('Company?$orderby=creditLimit&$method=entityset'),
    get(`Company/$entityset/${SET}`),
    get(`Assignment/$entityset/${SET}`),
    get(`Company/$entityset/${SET}?$savedfilter="creditLimit > 1"`),
    get(`Company/$entityset/${SET}?$logicOperator=AND&$otherCollection=${SET}`),
    get(`Company/$entityset/${SET}?$findKey=9`),
    head(`Company/$entityset/${SET}?$orderby=creditLimit`),
  ],
  compute: [
    get('Assignment/role?$compute=count'),
    get('Company/creditLimit?$compute=$all'),
    get('Company/details.rating?$compute=$all'),
    get('Company/creditLimt?$compute=sum'),
    get('Employee/employer.creditLimit?$compute=sum'),
    get('Employee/projects.budget?$compute=sum'),
    get('Company/ID?$compute=$all&$filter="creditLimit > 0"'),
    get('Company/ID?$compute=$all&$orderby=creditLimit'),
    // Rows that are not there.
    get('Company/ID?$compute=$all'),
    get('Company/ID?$compute=sum&$orderby="ID desc"&$top=2'),
    get('Company(9)/ID?$compute=count'),
    get('Company(9)/employees/grade?$compute=count'),
    get('Company(5,6,7)/ID?$compute=sum'),
    get('Employee/employer.employees.ID?$compute=$all'),
    get(`Company/creditLimit/$entityset/${SET}?$compute=sum`),
    get(`Company/$entityset/${SET}/name?$compute=max`),
    head('Company/creditLimit?$compute=sum'),
  ],
  groups: [
    get('Company?$groupby=creditLimit'),
    get('Company?$groupby=country&$aggregate=sum(creditLimit)'),
    get('Company?$groupby=country&$having="sum(creditLimit) > 5"'),
    get('Company?$groupby=country&$orderby="max(creditLimit)"'),
    get('Company?$groupby=country&$aggregate=count(employees),sum(employees.salary)'),
    get('Employee?$groupby=employer.country&$aggregate=count(assignments),count(projects)'),
    get(
      'Employee?$groupby=employer.country&$aggregate=avg(projects.budget),distinct(projects.name)',
    ),
    get('Assignment?$groupby=role'),
    get('Company(1)/employees?$groupby=grade'),
    get('Company(99999)/employees?$groupby=grade'),
  ],
  distinct: [
    get('Assignment/role?$distinct=true'),
    get('Company/creditLimit?$distinct=true'),
    get('Country/companies.name?$distinct=true'),
    get('LogEntry/source?$distinct=true'),
    get('Company/ID?$distinct=true&$orderby=creditLimit'),
    // Rows that are not there.
    get('Company/ID?$distinct=true'),
    get('Company/ID?$distinct=true&$orderby="ID desc"&$top=2'),
    get('Company(9)/name?$distinct=true'),
    get('Company/employees.ID?$distinct=true'),
    get('Order/billTo.ID?$distinct=true&$filter="ID<50"'),
    get(`Company/$entityset/${SET}/name?$distinct=true`),
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
    post('Company', { __KEY: 1, __STAMP: 1, creditLimit: 1 }),
    post('Company', { __KEY: 9, __STAMP: 1, name: 'x' }),
    post('Company?$method=update', [{ __KEY: 9, __STAMP: 1, name: 'x' }, { details: {} }]),
    post('Company(9)?$method=update', { __STAMP: 1, name: 'x' }),
    post('Company', { name: 'x', country: { code: 'QQ', name: 'x' } }),
    post('Company?$refresh=true&$method=update', { name: 'x', employees: [{ lastName: 'B' }] }),
    post('Company(1)', { __STAMP: 1, employees: [{ __KEY: 1, __STAMP: 1, email: 'x' }] }),
    post('Employee(1)', { __STAMP: 1, employer: { name: 'x', creditLimit: 1 } }),
    post('Employee(1)?$replace=assignments', { __STAMP: 1, assignments: [{ role: 'x' }] }),
    post('Company?$attributes=creditLimit', { __KEY: 1, __STAMP: 1, name: 'x' }),
    post('Company?$atomic=true&$filter="creditLimit > 1"', { __KEY: 1, __STAMP: 1, name: 'x' }),
    post('Employee', { firstName: 'A', lastName: 'B', employer: 9 }),
    post('Employee', { firstName: 'A', lastName: 'B', manager: 1 }),
    post('Employee', { firstName: 'A', lastName: 'B', email: 'ada@example.com' }),
    post('Employee', { __KEY: 1, __STAMP: 1, projects: [] }),
    post(`Employee:email('ada@example.com')?$method=update&$atomic=true`, { lastName: 'x' }),
    { verb: 'PUT', url: '/rest/Company(9)', body: '{"__STAMP":1,"name":"x"}' },
  ],
  delete: [
    remove('Company(9)'),
    remove('Assignment(1;1)'),
    // Others refer to them, which are withheld.
    remove('Project(1)'),
    post('Company?$method=delete', [{ __KEY: 9, __STAMP: 1 }]),
    post('Company?$filter="creditLimit > 1"&$method=delete'),
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
    post('Company(9)/raise'),
    post('Company/country'),
    post('Employee(1)/assignments/recount'),
    post('$singleton/Assignment/recount'),
    get('Company(9)/employees?$method=subentityset&$emMethod=recount'),
  ],
  upload: [{ verb: 'POST', url: '/rest/$upload?$binary=true', body: 'x' }],
  lock: [
    get('Company(9)?$lock=true'),
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
  reload: [{ verb: 'POST', url: '/rest/$info/reload' }],
  stamp: [get('$stamp')],
  changes: [
    get('Assignment/$changes'),
    head('Assignment/$changes'),
    get('Company/$changes?$top=3'),
    get('Company/$changes?$attributes=creditLimit'),
    get('Company/$changes?$filter="ID < 9"'),
    get('Employee/$changes?$expand=assignments'),
  ],
  changesStream: [
    get('$changes/stream?dataclasses=Assignment'),
    get('$changes/stream?dataclasses=Asignment'),
    get('$changes/stream?dataclasses=Company,Assignment'),
  ],
};

/** All of them, with their kind. */
export const everyEndpoint = Object.entries(endpoints).flatMap(([kind, rows]) =>
  rows.map((row) => ({ kind, ...row })),
);
