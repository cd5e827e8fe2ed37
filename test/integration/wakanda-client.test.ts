import { appendFile, cp } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import wakanda, { type Catalog, type Collection, type Entity } from 'wakanda-client';
import { onEngines, type Shape } from './shapes/engines.ts';
import { PASSWORD, writeUsers } from './shapes/login.ts';
import { sample, settingsIn } from './shapes/sample.ts';

/** Routines that the client's user methods call, in each language. */
const ROUTINES = {
  postgres: [
    `CREATE FUNCTION "HR".f_greet(emp int, greeting text) RETURNS text LANGUAGE sql STABLE AS
       $$ SELECT greeting || ' ' || "LAST_NM" FROM "HR"."TBL_EMP" WHERE "EMP_NO" = emp $$`,
    `CREATE FUNCTION "HR".f_count(keys int[]) RETURNS int LANGUAGE sql STABLE AS 'SELECT cardinality(keys)'`,
    `CREATE FUNCTION "HR".f_graded(lowest int) RETURNS TABLE (id int) LANGUAGE sql STABLE AS
       $$ SELECT "EMP_NO" FROM "HR"."TBL_EMP" WHERE "GRADE_CD" >= lowest ORDER BY "EMP_NO" $$`,
  ],
  sqlserver: [
    `CREATE FUNCTION HR.f_greet(@emp int, @greeting nvarchar(50)) RETURNS nvarchar(200) AS BEGIN
       RETURN (SELECT @greeting + N' ' + LAST_NM FROM HR.TBL_EMP WHERE EMP_NO = @emp) END`,
    'CREATE FUNCTION HR.f_count(@keys nvarchar(max)) RETURNS int AS BEGIN RETURN (SELECT COUNT(*) FROM OPENJSON(@keys)) END',
    'CREATE PROCEDURE HR.f_graded @lowest int AS SELECT EMP_NO AS id FROM HR.TBL_EMP WHERE GRADE_CD >= @lowest ORDER BY EMP_NO',
  ],
};

const FUNCTIONS = `
functions:
  greet: { routine: HR.f_greet, key: emp, parameters: [greeting] }
  count: { routine: HR.f_count, keys: keys }
  graded: { routine: HR.f_graded, parameters: [lowest], returns: { dataclass: Employee, key: id } }
`;

type People = Collection<Entity>;

