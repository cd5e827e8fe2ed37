import { describe, expect, test } from 'vitest';
import type { Handler } from '../../src/server/handle.ts';
import { jsonAnswer } from '../../src/respond/answer.ts';
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
});
