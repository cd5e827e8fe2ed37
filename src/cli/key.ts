import { apiKeyHash, makeApiKey } from '../access/auth/api-keys.ts';
import { entryText } from '../access/auth/users-file.ts';
import { apiKeySetting } from '../config/settings/authentication.ts';
import { defineCommand } from './command.ts';
import { checked, claimsOf, grantOptions } from './grants.ts';

const usage = `Usage: entitygate key NAME [options]

Makes an API key, and prints it with its entry for config.yaml. The entry contains a hash of the key;
the key itself is not stored.

Options:
  --role ROLE         a role of the client; repeat it for more roles
  --claim NAME=VALUE  a claim for row policies; repeat a name for a list of values
  --expires DATE      the end of the key: 2027-01-31 (its beginning in UTC) or 2027-01-31T18:00:00Z
  --help              show this text
`;

export const keyCommand = defineCommand({
  name: 'key',
  usage,
  options: { ...grantOptions, expires: { type: 'string' } },
  argument: 'NAME, the name of the client',
  run: ({ values, positionals: [name = ''] }, io) => {
    const key = makeApiKey();
    const { claims, expires, ...entry } = checked(
      apiKeySetting,
      {
        name,
        hash: `sha256:${apiKeyHash(key)}`,
        roles: values.role ?? [],
        claims: claimsOf(values.claim ?? []),
        expires: values.expires,
      },
      { name: 'NAME', roles: '--role', claims: '--claim', expires: '--expires' },
    );
    const text = entryText(
      ['authentication', 'apiKeys'],
      { ...entry, claims: Object.keys(claims).length === 0 ? undefined : claims, expires },
      true,
    );
    io.out(
      `The key, shown only once:\n\n  ${key}\n\n` +
        `Its entry in config.yaml:\n\n${text.replace(/^(?=.)/gm, '  ')}`,
    );
    if (entry.roles.length === 0) {
      io.error(
        '\nThe key has no role. Where config.yaml has roles, it may do nothing: add --role.\n',
      );
    }
    return Promise.resolve(0);
  },
});
