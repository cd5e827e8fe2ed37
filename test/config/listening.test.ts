import { describe, expect, test } from 'vitest';
import { configSchema, type Config } from '../../src/config/config.ts';
import { checkListening } from '../../src/config/listening.ts';

function listening(host: string, allowUnauthenticated = false): Pick<Config, 'server' | 'locate'> {
  const { server } = configSchema.parse({ server: { host, allowUnauthenticated } });
  return { server, locate: (setting) => `at ${setting}` };
}

describe('where nobody has to log in', () => {
  test.each([
    '127.0.0.1',
    '127.8.9.10',
    '::1',
    '::ffff:127.0.0.1',
    'localhost',
    'no-such-host.invalid',
  ])('%s is listened on', async (host) => {
    expect(await checkListening(listening(host), false)).toBeNull();
  });

  test.each(['0.0.0.0', '::', '192.0.2.1', '10.0.0.1', '::ffff:10.0.0.1', 'fe80::1', '128.0.0.1'])(
    '%s is not, unless that is asked for',
    async (host) => {
      await expect(checkListening(listening(host), false)).rejects.toThrow(
        `at server.host: other machines reach ${host}, and would read and write what the mapping files expose without saying who they are. ` +
          'Configure authentication: (docs/security.md), or listen on 127.0.0.1. Where something else decides who reaches the port, ' +
          'say so by server.allowUnauthenticated: true (also ENTITYGATE_ALLOW_UNAUTHENTICATED=true)',
      );
      expect(await checkListening(listening(host, true), false)).toBe(
        `nobody has to log in: whoever reaches ${host} reads and writes what the mapping files expose`,
      );
    },
  );
});

test('where clients log in, every address is listened on', async () => {
  expect(await checkListening(listening('0.0.0.0'), true)).toBeNull();
});
