import { describe, expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { GatewayError, StampConflict } from '../../src/client/connection.ts';
import { filter } from '../../src/client/query.ts';
import { model } from './sample/model.ts';

interface Sent {
  readonly url: string;
  readonly init: RequestInit;
}

/** A client whose requests are answered by turns. */
function clientOf(answers: readonly Response[], options = {}) {
  const sent: Sent[] = [];
  const api = createClient(model, {
    url: 'https://erp.example',
    fetch: (input, init = {}) => {
      sent.push({ url: input as string, init });
      const answer = answers[sent.length - 1];
      return answer === undefined
        ? Promise.reject(new TypeError('no answer'))
        : Promise.resolve(answer);
    },
    ...options,
  });
  return { api, sent };
}

test('keeps the session of an answer, and sends its own headers', async () => {
  const answers = [
    Response.json({ result: true }, { headers: { 'Entitygate-Session': 'ABC' } }),
    Response.json({ __COUNT: 0, __ENTITIES: [] }),
  ];
  const { api, sent } = clientOf(answers, { headers: () => Promise.resolve({ 'api-key': 'k' }) });
  expect(await api.$gateway.login('ada', 'pw')).toBe(true);
  await api.Employee.query({ attributes: 'lastName', top: 1 });
  expect(sent).toEqual([
    {
      url: 'https://erp.example/rest/$directory/login',
      init: {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'api-key': 'k' },
        body: '["ada","pw"]',
        signal: null,
      },
    },
    {
      url: 'https://erp.example/rest/Employee?%24top=1&%24attributes=lastName',
      init: {
        method: 'GET',
        headers: { 'Entitygate-Session': 'ABC', 'api-key': 'k' },
        body: null,
        signal: null,
      },
    },
  ]);
});

test('goes on with a session, in the header that the gateway is configured with', async () => {
  const { api, sent } = clientOf(
    [Response.json([], { headers: { 'X-Session': 'NEW' } }), Response.json([])],
    { session: 'OLD', sessionHeader: 'X-Session' },
  );
  await api.Employee.distinct('lastName');
  await api.Employee.distinct('lastName');
  expect(sent.map(({ init }) => init.headers)).toEqual([
    { 'X-Session': 'OLD' },
    { 'X-Session': 'NEW' },
  ]);
  expect(api.$gateway.session).toBe('NEW');
});

test('sends the token, and once more with another one where it is refused', async () => {
  const refused = (): Response => Response.json({ __ERROR: [] }, { status: 401 });
  const asked: boolean[] = [];
  const { api, sent } = clientOf(
    [Response.json([]), refused(), Response.json([]), refused(), refused()],
    {
      token: (isRefused: boolean) => {
        asked.push(isRefused);
        return Promise.resolve(`t${asked.length}`);
      },
    },
  );
  await api.Employee.distinct('lastName');
  await api.Employee.distinct('lastName');
  await expect(api.Employee.distinct('lastName')).rejects.toMatchObject({ status: 401 });
  expect(asked).toEqual([false, false, true, false, true]);
  expect(sent.map(({ init }) => init.headers)).toEqual(
    [1, 2, 3, 4, 5].map((number) => ({ authorization: `Bearer t${number}` })),
  );
});

test('tells a refused login from other errors', async () => {
  const item = { message: 'm', errCode: 1822, componentSignature: 'dbmg' };
  const { api } = clientOf([
    Response.json({ result: false }, { status: 401 }),
    Response.json({ __ERROR: [item] }, { status: 401 }),
  ]);
  expect(await api.$gateway.login('ada', 'wrong')).toBe(false);
  await expect(api.$gateway.login('ada', 'pw')).rejects.toMatchObject({ status: 401, code: 1822 });
});

test('answers a lock that another session has or whose entity is gone, and throws where it fails', async () => {
  const refused = (status: number, errCode?: number) => ({
    result: false,
    __STATUS: { success: false, status },
    ...(errCode === undefined
      ? {}
      : { __ERROR: [{ message: 'm', errCode, componentSignature: 'dbmg' }] }),
  });
  const { api } = clientOf([
    Response.json(refused(3)),
    Response.json(refused(5)),
    Response.json(refused(2)),
    Response.json(refused(4, 9002), { status: 503 }),
    Response.json(refused(4, 9026), { status: 409 }),
    Response.json(refused(4, 9002), { status: 503 }),
  ]);
  expect(await api.Employee.lock(1)).toEqual(refused(3));
  expect(await api.Employee.lock(1)).toEqual(refused(5));
  await expect(api.Employee.lock(1)).rejects.toMatchObject({ name: 'StampConflict', entity: null });
  const failure = (status: number, code: number) => ({ name: 'GatewayError', status, code });
  await expect(api.Employee.lock(1)).rejects.toMatchObject(failure(503, 9002));
  await expect(api.Employee.lock(1)).rejects.toMatchObject(failure(409, 9026));
  await expect(api.Employee.unlock(1)).rejects.toMatchObject(failure(503, 9002));
});

