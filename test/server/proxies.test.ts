import { describe, expect, test } from 'vitest';
import { noObserver } from '../../src/base/observe/observer.ts';
import type { Handler } from '../../src/server/rest.ts';
import { jsonAnswer } from '../../src/answer/answer.ts';
import { ask, start } from './serving.ts';

const who: Handler = ({ address, host, isSecure }) =>
  Promise.resolve(jsonAnswer(JSON.stringify({ address, host, isSecure })));

const forwarded = {
  host: 'inside:8080',
  'x-forwarded-for': '198.51.100.1, 192.0.2.1',
  'x-forwarded-host': 'erp.example.com',
  'x-forwarded-proto': 'https',
};

describe('what a proxy says of the client', () => {
  test.each<[proxies: string[] | undefined, seen: object]>([
    [undefined, { address: '127.0.0.1', host: 'inside:8080', isSecure: false }],
    [['10.0.0.0/8'], { address: '127.0.0.1', host: 'inside:8080', isSecure: false }],
    [['127.0.0.1'], { address: '192.0.2.1', host: 'erp.example.com', isSecure: true }],
    [
      ['10.0.0.1', '127.0.0.0/8'],
      { address: '192.0.2.1', host: 'erp.example.com', isSecure: true },
    ],
    [
      ['127.0.0.1', '192.0.2.0/24'],
      { address: '198.51.100.1', host: 'erp.example.com', isSecure: true },
    ],
  ])('counts where it is trusted: %j', async (trustedProxies, seen) => {
    const { port } = await start({ handle: who, trustedProxies });
    const answer = await ask(port, '/rest', { headers: forwarded });
    expect(JSON.parse(answer.text)).toEqual(seen);
  });

  test('is no more than it says', async () => {
    const { port } = await start({ handle: who, trustedProxies: ['127.0.0.1'] });
    const { host } = forwarded;
    const plain = await ask(port, '/rest', { headers: { host, 'x-forwarded-proto': 'http' } });
    expect(JSON.parse(plain.text)).toEqual({ address: '127.0.0.1', host, isSecure: false });
  });

  test.each([
    ['3.3.4.3:4001', '3.3.4.3'],
    ['6.6.6.6, 3.3.4.3:4001', '3.3.4.3'],
    ['[2001:db8::1]:4001', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['3.3.4.3:4001, 192.0.2.1:443', '3.3.4.3'],
    ['garbage', '127.0.0.1'],
    ['6.6.6.6, garbage', '127.0.0.1'],
    ['garbage, 3.3.4.3', '3.3.4.3'],
    ['6.6.6.6, garbage, 192.0.2.1', '192.0.2.1'],
    ['evil"}, {"log":"audit"', '127.0.0.1'],
    ['[3.3.4.3]:1', '127.0.0.1'],
    ['3.3.4.3:x', '127.0.0.1'],
    ['3.3.4.3,', '127.0.0.1'],
    ['', '127.0.0.1'],
  ])('tells addresses alone: %j is of %s', async (told, address) => {
    const { port } = await start({
      handle: who,
      trustedProxies: ['127.0.0.1', '192.0.2.0/24'],
    });
    const headers = { host: 'a', 'x-forwarded-for': told };
    const answer = await ask(port, '/rest', { headers });
    expect(JSON.parse(answer.text)).toMatchObject({ address });
  });

  test('tells them of what is counted, and observed', async () => {
    const seen: string[] = [];
    const { port } = await start({
      trustedProxies: ['127.0.0.1'],
      rateLimit: { perMinute: 2, store: null },
      observer: (request) => {
        seen.push(request.address);
        return noObserver;
      },
    });
    const statuses = [];
    for (const told of [
      '3.3.4.3:1',
      '3.3.4.3:2',
      '3.3.4.3:3',
      'garbage1',
      'garbage2',
      'garbage3',
    ]) {
      const answer = await ask(port, '/rest', { headers: { 'x-forwarded-for': told } });
      statuses.push(answer.status);
    }
    expect(statuses).toEqual([200, 200, 429, 200, 200, 429]);
    expect(seen).toEqual([...new Array(3).fill('3.3.4.3'), ...new Array(3).fill('127.0.0.1')]);
  });
});
