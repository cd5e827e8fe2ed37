import { expect, test, vi } from 'vitest';
import { RestClient } from '../../../src/explorer/rest/client.ts';
import { RestError } from '../../../src/explorer/rest/rest-error.ts';
import { exactNumber } from '../../../src/explorer/rest/json.ts';

function clientOf(answer: () => Response | Promise<Response>) {
  const fetch = vi.fn<typeof globalThis.fetch>(() => Promise.resolve().then(answer));
  return { client: new RestClient({ fetch, origin: 'http://gateway' }), fetch };
}

async function failure(work: Promise<unknown>): Promise<RestError> {
  const error: unknown = await work.catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(RestError);
  return error as RestError;
}

test('a body is posted as JSON with all digits, and the answer keeps them', async () => {
  const { client, fetch } = clientOf(() => new Response('{"badgeNo":9007199254740993}'));
  client.apiKey = 'egk_1';
  const answer = await client.request('/rest/Employee?$method=update', {
    body: { badgeNo: exactNumber('9007199254740993') },
  });
  expect(answer).toEqual({ badgeNo: exactNumber('9007199254740993') });
  expect(fetch).toHaveBeenCalledExactlyOnceWith('http://gateway/rest/Employee?$method=update', {
    method: 'POST',
    credentials: 'same-origin',
    keepalive: false,
    headers: {
      accept: 'application/json',
      'x-requested-with': 'XMLHttpRequest',
      'content-type': 'application/json',
      'api-key': 'egk_1',
    },
    body: '{"badgeNo":9007199254740993}',
    signal: null,
  });
});

test('a new entity may be answered by 201', async () => {
  const { client } = clientOf(() => new Response('{"__KEY":"1"}', { status: 201 }));
  expect(await client.request('/rest/Employee', { body: {} })).toEqual({ __KEY: '1' });
});

test('a Blob is sent as it is', async () => {
  const { client, fetch } = clientOf(() => new Response('{"ID":"1"}'));
  const body = new Blob(['x'], { type: 'image/png' });
  await client.request('/rest/$upload', { body });
  expect(fetch.mock.calls[0]?.[1]).toMatchObject({
    body,
    headers: { accept: 'application/json', 'x-requested-with': 'XMLHttpRequest' },
  });
});

test('an error has its items with positions and suggestions', async () => {
  const message =
    'Dataclass Employee has no attribute lastNam. Did you mean lastName? (at position 1 of $filter)';
  const { client } = clientOf(
    () =>
      new Response(
        JSON.stringify({ __ERROR: [{ message, componentSignature: 'dbmg', errCode: 1500 }] }),
        {
          status: 404,
          headers: { 'x-request-id': 'r1' },
        },
      ),
  );
  const error = await failure(client.request('/rest/Employee'));
  expect(error).toMatchObject({
    message,
    status: 404,
    items: [
      { code: 1500, message, at: { within: '$filter', position: 1 }, suggestions: ['lastName'] },
    ],
    body: { __ERROR: [{ message, componentSignature: 'dbmg', errCode: 1500 }] },
    requestId: 'r1',
  });
});

test('errors in an answer with status 200 are errors', async () => {
  const { client } = clientOf(() => new Response('{"__ERROR":[{"message":"No.","errCode":1543}]}'));
  const error = await failure(client.request('/rest/Employee(9)'));
  expect(error.has(1543)).toBe(true);
});

test('a missing login is told', async () => {
  const { client } = clientOf(
    () =>
      new Response('{"__ERROR":[{"message":"Say who you are.","errCode":1822}]}', { status: 401 }),
  );
  const told = vi.fn();
  client.onLoginNeeded = told;
  const error = await failure(client.request('/rest/Employee'));
  expect(told).toHaveBeenCalledExactlyOnceWith(error);
});

test('an answer that is not the gateway’s says its status', async () => {
  const { client } = clientOf(
    () => new Response('<html>', { status: 502, statusText: 'Bad Gateway' }),
  );
  const error = await failure(client.request('/rest/Employee'));
  expect(error).toMatchObject({
    message: 'The answer has status 502 Bad Gateway',
    status: 502,
    items: [],
    body: null,
  });
  const html = clientOf(() => new Response('<html>')).client;
  expect((await failure(html.request('/rest/Employee'))).message).toBe('The answer is not JSON.');
});

test('a gateway that is not there is an error with status 0', async () => {
  const { client } = clientOf(() => Promise.reject(new TypeError('fetch failed')));
  const error = await failure(client.request('/rest/Employee'));
  expect(error).toMatchObject({
    message: 'The gateway does not answer. Is it running, and is the network there?',
    status: 0,
  });
});

test('an abort stays an abort', async () => {
  const reason = new Error('left');
  const { client } = clientOf(() => Promise.reject(reason));
  await expect(
    client.request('/rest/Employee', { signal: AbortSignal.abort(reason) }),
  ).rejects.toBe(reason);
});

test('content is answered as bytes, or refused', async () => {
  const { client } = clientOf(() => new Response('abc'));
  expect(await (await client.content('/rest/Employee(1)/photo')).text()).toBe('abc');
  const refused = clientOf(
    () => new Response('{"__ERROR":[{"message":"None.","errCode":1543}]}', { status: 404 }),
  ).client;
  expect((await failure(refused.content('/rest/Employee(1)/photo'))).message).toBe('None.');
});
