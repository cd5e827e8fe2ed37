import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { configSchema, type Config } from '../../../src/config/config.ts';
import { checkListening, isLoginNeeded } from '../../../src/config/settings/listening.ts';

function listening(
  host: string,
  allowUnauthenticated = false,
  authentication?: unknown,
): Pick<Config, 'server' | 'authentication' | 'locate'> {
  const read = configSchema.parse({ server: { host, allowUnauthenticated }, authentication });
  return { ...read, locate: (setting) => `at ${setting}` };
}

const open = { anonymous: ['admin'], users: 'users.yaml' };

describe('where nobody has to log in', () => {
  test.each([
    '127.0.0.1',
    '127.8.9.10',
    '::1',
    '::ffff:127.0.0.1',
    'localhost',
    'no-such-host.invalid',
  ])('%s is listened on', async (host) => {
    expect(await checkListening(listening(host))).toBeNull();
    expect(await checkListening(listening(host, false, { anonymous: [] }))).toBeNull();
  });

  test.each(['0.0.0.0', '::', '192.0.2.1', '10.0.0.1', '::ffff:10.0.0.1', 'fe80::1', '128.0.0.1'])(
    '%s is not, unless that is asked for',
    async (host) => {
      await expect(checkListening(listening(host))).rejects.toThrow(
        `at server.host: other machines reach ${host}, and would read and write what the mapping files expose without saying who they are. ` +
          `Configure authentication, as ${resolve('docs/how-to/security.md')} shows, or listen on 127.0.0.1. Where something else decides who reaches the port, ` +
          'say so by server.allowUnauthenticated: true (also ENTITYGATE_ALLOW_UNAUTHENTICATED=true)',
      );
      expect(existsSync('docs/how-to/security.md')).toBe(true);
      expect(await checkListening(listening(host, true))).toBe(
        `without authentication, every client that reaches ${host} reads and writes what the mapping files expose`,
      );
    },
  );

  test.each([
    [
      { anonymous: ['guest'] },
      'have the roles of authentication.anonymous',
      'has the roles of authentication.anonymous: guest',
    ],
    [
      { anonymous: ['admin'] },
      'read and write what the mapping files expose',
      'reads and writes what the mapping files expose',
    ],
    [
      open,
      'read and write what the mapping files expose',
      'reads and writes what the mapping files expose',
    ],
  ])('with %j neither', async (authentication, refused, told) => {
    await expect(checkListening(listening('::', false, authentication))).rejects.toThrow(
      `at server.host: other machines reach ::, and would ${refused} without saying who they are. ` +
        `Configure keys, passwords or tokens in authentication, and no admin in anonymous, as ${resolve('docs/how-to/security.md')} shows, or listen`,
    );
    expect(await checkListening(listening('::', true, authentication))).toBe(
      `without authentication, every client that reaches :: ${told}`,
    );
  });
});

test.each([{ users: 'users.yaml' }, { anonymous: ['guest'], users: 'users.yaml' }])(
  'where clients can log in, and have to for more than anybody may, every address is listened on: %j',
  async (authentication) => {
    expect(await checkListening(listening('0.0.0.0', false, authentication))).toBeNull();
    expect(isLoginNeeded(configSchema.parse({ authentication }).authentication)).toBe(true);
  },
);

test.each([undefined, { anonymous: [] }, { anonymous: ['guest'] }, open])(
  'nobody has to log in with %j',
  (authentication) => {
    expect(isLoginNeeded(configSchema.parse({ authentication }).authentication)).toBe(false);
  },
);
