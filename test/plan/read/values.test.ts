import { describe, expect, test } from 'vitest';
import { planCompute, type ComputePlan } from '../../../src/plan/read/compute.ts';
import { planDistinct } from '../../../src/plan/read/distinct.ts';
import { parseRequest } from '../../../src/protocol/parse.ts';
import { planning, queryOf, readSnapshot, sampleModel } from '../../fixtures/legacy/model.ts';
import { complaint } from '../../protocol/complaint.ts';
import { rows } from '../../rows.ts';

const model = await sampleModel(readSnapshot('postgres'));

function plan(path: string): ComputePlan | ReturnType<typeof planDistinct> {
  const { ast } = parseRequest(`/rest/${path}`);
  if (ast.kind === 'compute') return planCompute(ast, planning(model));
  if (ast.kind === 'distinct') return planDistinct(ast, planning(model));
  throw new Error(`${path} asks for no values`);
}

describe('of all there is to compute', () => {
  const number = ['count', 'sum', 'average', 'min', 'max'];
  const ordered = ['count', 'min', 'max'];

  test.each([
    ['Employee/grade', number],
    ['Company/creditLimit', number],
    ['Company/latitude', number],
    ['Employee/extra.level', number],
    ['Employee/lastName', ordered],
    ['Employee/birthDate', ordered],
    ['Employee/shiftStart', ordered],
    ['Employee/active', ['count']],
    ['Document/ID', ['count']],
    ['Employee/photo', ['count']],
    ['Employee/extra', ['count']],
  ])('%s has %j', (path, computed) => {
    const found = plan(`${path}?$compute=$all`) as ComputePlan;
    expect(found.computed).toEqual(computed);
    expect(found.under).toBe(path.split('/')[1]);
  });

  test('one alone asks the database for no more than it takes', () => {
    const names = (path: string): string[] =>
      queryOf(plan(path).statement, 'aggregate').aggregates.map((aggregate) => aggregate.function);
    expect(names('Employee/grade?$compute=count')).toEqual(['rows']);
    expect(names('Employee/grade?$compute=average')).toEqual(['rows', 'sum']);
    expect(names('Employee/grade?$compute=min')).toEqual(['rows', 'min']);
    expect(names('Employee/extra.level?$compute=max')).toEqual(['rows', 'count', 'max', 'max']);
  });
});

test.each([
  ['Employee/grade?$compute=sum', null, null],
  ['Employee(1)/grade?$compute=sum', 'TBL_EMP', 'Employee'],
  ['Employee(1)/employer/ID?$compute=sum', 'TBL_EMP', 'Employee'],
  ['Company(1)/employees/grade?$distinct=true', 'CMP_MST', 'Company'],
  ['Company(1,2)/ID?$distinct=true', null, null],
])('%s needs an entity in %s', (path, table, dataclass) => {
  const { origin } = plan(path);
  if (origin.kind !== 'selection') throw new Error('not of a selection');
  const found = origin.origin === null ? null : queryOf(origin.origin, 'select').from.name;
  expect(found).toBe(table);
  if (dataclass !== null) expect(origin.addressed.dataclass).toBe(dataclass);
});

test('an order cuts nothing without a window, and is looked at all the same', () => {
  const { statement } = plan('Employee/grade?$compute=sum&$orderby=employer.name');
  const { rows } = queryOf(statement, 'aggregate');
  expect([rows.orderBy, rows.joins, rows.window]).toEqual([[], [], null]);
});

test.each(rows`
  Employee?$compute=sum | attributeNeeded  | An attribute is needed whose values are meant: Employee/attribute, or $attributes=attribute
  Employee?$attributes=employer.*&$compute=sum | attributeNeeded  | An attribute is needed whose values are meant: Employee/attribute, or $attributes=attribute (at position 1 of $attributes)
  Employee/employer?$distinct=true | attributeNeeded  | Employee.employer is a relation and has no value: name an attribute behind it (at position 11 of the path)
  Employee?$attributes=ID,grade&$compute=sum | badAttributeList | A request can read the values of only one attribute (at position 4 of $attributes)
  Employee/grad?$compute=sum | noSuchAttribute  | Dataclass Employee has no attribute grad. Did you mean grade? (at position 11 of the path)
  Employee?$attributes=employer.nam&$compute=min | noSuchAttribute  | Dataclass Company has no attribute nam. Did you mean name? (at position 1 of $attributes)
  Employee/lastName.x?$distinct=true | noSuchAttribute  | Employee.lastName is of type string: it has no properties, and x is none (at position 11 of the path)
  Employee/lastName?$compute=sum | notApplicable    | There is no sum of Employee.lastName, which is of type string: expected $all, count, min or max (at position 1 of $compute)
  Employee/photo?$compute=max | notApplicable    | There is no max of Employee.photo, which is of type image: expected $all or count (at position 1 of $compute)
  Employee/photo?$distinct=true | notApplicable    | Attributes of type image do not support $distinct: Employee.photo.
  Employee/extra?$distinct=true | notApplicable    | Attributes of type object do not support $distinct: Employee.extra; name one of its properties.
  Employee/grade?$distinct=true&$orderby="grade desc,ID" | notApplicable    | The distinct values of Employee.grade can only be in the order of grade (at position 12 of $orderby)
  Employee/grade?$compute=sum&$orderby=photo | notSortable      | Nothing can be sorted by photo: it is of type image (at position 1 of $orderby)
  LogEntry/$entityset/X/severity?$compute=sum | notApplicable    | LogEntry has no key: no entity set can hold its entities.
  Employee/employer.employees.employer.employees.employer.employees.employer.employees.employer.employees.employer.ID?$compute=sum | notApplicable
    | employer.employees.employer.employees.employer.employees.employer.employees.employer.employees.employer.ID goes over more than 10 relations (at position 11 of the path)
`)('%s is refused', (path, name, message) => {
  expect(complaint(() => plan(path))).toEqual([name, message]);
});
