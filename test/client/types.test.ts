/** What the compiler says of the sample's client: `npm run typecheck` fails where one of these does not hold. */
import { expect, expectTypeOf, test } from 'vitest';
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

/** An entity with some of its attributes, as it is answered. */
type Answered<Members> = Flat<
  {
    readonly __KEY: string;
    readonly __STAMP: number;
    readonly __TIMESTAMP: Instant | null;
  } & Members
>;
type Flat<Type> = { [Name in keyof Type]: Type[Name] };

test('an answer has all attributes, relations deferred, where no list is given', () => {
  expectTypeOf<keyof Client<Model>>().toEqualTypeOf<keyof Model['dataclasses'] | '$gateway'>();
  expectTypeOf<Employee['employer']>().toEqualTypeOf<DeferredEntity | null>();
  expectTypeOf<Employee['directReports']>().toEqualTypeOf<DeferredEntities>();
  expectTypeOf<Employee['photo']>().toEqualTypeOf<DeferredImage | null>();
  expectTypeOf<Employee['badgeNo']>().toEqualTypeOf<bigint | null>();
  expectTypeOf<Employee['hireDate']>().toEqualTypeOf<string>();
  expectTypeOf<Employee['extra']>().toEqualTypeOf<JsonValue | null>();
  compiled((list = 'lastName' as string) => {
    expectTypeOf(api.Employee.get(1)).resolves.toEqualTypeOf<Employee>();
    expectTypeOf(api.Employee.query()).resolves.toEqualTypeOf<Page<Employee>>();
    expectTypeOf(api.Employee.get(1, { attributes: list })).resolves.toEqualTypeOf<
      Readonly<Record<string, unknown>>
    >();
  });
});

test('an answer has exactly what a list names, beside the fields of the protocol', () => {
  compiled(() =>
    expectTypeOf(
      api.Employee.get(1, { attributes: 'lastName, employer.name' }),
    ).resolves.toEqualTypeOf<
      Answered<{ lastName: string; employer: Answered<{ name: string }> | null }>
    >(),
  );
});

test('a list follows paths to one and to many, and joins those with one beginning', () => {
  compiled(async () => {
    const { directReports, manager, employer } = await api.Employee.get(1, {
      attributes:
        'directReports.grade,directReports.manager.lastName,manager.employer.country.name,employer',
    });
    const report = directReports.__ENTITIES[0];
    expectTypeOf(directReports).toExtend<Page<{ grade: number | null }>>();
    expectTypeOf(report?.manager?.lastName).toEqualTypeOf<string | undefined>();
    expectTypeOf<Exclude<keyof NonNullable<typeof report>, `__${string}`>>().toEqualTypeOf<
      'grade' | 'manager'
    >();
    expectTypeOf(manager?.employer?.country.name).toEqualTypeOf<string | undefined>();
    expectTypeOf(employer).toEqualTypeOf<DeferredEntity | null>();
    const all = await api.Employee.get(1, {
      attributes: '*,employer.*,employer.country.*,directReports.*',
    });
    expectTypeOf(all.lastName).toEqualTypeOf<string>();
    expectTypeOf(all.manager).toEqualTypeOf<DeferredEntity | null>();
    expectTypeOf(all.employer?.creditLimit).toEqualTypeOf<Decimal | null | undefined>();
    expectTypeOf(all.employer?.country.name).toEqualTypeOf<string | undefined>();
    expectTypeOf(all.directReports.__ENTITIES[0]?.lastName).toEqualTypeOf<string | undefined>();
    // A relation that always leads to an entity is never null.
    const line = await api.OrderLine.get({ orderNo: 7, line: 2 }, { attributes: 'product.name' });
    expectTypeOf(line.product.name).toEqualTypeOf<string>();
  });
});

type Attributes<List extends string> = NonNullable<
  NonNullable<Parameters<typeof api.Employee.query<List>>[0]>['attributes']
>;
type GroupBy<List extends string> = NonNullable<
  NonNullable<Parameters<typeof api.Order.groups<List>>[0]>['groupby']
