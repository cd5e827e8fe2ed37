/** What the compiler says of the sample's client: `npm run typecheck` fails where one of these does not hold. */
import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  type Client,
  createClient,
  type Decimal,
  type DeferredEntities,
  type DeferredEntity,
  type DeferredImage,
  filter,
  type Instant,
  isDefined,
  type JsonValue,
  type Page,
  type ProcedureResult,
  type UndefinedReference,
} from './sample/client.ts';
import { type Employee, type Model, model } from './sample/model.ts';

const api = createClient(model, { url: 'http://127.0.0.1:1' });

/** Is compiled and never called: nothing is sent. */
function compiled(work: (...given: never[]) => unknown): void {
  expect(work).toBeTypeOf('function');
}

describe('the shape of an answer', () => {
  test('is all attributes, relations deferred, where no list is given', () => {
    compiled(() => {
      expectTypeOf(api.Employee.get(1)).resolves.toEqualTypeOf<Employee>();
      expectTypeOf(api.Employee.query()).resolves.toEqualTypeOf<Page<Employee>>();
      expectTypeOf<Employee['employer']>().toEqualTypeOf<DeferredEntity | null>();
      expectTypeOf<Employee['projects']>().toEqualTypeOf<DeferredEntities>();
      expectTypeOf<Employee['photo']>().toEqualTypeOf<DeferredImage | null>();
      expectTypeOf<Employee['badgeNo']>().toEqualTypeOf<bigint | null>();
      expectTypeOf<Employee['hireDate']>().toEqualTypeOf<string>();
      expectTypeOf<Employee['extra']>().toEqualTypeOf<JsonValue | null>();
    });
  });

  test('is exactly what a list names, beside the fields of the protocol', () => {
    compiled(() => {
      expectTypeOf(
        api.Employee.get(1, { attributes: 'lastName, employer.name' }),
      ).resolves.toEqualTypeOf<{
        readonly __KEY: string;
        readonly __STAMP: number;
        readonly __TIMESTAMP: Instant | null;
        lastName: string;
        employer: {
          readonly __KEY: string;
          readonly __STAMP: number;
          readonly __TIMESTAMP: Instant | null;
          name: string;
        } | null;
      }>();
    });
  });

  test('follows paths to one and to many, and joins those with one beginning', () => {
    compiled(async () => {
      const employee = await api.Employee.get(1, {
        attributes: 'projects.name,projects.lead.lastName,manager.employer.country.name,employer',
      });
      expectTypeOf(employee.projects).toExtend<Page<{ name: string }>>();
      expectTypeOf(employee.projects.__ENTITIES[0]?.lead?.lastName).toEqualTypeOf<
        string | undefined
      >();
      expectTypeOf(employee.manager?.employer?.country.name).toEqualTypeOf<string | undefined>();
      expectTypeOf(employee.employer).toEqualTypeOf<DeferredEntity | null>();
      // @ts-expect-error -- it was not asked for
      expectTypeOf(employee.lastName);
      // @ts-expect-error -- nor was that of the related entity
      expectTypeOf(employee.projects.__ENTITIES[0]?.budget);
    });
  });

  test('has all attributes for a star, beside those of relations', () => {
    compiled(async () => {
      const { employer, lastName, manager } = await api.Employee.get(1, {
        attributes: '*,employer.name',
      });
      expectTypeOf(lastName).toEqualTypeOf<string>();
      expectTypeOf(manager).toEqualTypeOf<DeferredEntity | null>();
      expectTypeOf(employer?.name).toEqualTypeOf<string | undefined>();
      const { employer: all } = await api.Employee.get(1, { attributes: 'employer.*' });
      expectTypeOf(all?.creditLimit).toEqualTypeOf<Decimal | null | undefined>();
      expectTypeOf(all?.country).toExtend<DeferredEntity | null | undefined>();
      const expanded = await api.Employee.get(1, {
        attributes: '*,employer.*,employer.country.*,projects.*',
      });
      expectTypeOf(expanded.lastName).toEqualTypeOf<string>();
      expectTypeOf(expanded.employer?.country.name).toEqualTypeOf<string | undefined>();
      expectTypeOf(expanded.projects.__ENTITIES[0]?.name).toEqualTypeOf<string | undefined>();
    });
  });

  test('is not null behind a relation that always leads to an entity', () => {
    compiled(async () => {
      const line = await api.OrderLine.get({ orderNo: 7, line: 2 }, { attributes: 'product.name' });
      expectTypeOf(line.product.name).toEqualTypeOf<string>();
    });
  });

  test('is unknown where the list is', () => {
    compiled((list = 'lastName' as string) =>
      expectTypeOf(api.Employee.get(1, { attributes: list })).resolves.toEqualTypeOf<
        Readonly<Record<string, unknown>>
      >(),
    );
  });
});