function ids({ entities }: People): unknown[] {
  return entities.map(({ ID: id }) => id as unknown);
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

const all = { read: true, create: true, update: true, delete: true };

const shape: Shape = {
  ...sample,
  routines: ROUTINES,
  prepare: async (folder) => {
    const mappings = join(folder, 'mappings');
    await cp('mappings', mappings, { recursive: true });
    await appendFile(join(mappings, 'employee.yaml'), FUNCTIONS);
    return settingsIn({
      mappings,
      authentication: { anonymous: ['guest'], users: await writeUsers(folder, 'Admin') },
      roles: {
        guest: { dataclasses: { '*': { read: true } } },
        Admin: { execute: true, dataclasses: { '*': all } },
      },
    });
  },
};

onEngines('wakanda-client 3.1.0', shape, (served) => {
  let client: InstanceType<typeof wakanda.WakandaClient>;
  let catalog: Catalog;

  const newClient = () =>
    new wakanda.WakandaClient({ host: `http://127.0.0.1:${served.gateway.port}` });

  beforeAll(async () => {
    client = newClient();
    await client.directory.login('ada', PASSWORD, 31_536_000);
    catalog = await client.getCatalog();
  });

  const dataclass = (name: string): Catalog[string] => {
    const found = catalog[name];
    if (found === undefined) throw new Error(`the catalog has no ${name}`);
    return found;
  };
  const people = (options: object): Promise<People> => dataclass('Employee').query(options);

  test('logs in, asks who it is, and logs out', async () => {
    const other = newClient();
    expect(await other.directory.login('ada', 'wrong')).toBe(false);
    expect(await other.directory.getCurrentUser()).toBeNull();
    expect(await other.directory.login('ada', PASSWORD)).toBe(true);
    expect(await other.directory.getCurrentUser()).toEqual({
      ID: 'ada',
      userName: 'ada',
      fullName: 'ada',
      roles: ['Admin'],
    });
    expect(await other.directory.getCurrentUserBelongsTo('Admin')).toBe(true);
    expect(await other.directory.getCurrentUserBelongsTo('guest')).toBe(false);
    expect(await other.directory.logout()).toBe(true);
    expect(await other.directory.getCurrentUser()).toBeNull();
  });

  test('reads the catalog, and the user methods of a dataclass', () => {
    expect(catalog['Employee']?.methods).toEqual({
      entity: ['greet'],
      collection: ['count'],
      dataClass: ['graded'],
    });
    const employer = catalog['Employee']?.attributes.find(({ name }) => name === 'employer');
    expect(employer).toMatchObject({ type: 'Company', kind: 'relatedEntity' });
  });

  test('pages through a query: nextPage, prevPage, more', async () => {
    const page = await people({ pageSize: 5 });
    expect([page._count, ids(page)]).toEqual([400, range(1, 5)]);
    await page.nextPage();
    expect([page._first, ids(page)]).toEqual([5, range(6, 10)]);
    await page.nextPage();
    await page.prevPage();
    expect([page._first, ids(page)]).toEqual([5, range(6, 10)]);
    await page.more();
    expect([page._sent, ids(page)]).toEqual([10, range(6, 15)]);
  });

  test('fetches collections anew: deferred ones, with a filter, with another page size', async () => {
    const company = await dataclass('Company').find(1);
    const staff = company['employees'] as People;
    expect(staff._deferred).toBe(true);
    await staff.fetch({ pageSize: 2 });
    const all = ids(staff);
    expect([all.length, staff._deferred, staff._sent]).toEqual([2, false, 2]);
    await staff.more();
    expect(ids(staff).slice(0, 2)).toEqual(all);
    expect(staff.entities).toHaveLength(Math.min(4, staff._count));
    const everybody = await people({ pageSize: 3 });
    await everybody.fetch({ filter: 'ID > 390', orderBy: 'ID desc', pageSize: 3 });
    expect([everybody._count, ids(everybody)]).toEqual([10, [400, 399, 398]]);
    await everybody.nextPage();
    expect(ids(everybody)).toEqual([397, 396, 395]);
  });

  test('creates, recomputes, saves and deletes entities', async () => {
    const Category = dataclass('Category');
    const made = Category.create({ code: 'WAK-1', name: 'Made', position: 1 });
    await made.save();
    expect([made._key, made['position'], made._stamp > 0]).toEqual(['WAK-1', 1, true]);
    const before = made._stamp;
    made['position'] = 2;
    await made.recompute();
    expect([made._stamp, made['position']]).toEqual([before, 2]);
    await made.save();
    expect(made._stamp).toBeGreaterThan(before);
    const again = await Category.find('WAK-1');
    expect([again['position'], again._stamp]).toEqual([2, made._stamp]);
    await made.delete();
    await expect(Category.find('WAK-1')).rejects.toMatchObject({
      body: expect.stringContaining('1543') as string,
    });
  });

  test('calls the user methods of an entity, a collection and a dataclass', async () => {
    const [Employee, Company] = [dataclass('Employee'), dataclass('Company')];
    const call = (on: object, name: string, ...given: unknown[]): Promise<unknown> =>
      (on as Record<string, (...given: unknown[]) => Promise<unknown>>)[name]?.(...given) ??
      Promise.reject(new Error(`there is no method ${name}`));
    const employee = await Employee.find(2);
    expect(await call(employee, 'greet', 'Hello')).toBe(`Hello ${String(employee['lastName'])}`);
    const few = await people({ filter: 'ID <= 7', pageSize: 2 });
    expect(await call(few, 'count')).toBe(7);
    const company = await Company.find(1);
    const staff = company['employees'] as People;
    await staff.fetch();
    expect(await call(staff, 'count')).toBe(staff._count);
    const graded = (await call(Employee, 'graded', 8)) as People;
    expect(client.helper.isCollection(graded)).toBe(true);
    expect(graded.entities.every(({ grade }) => Number(grade) >= 8)).toBe(true);
  });
});