test('takes the long numbers of a gateway that sends them as texts', async () => {
  const { api } = clientOf([
    Response.json({
      __KEY: '1',
      __STAMP: 1,
      registrationNo: '9007199254740993',
      creditLimit: '922337203685477.5807',
    }),
  ]);
  expect(await api.Company.get(1, { attributes: 'registrationNo,creditLimit' })).toEqual({
    __KEY: '1',
    __STAMP: 1,
    registrationNo: 9_007_199_254_740_993n,
    creditLimit: '922337203685477.5807',
  });
});

test('asks for groups, and gives their members the forms of their attributes', async () => {
  const group = {
    ...{ 'billTo.registrationNo': 7, 'total:step(0.5)': 1.5, status: null, month: '2024-01' },
    ...{ count: 2, turnover: 12.5, 'avg(lines.quantity)': null, 'max(total)': '250000.0000' },
    uri: '/rest/Order',
  };
  const page = { __COUNT: 1, __FIRST: 0, __GROUPS: [group], __SENT: 1 };
  const { api, sent } = clientOf([Response.json(page), Response.json(page)]);
  const answer = await api.Order.groups({
    groupby: 'billTo.registrationNo, total:step(0.5),status,date:month as month',
    aggregate: 'count, sum(total) as turnover, avg(lines.quantity),max(total)',
    filter: filter`status = ${'CL'}`,
    having: filter`turnover > ${1000}`,
    orderby: 'turnover desc',
    top: 10,
  });
  expect(answer).toEqual({
    ...page,
    __GROUPS: [
      {
        ...{ ...group, 'billTo.registrationNo': 7n, 'total:step(0.5)': '1.5' },
        ...{ turnover: '12.5', 'max(total)': '250000.0000' },
      },
    ],
  });
  await api.Order.groups();
  const queries = sent.map(({ url }) => Object.fromEntries(new URL(url).searchParams));
  expect(queries).toEqual([
    {
      $filter: '"status = :1"',
      $having: '"turnover > :2"',
      $params: '["CL",1000]',
      $orderby: '"turnover desc"',
      $top: '10',
      $groupby: 'billTo.registrationNo, total:step(0.5),status,date:month as month',
      $aggregate: 'count, sum(total) as turnover, avg(lines.quantity),max(total)',
    },
    { $aggregate: 'count' },
  ]);
});

test('tells an answer that is not the gateway’s by its status', async () => {
  const { api } = clientOf([
    new Response('<html>', { status: 502, headers: { 'x-request-id': 'r1' } }),
    new Response('<html>'),
  ]);
  const error: unknown = await api.Employee.get(1).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(GatewayError);
  expect(error).toMatchObject({
    status: 502,
    code: null,
    requestId: 'r1',
    message: 'The server answered with HTTP status 502.',
  });
  await expect(api.Employee.get(1)).rejects.toMatchObject({ status: 200, code: null });
});

test('makes the same errors of a list as of single entities', async () => {
  const failed = (...codes: readonly number[]) => ({
    __STATUS: { success: false },
    __ERROR: codes.map((errCode) => ({ message: 'm', errCode, componentSignature: 'dbmg' })),
  });
  const conflict = { ...failed(1263, 1517), __STATUS: { status: 2, success: false } };
  const saved = { __STATUS: { success: true }, __KEY: '2', __STAMP: 1 };
  const { api } = clientOf([
    Response.json({
      __ENTITIES: [
        { ...conflict, __KEY: '1', __STAMP: 4, badgeNo: 5 },
        // A nested entity has changed.
        { ...failed(1263, 1517, 1517), __KEY: '1' },
        failed(1263),
        failed(1263, 1263),
        failed(1542),
        failed(1115, 1534),
        failed(9025, 1517),
        saved,
      ],
    }),
  ]);
  const outcomes = await api.Employee.save([{ __KEY: '1', __STAMP: 3, grade: 1 }]);
  const error = (name: string, code: number, more: object = {}) => ({
    success: false,
    error: { status: 200, name, code, isNotFound: false, isDuplicate: false, ...more },
  });
  expect(outcomes).toMatchObject([
    error('StampConflict', 1263, { entity: { __KEY: '1', __STAMP: 4, badgeNo: 5n } }),
    error('StampConflict', 1263, { entity: null }),
    error('GatewayError', 1263),
    error('GatewayError', 1263),
    error('GatewayError', 1542, { isNotFound: true }),
    error('GatewayError', 1115, { isDuplicate: true }),
    error('GatewayError', 9025, { isLocked: true }),
    { success: true, entity: saved },
  ]);
});

test('tells a changed stamp from a missing one', async () => {
  const item = { message: 'm', errCode: 1263, componentSignature: 'dbmg' };
  const conflict = {
    __STATUS: { status: 2, success: false },
    __KEY: '1',
    __STAMP: 4,
    badgeNo: 5,
    __ERROR: [item],
  };
  const { api } = clientOf([
    Response.json({ __ERROR: [item] }, { status: 400 }),
    Response.json(conflict, { status: 409 }),
    Response.json({ __ERROR: [item] }, { status: 412 }),
  ]);
  const change = { __KEY: '1', __STAMP: 3, grade: 1 };
  const caught = (): Promise<unknown> =>
    api.Employee.update(change).catch((error: unknown) => error);
  expect(await caught()).not.toBeInstanceOf(StampConflict);
  expect(await caught()).toMatchObject({
    name: 'StampConflict',
    entity: { __STAMP: 4, badgeNo: 5n },
  });
  expect(await caught()).toMatchObject({ name: 'StampConflict', entity: null });
});

