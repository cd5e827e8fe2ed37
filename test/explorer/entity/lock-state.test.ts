import { expect, test } from 'vitest';
import { lockState } from '../../../src/explorer/entity/lock-state.ts';

const chrome =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36';
const refused = (status: number, more: object = {}) => ({
  result: false,
  __STATUS: { success: false, status, ...more },
});

test.each([
  [
    { result: true, __STATUS: { success: true, own: false, lost: false } },
    'free',
    { kind: 'free' },
  ],
  [{ result: true, __STATUS: { success: true, own: true, lost: false } }, 'free', { kind: 'own' }],
  [{ result: true, __STATUS: { success: true, own: false, lost: true } }, 'free', { kind: 'lost' }],
  [{ result: true, __STATUS: { success: true } }, 'own', { kind: 'own' }],
  [{ result: true, __STATUS: { success: true } }, 'free', { kind: 'free' }],
  [refused(2), 'free', { kind: 'changed' }],
  [refused(5), 'free', { kind: 'gone' }],
  [
    refused(3, { lockInfo: { host: 'h', IPAddr: '10.0.0.7', userAgent: chrome } }),
    'own',
    { kind: 'others', by: 'Chrome 141 at 10.0.0.7' },
  ],
  [
    refused(3, { lockInfo: { host: 'h', IPAddr: '10.0.0.7', userAgent: 'curl/8.5.0' } }),
    'own',
    { kind: 'others', by: 'curl/8.5.0 at 10.0.0.7' },
  ],
  [
    refused(3, { lockInfo: { host: '', IPAddr: '', userAgent: '' } }),
    'own',
    { kind: 'others', by: 'another program or gateway' },
  ],
] as const)('%j', (answer, own, state) => {
  expect(lockState(answer, own)).toEqual(state);
});
