import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, test } from 'vitest';
import {
  type ClientOptions,
  createClient,
  filter,
  GatewayError,
  isDefined,
  StampConflict,
} from '../client/sample/client.ts';
import { mappingsWithFunctions } from '../client/sample/make.ts';
import { ROUTINES } from '../client/sample/functions.ts';
import { model } from '../client/sample/model.ts';
import { run } from '../cli/run.ts';
import { snapshots } from '../fixtures/legacy/model.ts';
import { onEngines, type Shape } from './shapes/engines.ts';
import { PASSWORD, writeUsers } from './shapes/login.ts';
import { sample, settingsIn } from './shapes/sample.ts';

test('the built program writes what the source writes', async () => {
  const args = ['types', '--schema-file', fileURLToPath(snapshots.postgres)];
  const { out } = await run(args);
  const { stdout, stderr } = spawnSync(process.execPath, ['dist/main.js', ...args], {
    encoding: 'utf8',
  });
  expect([stderr, stdout]).toEqual(['', out]);
  expect(out).toContain('export function createClient');
});

const shape: Shape = {
  ...sample,
  routines: ROUTINES,
  prepare: async (folder) => {
    const mappings = join(folder, 'mappings');
    await mappingsWithFunctions(mappings);
    return settingsIn({
      mappings,
      server: { createdStatus: 201 },
      authentication: { anonymous: ['guest'], users: await writeUsers(folder, 'admin') },
      roles: { guest: { dataclasses: { Country: { read: true } } } },
    });
  },
};