test('reads the changes since a token, page by page', async () => {
  const page = (keys: readonly string[], more: boolean, token: string, removed?: string[]) => ({
    ...(removed === undefined ? {} : { __REMOVED: removed }),
    __ENTITIES: keys.map((key) => ({ __KEY: key, __STAMP: 1, registrationNo: Number(key) })),
    ...{ __SENT: keys.length, __MORE: more, __TOKEN: token },
  });
  const { api, sent } = clientOf([
    Response.json(page(['1', '2'], true, 'b', ['3'])),
    Response.json(page([], false, 'c')),
    Response.json(page([], false, 'd')),
    Response.json(
      { __ERROR: [{ message: 'm', errCode: 9068, componentSignature: 'dbmg' }] },
      { status: 410 },
    ),
  ]);
  const pages: unknown[] = [];
  const filtered = { filter: 'ID > 0', attributes: 'registrationNo', top: 2 } as const;
  for await (const one of api.Company.changes({ since: 'a', ...filtered })) pages.push(one);
  for await (const one of api.Company.changes()) pages.push(one);
  const entity = (key: bigint) => ({ __KEY: String(key), __STAMP: 1, registrationNo: key });
  expect(pages).toEqual([
    { ...page(['1', '2'], true, 'b', ['3']), __ENTITIES: [entity(1n), entity(2n)] },
    page([], false, 'c'),
    page([], false, 'd'),
  ]);
  const query = '%24filter=%22ID+%3E+0%22&%24top=2&%24attributes=registrationNo';
  expect(sent.map(({ url }) => url)).toEqual([
    `https://erp.example/rest/Company/$changes?${query}&since=a`,
    `https://erp.example/rest/Company/$changes?${query}&since=b`,
    'https://erp.example/rest/Company/$changes',
  ]);
  await expect(api.Company.changes({ since: 'old' }).next()).rejects.toMatchObject({
    name: 'GatewayError',
    status: 410,
    isOutdated: true,
  });
});

describe('a stream of changes', () => {
  /** An answer of server-sent events, in pieces that end anywhere. */
  const stream = (...pieces: readonly string[]): Response => {
    const bytes = pieces.map((piece) => new TextEncoder().encode(piece));
    return new Response(
      new ReadableStream({
        pull: (controller) => {
          const next = bytes.shift();
          if (next === undefined) controller.close();
          else controller.enqueue(next);
        },
      }),
    );
  };
  const item = { dataclass: 'Employee', keys: ['1', 'é'], removed: ['2'] };
  const many = { dataclass: 'Company', tooMany: true };

  test('tells keys, and goes on where the gateway has ended it', async () => {
    const first = `retry: 1000\nid: a\n\nid: b\ndata: ${JSON.stringify(item)}\n\n:\nid: c\n\n`;
    const second = `id: c\n\nid: d\ndata: ${JSON.stringify(many)}\n\nid: e\ndata: {}\n\n`;
    const { api, sent } = clientOf([
      stream(first.slice(0, 30), first.slice(30, 70), first.slice(70)),
      stream(second),
    ]);
    const changes = await api.$gateway.changes(['Employee', 'Company'], { since: 'z' });
    const told: unknown[] = [];
    for await (const event of changes) {
      told.push([changes.token, event]);
      if (event.tooMany) break;
    }
    // The token is behind what was dealt with.
    expect(told).toEqual([
      ['a', item],
      ['c', many],
    ]);
    const url = 'https://erp.example/rest/$changes/stream?dataclasses=Employee%2CCompany';
    expect(sent.map((one) => one.url)).toEqual([`${url}&since=z`, `${url}&since=c`]);
  });

  test('is closed by hand, while it waits', async () => {
    const { api } = clientOf([new Response(new ReadableStream())]);
    const changes = await api.$gateway.changes(['Employee']);
    const next = changes[Symbol.asyncIterator]().next();
    await changes.close();
    expect([await next, changes.token]).toEqual([{ done: true, value: undefined }, undefined]);
  });

  test('is refused with the gateway’s error, and breaks with that of the network', async () => {
    const broken = new ReadableStream({
      start: (controller) => controller.error(new TypeError('terminated')),
    });
    const { api } = clientOf([
      Response.json(
        { __ERROR: [{ message: 'm', errCode: 9068, componentSignature: 'dbmg' }] },
        { status: 410 },
      ),
      new Response(broken),
    ]);
    const open = () => api.$gateway.changes(['Employee'], { since: 'old' });
    await expect(open()).rejects.toMatchObject({ status: 410, isOutdated: true });
    const changes = await open();
    await expect(changes[Symbol.asyncIterator]().next()).rejects.toThrow('terminated');
    expect(changes.token).toBe('old');
  });
});