describe('unknown names', () => {
  test('are errors that say which they are', () => {
    compiled(() => {
      // @ts-expect-error -- Type '"lastNam"' is not assignable to type '"Employee has no attribute \"lastNam\""'.
      void api.Employee.query({ attributes: 'lastNam' });
      // @ts-expect-error -- Company has no attribute "nam"
      void api.Employee.query({ attributes: 'lastName,employer.nam' });
      // @ts-expect-error -- Employee has no relation "employr"
      void api.Employee.query({ attributes: 'employr.name' });
      // @ts-expect-error -- Employee has no relation "lastName"
      void api.Employee.query({ attributes: 'lastName.length' });
      // @ts-expect-error -- Employee has no attribute "grad"
      void api.Employee.compute('grad', 'sum');
      // @ts-expect-error -- there is no such dataclass
      expectTypeOf(api.Employe);
      // @ts-expect-error -- it is not exposed
      void api.Employee.query({ attributes: 'salary' });
    });
    type Told = Parameters<typeof api.Employee.query<'lastNam'>>[0];
    expectTypeOf<
      NonNullable<NonNullable<Told>['attributes']>
    >().toEqualTypeOf<'Employee has no attribute "lastNam"'>();
  });
});

describe('keys', () => {
  test('have the types of their attributes', () => {
    compiled((employee: Employee) => {
      void api.Employee.get(employee);
      void api.Category.get('Tools');
      void api.Employee.get(employee.__KEY);
      // @ts-expect-error -- the key is a number
      void api.Employee.get(true);
      // @ts-expect-error -- the key has two parts
      void api.OrderLine.get(7);
      // @ts-expect-error -- one of two parts
      void api.OrderLine.get({ orderNo: 7 });
      // @ts-expect-error -- its entities have no key
      void api.LogEntry.get(1);
    });
  });
});

test('the __KEY of what was saved or read is a key', () => {
  compiled(async () => {
    const saved = await api.Order.insert({
      ...{ date: '2026-01-02', placedAt: '2026-01-02T10:00:00Z', currency: 'EUR', billTo: 1 },
      lines: [],
    });
    void api.Order.entity(saved.__KEY);
    void api.Order.entity(saved);
    const line = await api.OrderLine.get({ orderNo: 7, line: 2 }, { attributes: 'quantity' });
    void api.OrderLine.delete(line.__KEY);
  });
});

