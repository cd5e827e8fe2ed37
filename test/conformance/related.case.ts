import { rows } from '../rows.ts';
import { document } from './entities.case.ts';
import { readLines } from './lines.ts';
import { inKeyOrder, reach, rowAt, sortedBy } from './oracle.ts';
import type { Case } from './suite.ts';

const company = rowAt('Company', 1);
const billed = inKeyOrder('Order', reach('Company', company, 'billedOrders'));

/** What is narrowed or sorted otherwise than by its key. */
const named = {
  byCost: sortedBy(reach('Company', company, 'employees', 'department'), 'COST_CTR', 'asc'),
  latest: billed.toReversed(),
  unpaid: billed.filter((row) => row['PAID_FL'] === false),
};

export const reads: readonly Case[] = readLines(
  rows`
    §4.2 a related entity | Employee(1)/employer | Employee(1).employer
    §4.2 a related entity of a text key | Employee(4)/department | Employee(4).department
    §4.2 a related entity without a foreign key | Employee(2)/manager | Employee(2).manager
    §4.2 one of two relations to one dataclass | Order(1)/billTo | Order(1).billTo
    §4.2 the other of two | Order(1)/shipTo | Order(1).shipTo
    §4.2 behind brackets | Employee[1]/employer | Employee(1).employer
    §4.2 behind a JSON key | OrderLine({"orderNo":7,"line":2})/product | OrderLine(7;2).product
    §4.2 behind a text key with a slash | Department("OPS/EU")/parent | Department(OPS/EU).parent
    §4.2 behind a GUID | Document(${document})/owner | Document(${document}).owner
    §4.2 behind a view | DirectoryEntry(1)/employee | DirectoryEntry(1).employee
    §4.2 behind a unique attribute | Project:code(PRJ-0001)/lead | Project(1).lead
    §4.2 a chain of relations to one | Employee(4)/manager/employer/country | Employee(4).manager.employer.country
    §4.2 no related entity is null | Employee(1)/manager | Employee(1).manager
    §4.2 no related entity on the way is null | Employee(5)/employer/country | Employee(5).employer.country
    §4.2 a manager who left is null | Employee(400)/manager | Employee(400).manager
    §4.2 $expand of the relation in the path asks for nothing more | Employee(1)/employer?$expand=employer | Employee(1).employer | {}
    §4.2 a related entity with $attributes | Employee(1)/employer?$attributes=name,country.name | Employee(1).employer
    §4.2 related entities by the URI of a deferred form | Order(7)/lines?$expand=lines | Order(7).lines[] | {}
    §4.2 related entities through a table between | Employee(1)/projects | Employee(1).projects[]
    §4.2 the way back through that table | Project(1)/staff?$attributes=fullName | Project(1).staff[]
    §4.2 through a table between, each once | Order(1)/products?$attributes=name | Order(1).products[]
    §4.2 a chain to many by one | Employee(1)/employer/projects | Employee(1).employer.projects[]
    §4.2 a chain to one of many, each once | Company(1)/employees/department?$attributes=name&$orderby=costCenter | byCost of Department
    §4.2 a chain of three relations to many | Country(DK)/companies/employees/projects?$attributes=code&$top=500
      | Country(DK).companies.employees.projects[]
    §4.2 no related entities are an empty collection | Employee(5)/projects | Employee(5).projects[]
    §4.2 no related entities on the way | Employee(5)/employer/projects | Employee(5).employer.projects[]
    §4.2 related entities in pages | Company(1)/billedOrders?$skip=3&$top=4&$orderby="ID desc"&$attributes=ID,date | latest of Order
    §4.2 related entities: the first 100 where nothing is said | Country(FR)/companies/billedOrders?$attributes=date
      | Country(FR).companies.billedOrders[]
    §4.2 related entities narrowed by $filter | Company(1)/billedOrders?$filter="paid=false"&$attributes=ID | unpaid of Order
    §4.2 related entities as a bare array | Order(7)/lines?$asArray=true&$attributes=quantity,amount | array Order(7).lines[]
    §4.2 related entities | Department(SALES)/subDepartments?$orderby=costCenter | Department(SALES).subDepartments[]
    §4.4 attributes of an entity in the path | Employee(3)/firstName,lastName | Employee(3) | {attributes: 'firstName,lastName'}
    §4.4 one attribute of an entity in the path | Employee[3]/lastName/ | Employee(3) | {attributes: lastName}
    §4.4 attributes of related entities in the path | Employee(3)/lastName,employer.name,projects.code | Employee(3)
      | {attributes: 'lastName,employer.name,projects.code'}
    §4.4 attributes of a collection in the path | Employee/firstName,employer.name?$filter="ID<4" | Employee(1,2,3)[]
      | {attributes: 'firstName,employer.name'}
    §4.4 attributes of a list of keys in the path | Employee(1,3)/firstName | Employee(1,3)[] | {attributes: firstName}
    §4.4 attributes of a related entity in the path | Employee(1)/employer/name,city | Employee(1).employer | {attributes: 'name,city'}
    §4.4 attributes of related entities in the path, behind the relation | Company(2)/employees/fullName?$top=500 | Company(2).employees[]
      | {attributes: fullName, top: 500}
  `,
  named,
);