onEngines('the TypeScript client', shape, (served) => {
  let api: ReturnType<typeof newClient>;

  const newClient = (options: ClientOptions = {}) =>
    createClient(model, { url: `http://127.0.0.1:${served.gateway.port}/`, ...options });

  beforeEach(async () => {
    api = newClient();
    await api.$gateway.login('ada', PASSWORD);
  });

  /** A new employee whom no other test knows. */
  const newPerson = (lastName: string) =>
    api.Employee.insert(
      {
        firstName: 'Ada',
        lastName,
        email: `${lastName.toLowerCase()}@client.example`,
        hireDate: '2024-09-01',
        employer: 1,
      },
      { attributes: 'lastName,employer.name,hireDate' },
    );

  test('logs in, is somebody, and logs out', async () => {
    const other = newClient();
    expect(await other.$gateway.login('ada', 'wrong')).toBe(false);
    expect(other.$gateway.session).toBeNull();
    expect(await other.$gateway.currentUser()).toBeNull();
    await expect(other.Employee.get(1)).rejects.toMatchObject({ status: 404, code: 1800 });
    expect(await other.$gateway.login('ada', PASSWORD, { seconds: 60 })).toBe(true);
    expect(await other.$gateway.currentUser()).toEqual({
      ID: 'ada',
      userName: 'ada',
      fullName: 'ada',
      roles: ['admin'],
    });
    await other.$gateway.logout();
    expect([other.$gateway.session, await other.$gateway.currentUser()]).toEqual([null, null]);
  });

  test('forgets a session that is over', async () => {
    const stale = newClient({
      url: `http://127.0.0.1:${served.gateway.port}`,
      session: '0'.repeat(32),
    });
    await expect(stale.Country.get('FR')).rejects.toMatchObject({
      status: 401,
      code: 1822,
    });
    expect(await stale.Country.get('FR', { attributes: 'name' })).toMatchObject({ name: 'France' });
  });

  test('reads entities by keys of every kind', async () => {
    expect(await api.Employee.get(4, { attributes: 'lastName,employer.name' })).toEqual({
      __entityModel: 'Employee',
      __DATACLASS: 'Employee',
      __KEY: '4',
      __TIMESTAMP: expect.any(String),
      __STAMP: 7,
      lastName: 'Müller-Weiß',
      employer: {
        __KEY: '1',
        __TIMESTAMP: expect.any(String),
        __STAMP: expect.any(Number),
        name: 'Acme Freight & Co.',
      },
    });
    const line = await api.OrderLine.get({ orderNo: 7, line: 2 }, { attributes: 'product.name' });
    expect(await api.OrderLine.get(line, { attributes: 'product.name' })).toEqual(line);
    const { __ENTITIES: categories } = await api.Category.query({ top: 1000 });
    for (const { code, __KEY: key } of categories) {
      expect((await api.Category.get(code)).__KEY).toBe(key);
    }
    expect(await api.Employee.find(99_999)).toBeNull();
    const missing = api.Employee.get(99_999).catch((error: unknown) => error);
    expect(await missing).toBeInstanceOf(GatewayError);
    expect(await missing).toMatchObject({ status: 404, code: 1543, isNotFound: true });
  });

  test('loses no digit', async () => {
    const largest = await api.Company.compute('registrationNo', 'max');
    const [found] = (
      await api.Company.query({
        filter: filter`registrationNo = ${largest}`,
        attributes: 'registrationNo,creditLimit',
      })
    ).__ENTITIES;
    expect([typeof largest, found?.registrationNo]).toEqual(['bigint', largest]);
    expect(largest).toBeGreaterThan(BigInt(Number.MAX_SAFE_INTEGER));
    const limit = await api.Company.compute('creditLimit', 'max');
    expect(limit).toBe('922337203685477.5807');
    const byLimit = { filter: filter`creditLimit = ${limit}`, attributes: 'creditLimit' } as const;
    const [rich] = (await api.Company.query(byLimit)).__ENTITIES;
    expect(rich?.creditLimit).toBe(limit);
  });

  test('sends the values of filters beside them, and pages in an order', async () => {
    const byName = filter`lastName === ${"O'Reilly"}`;
    expect(await api.Employee.count({ filter: filter`${byName} OR ID IN ${[1, 5]}` })).toBe(3);
    const early = filter`hireDate < ${new Date('2005-02-01')} AND ${byName}`;
    expect(await api.Employee.count({ filter: early })).toBe(1);
    expect(await api.Employee.count({ filter: filter`lastName = "a&b=c?d/e"` })).toBe(0);
    const given = { filter: filter`ID > ${10}`, orderby: 'lastName DESC, ID' };
    const page = await api.Employee.query({ ...given, attributes: 'lastName', top: 2, skip: 3 });
    const { __FIRST: first, __ENTITIES: sent, __COUNT: count } = page;
    expect([first, sent.length, count]).toEqual([3, 2, 390]);
  });

  test('groups entities, whose members have the forms of their attributes', async () => {
    const { __GROUPS: groups } = await api.Order.groups({
      groupby: 'billTo.registrationNo as customer, date:year, total:step(100000) as size',
      aggregate: 'sum(total) as turnover, count',
      filter: filter`billTo.country.name = ${'France'}`,
      having: filter`count > ${1}`,
      orderby: 'turnover desc',
      top: 2,
    });
    const told = groups.map(({ customer, 'date:year': year, size, turnover }) => [
      ...[typeof customer, size, year, turnover],
    ]);
    const group = ['bigint', /^\d+00000$|^0$/, /^\d{4}$/, /^\d+\.\d+$/].map((form) =>
      typeof form === 'string' ? form : (expect.stringMatching(form) as unknown),
    );
    expect(told).toEqual([group, group]);
  });

  test('reads all entities by a set, which it gives up, and stops when it is told to', async () => {
    const ids: number[] = [];
    for await (const { ID: id } of api.Employee.all({
      attributes: 'ID',
      orderby: 'ID desc',
      top: 150,
    })) {
      ids.push(id);
    }
    expect(ids.length).toBe(await api.Employee.count());
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
    const controller = new AbortController();
    const some = api.Employee.all({ attributes: 'ID', top: 1, signal: controller.signal });
    await some.next();
    controller.abort();
    await expect(some.next()).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('makes, pages, combines and releases entity sets', async () => {
    const graded = await api.Employee.entitySet({
      filter: filter`grade > ${3}`,
      orderby: 'lastName',
      timeout: 60,
    });
    const active = await api.Employee.entitySet({ filter: filter`active = ${false}` });
    const both = await graded.combine('AND', active);
    const without = await graded.combine('EXCEPT', active);
    expect([graded.size, without.size]).toEqual([243, 243 - both.size]);
    expect([await without.intersects(active), await both.intersects(active)]).toEqual([
      false,
      true,
    ]);
    const page = await graded.query({ attributes: 'lastName', top: 3 });
    expect(page.__ENTITIES.filter(isDefined).map(({ lastName }) => lastName)[0]).toBe('Andersson');
    expect(await graded.compute('grade', 'min')).toBe(4);
    expect((await graded.distinct('grade', { top: 2 })).map(Number)).toEqual([4, 5]);
    expect((await graded.entitySet({ filter: filter`ID <= ${10}` })).size).toBeLessThan(11);
    expect((await graded.cleaned()).size).toBe(243);
    await graded.release();
    await expect(graded.query()).rejects.toMatchObject({ status: 404, code: 1802 });
  });

  test('computes, and lists values', async () => {
    const all = await api.Company.compute('creditLimit', 'all');
    expect(all).toEqual({
      count: 53,
      sum: '31920193.7499',
      average: '602267.80660188679245',
      min: '-922337203685477.5808',
      max: '922337203685477.5807',
    });
    const none = { filter: filter`ID = ${-1}` };
    expect(await api.Company.compute('creditLimit', 'average', none)).toBeNull();
    // Their order is that of the column's collation.
    expect(await api.Company.distinct('country.name', { filter: filter`ID <= ${3}` })).toEqual(
      expect.arrayContaining(['France', 'Switzerland', 'Denmark']),
    );
  });

  test('creates, changes and deletes an entity', async () => {
    const made = await newPerson('Clienta');
    expect(made).toMatchObject({
      __STATUS: { success: true },
      lastName: 'Clienta',
      hireDate: '2024-09-01',
      employer: { name: 'Acme Freight & Co.' },
    });
    const whole = await api.Employee.get(made);
    const badgeNo = 9_007_199_254_740_993n;
    const tried = await api.Employee.update(
      { ...whole, badgeNo, extra: { a: [1, badgeNo, 0.1] } },
      { dryRun: true },
    );
    expect([tried.badgeNo, tried.__STAMP]).toEqual([badgeNo, whole.__STAMP]);
    expect((await api.Employee.get(made)).badgeNo).toBeNull();
    const saved = await api.Employee.update({ ...whole, badgeNo, extra: { a: [1, badgeNo, 0.1] } });
    expect([saved.badgeNo, saved.extra]).toEqual([badgeNo, { a: [1, badgeNo, 0.1] }]);
    const conflict = await api.Employee.update({ ...whole, note: 'late' }).catch(
      (error: unknown) => error,
    );
    expect(conflict).toBeInstanceOf(StampConflict);
    expect(conflict).toMatchObject({
      status: 409,
      code: 1263,
      entity: { badgeNo, __STAMP: saved.__STAMP },
    });
    await expect(api.Employee.delete(whole)).rejects.toBeInstanceOf(StampConflict);
    await api.Employee.delete(saved);
    expect(await api.Employee.find(made)).toBeNull();
    await expect(api.Employee.delete(made)).rejects.toMatchObject({ code: 1542, isNotFound: true });
  });

  test('saves several, each on its own or all or none', async () => {
    const outcomes = await api.Category.save(
      [
        { code: 'CLIENT-1', position: 1 },
        { code: 'CLIENT-1', position: 2 },
      ],
      { attributes: 'position' },
    );
    expect(outcomes).toMatchObject([
      { success: true, entity: { __KEY: 'CLIENT-1', position: 1 } },
      { success: false, error: { code: 1115, isDuplicate: true } },
    ]);
    const two = [
      { code: 'CLIENT-2', position: 1 },
      { code: 'CLIENT-1', position: 2 },
    ];
    await expect(api.Category.saveAtomic(two)).rejects.toMatchObject({ status: 409, code: 1115 });
    expect(await api.Category.find('CLIENT-2')).toBeNull();
    const [saved] = await api.Category.saveAtomic([{ code: 'CLIENT-2', position: 3 }]);
    expect(saved).toMatchObject({ code: 'CLIENT-2', position: 3 });
    const again = [
      { code: 'CLIENT-2', position: 4 },
      { code: 'CLIENT-3', position: 5 },
    ];
    expect(await api.Category.save(again, { key: 'code' })).toMatchObject([
      { success: true, created: false, entity: { __KEY: 'CLIENT-2', position: 4 } },
      { success: true, created: true, entity: { __KEY: 'CLIENT-3', position: 5 } },
    ]);
    const [kept] = await api.Category.saveAtomic(again, { key: 'code', dryRun: true });
    expect(kept?.__STATUS).toEqual({ success: true, created: false });
    expect(await api.Category.deleteWhere(filter`code begin ${'CLIENT-'}`)).toBe(3);
    expect(await api.Category.count({ filter: filter`code begin ${'CLIENT-'}` })).toBe(0);
  });

  test('says of each of several why it was not saved', async () => {
    const lines = [{ line: 1, product: 1, unitPrice: '1' }];
    const made = await api.Order.insert(
      { date: '2026-01-02', placedAt: '2026-01-02T10:00:00Z', currency: 'EUR', billTo: 1, lines },
      { attributes: 'lines.line' },
    );
    const { __KEY, __STAMP } = made;
    const [line] = made.lines.__ENTITIES;
    if (line === undefined) throw new Error('the order has no line');
    const outcomes = await api.Order.save([
      { __KEY, __STAMP: __STAMP + 1, note: 'late' },
      { __KEY, __STAMP, lines: [{ __KEY: line.__KEY, __STAMP: line.__STAMP + 1, quantity: 2 }] },
      { __KEY, note: 'without a stamp' } as never,
      { __KEY: '99999999', __STAMP, note: 'of no order' },
    ]);
    expect(outcomes).toMatchObject([
      { error: { name: 'StampConflict', code: 1263, entity: { __KEY, __STAMP, currency: 'EUR' } } },
      { error: { name: 'StampConflict', code: 1263, entity: null } },
      { error: { name: 'GatewayError', code: 1263 } },
      { error: { name: 'GatewayError', code: 1542, isNotFound: true } },
    ]);
    await api.OrderLine.delete({ __KEY: line.__KEY });
    await api.Order.delete({ __KEY });
  });

  test('reads and deletes the entities of a set, of which one is gone', async () => {
    const codes = ['SET-1', 'SET-2', 'SET-3'];
    await api.Category.saveAtomic(codes.map((code, index) => ({ code, position: index })));
    const set = await api.Category.entitySet({
      filter: filter`code IN ${codes}`,
      orderby: 'code DESC',
    });
    await api.Category.delete({ __KEY: 'SET-2' });
    const page = await set.query({ attributes: 'position' });
    expect(page.__ENTITIES.map((item) => (isDefined(item) ? item.position : item))).toEqual([
      2,
      expect.objectContaining({ __STAMP: 0 }),
      0,
    ]);
    const rest: string[] = [];
    for await (const { code } of set.all({ attributes: 'code', top: 1 })) rest.push(code);
    expect(rest).toEqual(['SET-3', 'SET-1']);
    expect(await set.deleteEntities()).toBe(2);
    expect(await api.Category.count({ filter: filter`code begin ${'SET-'}` })).toBe(0);
    expect([await set.deleteEntities(), (await set.cleaned()).size]).toEqual([0, 0]);
  });

  test('locks and unlocks for its session, and nothing that has changed since it was read', async () => {
    const made = await newPerson('Locked');
    expect(await api.Employee.lock(made)).toEqual({ result: true, __STATUS: { success: true } });
    const other = newClient();
    await other.$gateway.login('ada', PASSWORD);
    expect(await other.Employee.lock(made)).toMatchObject({
      result: false,
      __STATUS: { success: false, status: 3, lockKind: 7 },
    });
    await expect(other.Employee.delete(made)).rejects.toMatchObject({ code: 9025, isLocked: true });
    expect(await api.Employee.unlock(made)).toMatchObject({ result: true });
    const { __KEY, __STAMP } = made;
    await other.Employee.update({ __KEY, __STAMP, lastName: 'Again' });
    await expect(api.Employee.lock(made)).rejects.toBeInstanceOf(StampConflict);
    await other.Employee.delete({ __KEY });
  });

  test('takes images and BLOBs up and down', async () => {
    const png = new Uint8Array(await readFile('test/fixtures/legacy/photos/portrait-1.png'));
    const made = await newPerson('Pictured');
    expect(await api.Employee.download(made, 'photo')).toBeNull();
    await api.Employee.upload(made, 'photo', png);
    await expect(api.Employee.upload(made, 'photo', png)).rejects.toBeInstanceOf(StampConflict);
    const stored = await api.Employee.download(made, 'photo');
    expect(new Uint8Array((await stored?.arrayBuffer()) ?? new ArrayBuffer())).toEqual(png);
    await api.Employee.delete({ __KEY: made.__KEY });
    const bytes = new Uint8Array([0, 1, 2, 255]);
    const document = await api.Document.insert({
      title: 'By the client',
      mimeType: 'application/octet-stream',
      createdAt: '2026-01-02T10:00:00Z',
      content: bytes,
    });
    const content = await api.Document.download(document, 'content');
    expect(new Uint8Array((await content?.arrayBuffer()) ?? new ArrayBuffer())).toEqual(bytes);
    await api.Document.update({ __KEY: document.__KEY, __STAMP: document.__STAMP, content: null });
    expect(await api.Document.download(document, 'content')).toBeNull();
    await api.Document.delete({ __KEY: document.__KEY });
  });

  test('calls functions of all kinds', async () => {
    const { lastName } = await api.Employee.get(2, { attributes: 'lastName' });
    expect(await api.Employee.entity(2).call('greet', ["It's"])).toBe(`It's ${lastName}`);
    const where = filter`ID <= ${7}`;
    expect(await api.Employee.call('tally', [], { filter: where })).toBe(7n);
    const set = await api.Employee.entitySet({ filter: where });
    expect(await set.call('tally', [])).toBe(7n);
    expect(await api.Employee.entity(2).call('tally', [])).toBe(1n);
    await expect(api.Employee.entity(99_999).call('greet', ['Hi'])).rejects.toMatchObject({
      isNotFound: true,
    });
    const graded = await api.Employee.call('graded', [8], {
      attributes: 'grade,employer.name',
      top: 2,
    });
    expect([
      graded.__ENTITIES.length,
      graded.__ENTITIES.every(({ grade }) => Number(grade) >= 8),
    ]).toEqual([2, true]);
    const sum = await api.$gateway.call('add', ['9007199254740993.0000000001', 1]);
    expect(sum).toBe('9007199254740994.0000000001');
    expect(await api.$gateway.singleton('Sums').call('add', [1, null])).toBeNull();
  });

  test('tells changes, first all, then those since a token, and as they happen', async () => {
    const read = async (since?: string) => {
      const [keys, pages]: [string[], number[]] = [[], []];
      let token = since;
      for await (const page of api.Product.changes({ since, attributes: 'sku', top: 50 })) {
        keys.push(...page.__ENTITIES.map(({ __KEY }) => __KEY));
        pages.push(page.__SENT);
        token = page.__TOKEN;
      }
      return { keys, pages, token };
    };
    const count = await api.Product.count();
    const all = await read();
    expect([all.keys.length, new Set(all.keys).size]).toEqual([count, count]);
    expect(all.pages.slice(0, 3)).toEqual([50, 50, 50]);

    const stream = await api.$gateway.changes(['Product']);
    const [product] = (await api.Product.query({ top: 1 })).__ENTITIES;
    if (product === undefined) throw new Error('The sample has products.');
    const { __KEY, __STAMP, name } = product;
    const changed = await api.Product.update({ __KEY, __STAMP, name: `${name}.` });
    // Transactions of other tests on the same server hold back what is told.
    for await (const event of stream) {
      expect(event).toEqual({ dataclass: 'Product', keys: [__KEY], removed: [] });
      break;
    }
    expect(stream.token).toEqual(expect.any(String));
    expect((await read(all.token)).keys).toEqual([__KEY]);
    await api.Product.update({ __KEY, __STAMP: changed.__STAMP, name });
    await expect(read('old')).rejects.toMatchObject({ status: 400, code: 9067 });
  });
});
