import { expect, test, vi } from 'vitest';
import { RestClient } from '../../../src/explorer/rest/client.ts';
import { exactNumber } from '../../../src/explorer/rest/json.ts';
import { RestError } from '../../../src/explorer/rest/rest-error.ts';

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
  const body = { badgeNo: exactNumber('9007199254740993') };
  expect(await client.request('/rest/Employee?$method=update', { body })).toEqual(body);
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

const message = 'There is no attribute nam. Did you mean name? (at position 1 of $filter)';
const items = [
  { code: 1500, message, at: { within: '$filter', position: 1 }, suggestions: ['name'] },
];
const body = { __ERROR: [{ message, componentSignature: 'dbmg', errCode: 1500 }] };
const none = { items: [], body: null };

test.each<[what: string, answer: () => Response | Promise<Response>, error: object]>([
  [
    'an error, with positions and suggestions',
    () => Response.json(body, { status: 404, headers: { 'x-request-id': 'r1' } }),
    { message, status: 404, items, body, requestId: 'r1' },
  ],
  ['an error with status 200', () => Response.json(body), { message, status: 200, items }],
  [
    'not of the gateway',
    () => new Response('<html>', { status: 502, statusText: 'Bad Gateway' }),
    { message: 'The answer has status 502 Bad Gateway', status: 502, ...none },
  ],
  ['not JSON', () => new Response('<html>'), { message: 'The answer is not JSON.' }],
  [
    'none, as nobody is there',
    () => Promise.reject(new TypeError('fetch failed')),
    {
      message: 'The gateway does not answer. Is it running, and is the network there?',
      status: 0,
    },
  ],
])('the answer is %s', async (_what, answer, error) => {
  expect(await failure(clientOf(answer).client.request('/rest/Employee'))).toMatchObject(error);
});

test('a missing login is told', async () => {
  const asks = { __ERROR: [{ message: 'Say who you are.', errCode: 1822 }] };
  const { client } = clientOf(() => Response.json(asks, { status: 401 }));
  client.onLoginNeeded = vi.fn();
  const error = await failure(client.request('/rest/Employee'));
  expect(client.onLoginNeeded).toHaveBeenCalledExactlyOnceWith(error);
});

test('an abort stays an abort', async () => {
  const reason = new Error('left');
  const { client } = clientOf(() => Promise.reject(reason));
  const signal = AbortSignal.abort(reason);
  await expect(client.request('/rest/Employee', { signal })).rejects.toBe(reason);
});

test('content is answered as bytes, or refused', async () => {
  const { client } = clientOf(() => new Response('abc'));
  expect(await (await client.content('/rest/Employee(1)/photo')).text()).toBe('abc');
  const refused = clientOf(() => Response.json(body, { status: 404 })).client;
  expect((await failure(refused.content('/rest/Employee(1)/photo'))).message).toBe(message);
});