describe('changes', () => {
  test('are pages of what a list names', () => {
    compiled(async () => {
      const since = 'token' as string | undefined;
      for await (const page of api.Employee.changes({ since, attributes: 'lastName' })) {
        expectTypeOf(page.__ENTITIES[0]?.lastName).toEqualTypeOf<string | undefined>();
        expectTypeOf(page.__REMOVED).toEqualTypeOf<readonly string[] | undefined>();
        expectTypeOf(page.__TOKEN).toEqualTypeOf<string>();
        for (const key of page.__REMOVED ?? []) void api.Employee.find(key);
        // @ts-expect-error -- it was not asked for
        expectTypeOf(page.__ENTITIES[0]?.grade);
      }
      // @ts-expect-error -- Employee has no attribute "lastNam"
      void api.Employee.changes({ attributes: 'lastNam' });
      // @ts-expect-error -- changes have an order of their own
      void api.Employee.changes({ orderby: 'lastName' });
    });
  });

  test('are a stream of keys of the dataclasses that it names', () => {
    compiled(async () => {
      const stream = await api.$gateway.changes(['Employee', 'Company']);
      expectTypeOf(stream.token).toEqualTypeOf<string | undefined>();
      for await (const { dataclass, keys, removed, tooMany } of stream) {
        expectTypeOf(dataclass).toEqualTypeOf<'Employee' | 'Company'>();
        if (tooMany) expectTypeOf(keys).toEqualTypeOf<undefined>();
        else expectTypeOf([keys, removed]).toEqualTypeOf<(readonly string[])[]>();
      }
      // @ts-expect-error -- there is no such dataclass
      void api.$gateway.changes(['Employe']);
    });
  });
});

describe('what is saved', () => {
  test('has what a new entity needs, and nothing that is read only', () => {
    const person = { lastName: 'Martin', email: 'a@b.example', hireDate: '2024-09-01' };
    compiled(() => {
      void api.Employee.insert({
        ...person,
        firstName: 'Ada',
        employer: 1,
        manager: { __KEY: '1' },
      });
      // @ts-expect-error -- firstName is missing
      void api.Employee.insert(person);
      // @ts-expect-error -- the database computes it
      void api.Employee.insert({ ...person, firstName: 'Ada', fullName: 'Ada Martin' });
      // @ts-expect-error -- the database gives it
      void api.Employee.insert({ ...person, firstName: 'Ada', ID: 5 });
      // @ts-expect-error -- it is mandatory
      void api.Employee.insert({ ...person, firstName: null });
    });
  });

  test('has key and stamp to change an entity, which may be sent back as it was read', () => {
    compiled((employee: Employee) => {
      void api.Employee.update({ __KEY: '1', __STAMP: 3, grade: 4 });
      void api.Employee.update({ ...employee, grade: 4 });
      // @ts-expect-error -- the stamp is missing
      void api.Employee.update({ __KEY: '1', grade: 4 });
      // @ts-expect-error -- there is no such attribute
      void api.Employee.update({ __KEY: '1', __STAMP: 3, grad: 4 });
      // @ts-expect-error -- the key of an entity does not change
      void api.Category.update({ __KEY: 'A', __STAMP: 3, code: 'B' });
    });
  });

  test('holds entities that it is saved with, whose relation back is given', () => {
    compiled(() => {
      const head = {
        date: '2026-01-02',
        placedAt: '2026-01-02T10:00:00Z',
        currency: 'EUR',
        billTo: 1,
      };
      void api.Order.insert({
        ...head,
        lines: [
          { line: 1, product: 1, unitPrice: '3.5' },
          { __KEY: '{"orderNo":7,"line":2}', __STAMP: 1, quantity: 2 },
        ],
      });
      // @ts-expect-error -- the line has no product
      void api.Order.insert({ ...head, lines: [{ line: 1, unitPrice: 3 }] });
      void api.Order.insert({
        ...head,
        billTo: { name: 'New', country: 'FR', registrationNo: 5n },
      });
    });
  });

  test('is answered by the same shapes', () => {
    compiled(async () => {
      const saved = await api.Country.update(
        { __KEY: 'FR', __STAMP: 1, population: 5 },
        { attributes: 'name' },
      );
      expectTypeOf(saved.name).toEqualTypeOf<string>();
      expectTypeOf(saved.__STATUS.success).toEqualTypeOf<boolean>();
      // @ts-expect-error -- it was not asked for
      expectTypeOf(saved.population);
    });
  });
});