>;
type Aggregate<List extends string> = NonNullable<
  NonNullable<Parameters<typeof api.Order.groups<never, List>>[0]>['aggregate']
>;

test('a list that names what there is not says so in place of its type', () => {
  interface NoAttributes {
    lastNam: 'Employee has no attribute "lastNam"';
    'lastName,employer.nam': 'Company has no attribute "nam"';
    'employr.name': 'Employee has no relation "employr"';
    'lastName.length': 'Employee has no relation "lastName"';
    salary: 'Employee has no attribute "salary"';
  }
  expectTypeOf<{ [List in keyof NoAttributes]: Attributes<List> }>().toEqualTypeOf<NoAttributes>();
  interface NoGroups {
    stat: 'Order has no attribute "stat"';
    'date:month, billTo.nam as name': 'Order has no attribute "billTo.nam"';
    'status:month': '"status" has no month';
    'date:hour': '"date" has no hour';
    'date:decade': 'There is no part "decade"';
    'lines.quantity': '"lines" leads to many entities';
    billTo: '"billTo" has no distinct';
  }
  expectTypeOf<{ [List in keyof NoGroups]: GroupBy<List> }>().toEqualTypeOf<NoGroups>();
  interface NoAggregates {
    'count, sum(status)': '"status" has no sum';
    'count(billTo)': '"billTo" has no count';
    'max(paid)': '"paid" has no max';
    'median(total)': 'There is no aggregate "median"';
    'sum(lines.quantty) as quantity': 'Order has no attribute "lines.quantty"';
  }
  expectTypeOf<{ [List in keyof NoAggregates]: Aggregate<List> }>().toEqualTypeOf<NoAggregates>();
  compiled(() => {
    void api.Order.groups({ groupby: 'placedAt:hour', aggregate: 'distinct(billTo.ID)' });
    void api.Employee.groups({ aggregate: 'count(extra),count(photo),count(directReports)' });
    // @ts-expect-error -- "extra" has no distinct
    void api.Employee.groups({ groupby: 'extra' });
    // @ts-expect-error -- "ID" has no min
    void api.Document.groups({ aggregate: 'count(ID), min(ID)' });
    // @ts-expect-error -- Employee has no attribute "grad"
    void api.Employee.compute('grad', 'sum');
    // @ts-expect-error -- there is no such dataclass
    expectTypeOf(api.Employe);
  });
});

