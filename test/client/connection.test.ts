import { describe, expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { GatewayError } from '../../src/client/connection.ts';
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

test('goes on with a session, in the header that the gateway is configured with, beside its own', async () => {
  const headers = () => Promise.resolve({ 'api-key': 'k' });
  const { api, sent } = clientOf(
    [Response.json([], { headers: { 'X-Session': 'NEW' } }), Response.json([])],
    { session: 'OLD', sessionHeader: 'X-Session', headers },
  );
  await api.Employee.distinct('lastName');
  await api.Employee.distinct('lastName');
  expect(sent.map(({ init }) => init.headers)).toEqual([
    { 'X-Session': 'OLD', 'api-key': 'k' },
    { 'X-Session': 'NEW', 'api-key': 'k' },
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

/** An answer with an error of the gateway. @param more what it says besides */
const failed = (status: number, errCode: number, more = {}): Response => {
  const error = { message: 'm', errCode, componentSignature: 'dbmg' };
  return Response.json({ ...more, __ERROR: [error] }, { status });
};

test('throws where a login or a lock fails, with the status and the code', async () => {
  const refused = { __STATUS: { success: false, status: 4 } };
  const { api } = clientOf([
    failed(401, 1822, refused),
    ...[failed(503, 9002, refused), failed(503, 9002, refused)],
  ]);
  const failure = (status: number, code: number) => ({ name: 'GatewayError', status, code });
  await expect(api.$gateway.login('ada', 'pw')).rejects.toMatchObject(failure(401, 1822));
  await expect(api.Employee.lock(1)).rejects.toMatchObject(failure(503, 9002));
  await expect(api.Employee.unlock(1)).rejects.toMatchObject(failure(503, 9002));
});

test('takes the long numbers of a gateway that sends them as texts', async () => {
  const entity = { __KEY: '1', __STAMP: 1, creditLimit: '922337203685477.5807' };
  const { api } = clientOf([Response.json({ ...entity, registrationNo: '9007199254740993' })]);
  expect(await api.Company.get(1, { attributes: 'registrationNo,creditLimit' })).toEqual({
    ...{ ...entity, registrationNo: 9_007_199_254_740_993n },
  });
});

test('tells an answer that is not the gateway’s by its status', async () => {
  const { api } = clientOf([
    new Response('<html>', { status: 502, headers: { 'x-request-id': 'r1' } }),
    new Response('<html>'),
  ]);
  const error: unknown = await api.Employee.get(1).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(GatewayError);
  const message = 'The server answered with HTTP status 502.';
  expect(error).toMatchObject({ status: 502, code: null, requestId: 'r1', message });
  await expect(api.Employee.get(1)).rejects.toMatchObject({ status: 200, code: null });
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
    const { api } = clientOf([failed(410, 9068), new Response(broken)]);
    const open = () => api.$gateway.changes(['Employee'], { since: 'old' });
    await expect(open()).rejects.toMatchObject({ status: 410, isOutdated: true });
    const changes = await open();
    await expect(changes[Symbol.asyncIterator]().next()).rejects.toThrow('terminated');
    expect(changes.token).toBe('old');
  });
});