describe('values', () => {
  test('that are computed have the types of their attributes, totals are digits', () => {
    compiled(() => {
      expectTypeOf(api.Employee.compute('grade', 'count')).resolves.toEqualTypeOf<number>();
      expectTypeOf(api.Employee.compute('grade', 'sum')).resolves.toEqualTypeOf<Decimal>();
      expectTypeOf(api.Employee.compute('badgeNo', 'max')).resolves.toEqualTypeOf<bigint | null>();
      expectTypeOf(
        api.Employee.compute('employer.creditLimit', 'min'),
      ).resolves.toEqualTypeOf<Decimal | null>();
      expectTypeOf(api.Employee.distinct('employer.country.name')).resolves.toEqualTypeOf<
        string[]
      >();
      expectTypeOf(api.Employee.distinct('extra.level')).resolves.toEqualTypeOf<JsonValue[]>();
    });
  });

  test('of groups are by name as the lists write them', () => {
    compiled(async () => {
      const { __GROUPS: groups, __COUNT: count } = await api.Order.groups({
        groupby: 'status, billTo.country.name as country, date:month,billTo.ID,total:step(100)',
        aggregate: 'sum(total) as turnover, count, avg(lines.quantity), max(lines.amount) as top',
        filter: filter`date >= ${'2024-01-01'}`,
        having: filter`turnover > ${1000}`,
        orderby: 'turnover desc',
      });
      expectTypeOf(count).toEqualTypeOf<number>();
      expectTypeOf(groups).items.toExtend<{
        readonly status: string | null;
        readonly country: string | null;
        readonly 'date:month': string | null;
        readonly 'billTo.ID': number | null;
        readonly 'total:step(100)': Decimal | null;
        readonly turnover: Decimal;
        readonly count: number;
        readonly 'avg(lines.quantity)': Decimal | null;
        readonly top: Decimal | null;
        readonly uri: string | null;
      }>();
      // @ts-expect-error -- it is named turnover
      expectTypeOf(groups[0]?.['sum(total)']);
      const all = await api.Employee.groups({ aggregate: 'count(projects),max(badgeNo)' });
      expectTypeOf(all.__GROUPS[0]?.['max(badgeNo)']).toEqualTypeOf<bigint | null | undefined>();
      expectTypeOf(all.__GROUPS[0]?.['count(projects)']).toEqualTypeOf<number | undefined>();
      const counted = await api.Employee.groups({ groupby: 'grade:step(5),active,birthDate:week' });
      expectTypeOf(counted.__GROUPS[0]?.count).toEqualTypeOf<number | undefined>();
      expectTypeOf(counted.__GROUPS[0]?.['grade:step(5)']).toEqualTypeOf<
        number | null | undefined
      >();
      expectTypeOf(counted.__GROUPS[0]?.active).toEqualTypeOf<boolean | null | undefined>();
      const list = 'status' as string;
      expectTypeOf((await api.Order.groups({ groupby: list })).__GROUPS).items.toEqualTypeOf<
        Readonly<Record<string, unknown>>
      >();
    });
  });

  test('of groups are computed of what has them', () => {
    compiled(() => {
      // @ts-expect-error -- Order has no attribute "stat"
      void api.Order.groups({ groupby: 'stat' });
      // @ts-expect-error -- Order has no attribute "billTo.nam"
      void api.Order.groups({ groupby: 'date:month, billTo.nam as name' });
      // @ts-expect-error -- "status" has no month
      void api.Order.groups({ groupby: 'status:month' });
      // @ts-expect-error -- "date" has no hour
      void api.Order.groups({ groupby: 'date:hour' });
      // @ts-expect-error -- There is no part "decade"
      void api.Order.groups({ groupby: 'date:decade' });
      // @ts-expect-error -- "lines" leads to many entities
      void api.Order.groups({ groupby: 'lines.quantity' });
      // @ts-expect-error -- relations are no groups
      void api.Order.groups({ groupby: 'billTo' });
      // @ts-expect-error -- "extra" has no distinct
      void api.Employee.groups({ groupby: 'extra' });
      // @ts-expect-error -- "status" has no sum
      void api.Order.groups({ aggregate: 'count, sum(status)' });
      // @ts-expect-error -- "billTo" has no count
      void api.Order.groups({ aggregate: 'count(billTo)' });
      // @ts-expect-error -- "paid" has no max
      void api.Order.groups({ aggregate: 'max(paid)' });
      // @ts-expect-error -- "ID" has no min
      void api.Document.groups({ aggregate: 'count(ID), min(ID)' });
      // @ts-expect-error -- There is no aggregate "median"
      void api.Order.groups({ aggregate: 'median(total)' });
      // @ts-expect-error -- Order has no attribute "lines.quantty"
      void api.Order.groups({ aggregate: 'sum(lines.quantty) as quantity' });
      void api.Order.groups({ groupby: 'placedAt:hour', aggregate: 'distinct(billTo.ID)' });
      void api.Employee.groups({ aggregate: 'count(extra),count(photo),count(projects)' });
    });
    type Told = Parameters<typeof api.Order.groups<never, 'sum(status)'>>[0];
    expectTypeOf<
      NonNullable<NonNullable<Told>['aggregate']>
    >().toEqualTypeOf<'"status" has no sum'>();
  });

  test('of functions have the types of their routines', () => {
    compiled(() => {
      expectTypeOf(api.Employee.entity(2).call('greet', ['Hi'])).resolves.toEqualTypeOf<
        string | null
      >();
      expectTypeOf(api.Employee.call('tally', [])).resolves.toEqualTypeOf<bigint | null>();
      expectTypeOf(
        api.Employee.call('tally', [], { filter: filter`grade > ${3}` }),
      ).resolves.toEqualTypeOf<bigint | null>();
      expectTypeOf(api.Employee.call('graded', [8])).resolves.toEqualTypeOf<Page<Employee>>();
      expectTypeOf(api.$gateway.call('add', ['1', 2])).resolves.toEqualTypeOf<Decimal | null>();
      expectTypeOf(
        api.$gateway.singleton('Sums').call('add', ['1', 2]),
      ).resolves.toEqualTypeOf<Decimal | null>();
      expectTypeOf<ProcedureResult['returnValue']>().toEqualTypeOf<number | null>();
      const shaped = api.Employee.call('graded', [8], { attributes: 'lastName', top: 5 });
      expectTypeOf(shaped).resolves.toHaveProperty('__ENTITIES');
      // @ts-expect-error -- an entity's function needs one
      void api.Employee.call('greet', ['Hi']);
      // @ts-expect-error -- a parameter is missing
      void api.Employee.call('graded', []);
      // @ts-expect-error -- a parameter is of another type
      void api.Employee.call('graded', ['8']);
      // @ts-expect-error -- Employee has no attribute "nam"
      void api.Employee.call('graded', [8], { attributes: 'nam' });
      // @ts-expect-error -- there is no such function
      void api.Employee.call('grade', []);
    });
  });
});

test('entities of a set may be gone', () => {
  compiled(async () => {
    const set = await api.Employee.entitySet({ filter: filter`grade > ${3}` });
    const page = await set.query({ attributes: 'lastName' });
    const [first] = page.__ENTITIES;
    expectTypeOf(first).toExtend<{ lastName: string } | UndefinedReference | undefined>();
    expectTypeOf(page.__ENTITIES.find(isDefined)?.lastName).toEqualTypeOf<string | undefined>();
    // @ts-expect-error -- it may be gone
    expectTypeOf(first?.lastName);
    expectTypeOf(set.deleteEntities()).resolves.toEqualTypeOf<number>();
    expectTypeOf(api.Employee.deleteWhere('ID = 0')).resolves.toEqualTypeOf<number>();
    for await (const employee of api.Employee.all({ attributes: 'lastName' })) {
      expectTypeOf(employee.lastName).toEqualTypeOf<string>();
    }
  });
});

test('a client has each dataclass of its model', () => {
  expectTypeOf(api).toEqualTypeOf<Client<Model>>();
  expectTypeOf<keyof Client<Model>>().toEqualTypeOf<keyof Model['dataclasses'] | '$gateway'>();
});