test('keys have the types of their attributes', () => {
  compiled(() => {
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

test('changes are pages of what a list names, and a stream of keys', () => {
  compiled(async () => {
    const since = 'token' as string | undefined;
    for await (const page of api.Employee.changes({ since, attributes: 'lastName' })) {
      expectTypeOf(page.__ENTITIES[0]).toEqualTypeOf<Answered<{ lastName: string }> | undefined>();
      expectTypeOf(page.__REMOVED).toEqualTypeOf<readonly string[] | undefined>();
      expectTypeOf(page.__TOKEN).toEqualTypeOf<string>();
    }
    // @ts-expect-error -- Employee has no attribute "lastNam"
    void api.Employee.changes({ attributes: 'lastNam' });
    // @ts-expect-error -- changes have an order of their own
    void api.Employee.changes({ orderby: 'lastName' });
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

test('what is saved has what an entity needs, and nothing that is read only', () => {
  const person = { lastName: 'Martin', email: 'a@b.example', hireDate: '2024-09-01' };
  const placedAt = '2026-01-02T10:00:00Z';
  const head = { date: '2026-01-02', placedAt, currency: 'EUR', billTo: 1 };
  compiled(async () => {
    void api.Employee.insert({ ...person, firstName: 'Ada', manager: { __KEY: '1' } });
    // @ts-expect-error -- firstName is missing
    void api.Employee.insert(person);
    // @ts-expect-error -- the database computes it
    void api.Employee.insert({ ...person, firstName: 'Ada', fullName: 'Ada Martin' });
    // @ts-expect-error -- the database gives it
    void api.Employee.insert({ ...person, firstName: 'Ada', ID: 5 });
    // @ts-expect-error -- it is mandatory
    void api.Employee.insert({ ...person, firstName: null });
    // @ts-expect-error -- the stamp is missing
    void api.Employee.update({ __KEY: '1', grade: 4 });
    // @ts-expect-error -- there is no such attribute
    void api.Employee.update({ __KEY: '1', __STAMP: 3, grad: 4 });
    // @ts-expect-error -- the key of an entity does not change
    void api.Category.update({ __KEY: 'A', __STAMP: 3, code: 'B' });
    // @ts-expect-error -- the line has no product
    void api.Order.insert({ ...head, lines: [{ line: 1, unitPrice: 3 }] });
    const line = { __KEY: '{"orderNo":7,"line":2}', __STAMP: 1, quantity: 2 };
    const billTo = { name: 'New', country: 'FR', registrationNo: 5n };
    void api.Order.insert({ ...head, billTo, lines: [line] });
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

test('values that are computed have the types of their attributes, totals are digits', () => {
  compiled(() => {
    expectTypeOf(api.Employee.compute('grade', 'count')).resolves.toEqualTypeOf<number>();
    expectTypeOf(api.Employee.compute('grade', 'sum')).resolves.toEqualTypeOf<Decimal>();
    expectTypeOf(api.Employee.compute('badgeNo', 'max')).resolves.toEqualTypeOf<bigint | null>();
    expectTypeOf(
      api.Employee.compute('employer.creditLimit', 'min'),
    ).resolves.toEqualTypeOf<Decimal | null>();
    expectTypeOf(api.Employee.distinct('employer.country.name')).resolves.toEqualTypeOf<string[]>();
    expectTypeOf(api.Employee.distinct('extra.level')).resolves.toEqualTypeOf<JsonValue[]>();
  });
});

test('values of groups are by name as the lists write them', () => {
  compiled(async () => {
    const { __GROUPS: groups, __COUNT: count } = await api.Order.groups({
      groupby: 'status, billTo.country.name as country, date:month,billTo.ID,total:step(100)',
      aggregate: 'sum(total) as turnover, count, avg(lines.quantity), max(lines.amount) as top',
      filter: filter`date >= ${'2024-01-01'}`,
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
    const all = await api.Employee.groups({ aggregate: 'count(directReports),max(badgeNo)' });
    expectTypeOf(all.__GROUPS[0]?.['max(badgeNo)']).toEqualTypeOf<bigint | null | undefined>();
    expectTypeOf(all.__GROUPS[0]?.['count(directReports)']).toEqualTypeOf<number | undefined>();
    const counted = await api.Employee.groups({ groupby: 'grade:step(5),active,hireDate:week' });
    expectTypeOf(counted.__GROUPS[0]?.count).toEqualTypeOf<number | undefined>();
    expectTypeOf(counted.__GROUPS[0]?.['grade:step(5)']).toEqualTypeOf<number | null | undefined>();
    expectTypeOf(counted.__GROUPS[0]?.active).toEqualTypeOf<boolean | null | undefined>();
    const list = 'status' as string;
    expectTypeOf((await api.Order.groups({ groupby: list })).__GROUPS).items.toEqualTypeOf<
      Readonly<Record<string, unknown>>
    >();
  });
});

test('values of functions have the types of their routines', () => {
  compiled(() => {
    expectTypeOf(api.Employee.entity(2).call('greet', ['Hi'])).resolves.toEqualTypeOf<
      string | null
    >();
    expectTypeOf(api.Employee.call('tally', [])).resolves.toEqualTypeOf<bigint | null>();
    expectTypeOf(api.Employee.call('graded', [8])).resolves.toEqualTypeOf<Page<Employee>>();
    expectTypeOf(api.$gateway.call('add', ['1', 2])).resolves.toEqualTypeOf<Decimal | null>();
    expectTypeOf(
      api.$gateway.singleton('Sums').call('add', ['1', 2]),
    ).resolves.toEqualTypeOf<Decimal | null>();
    expectTypeOf<ProcedureResult['returnValue']>().toEqualTypeOf<number | null>();
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
  });
});
