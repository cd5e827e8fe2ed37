import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { configSchema } from '../../../src/config/config.ts';
import { configText } from '../../../src/cli/init/config-text.ts';

/**
 * A configuration that init wrote, with the settings that it proposes in comments: of the lines that begin with `#` those where no blank,
 * or the blanks of an inner setting, stand behind it. What is only said stands one blank behind.
 */
function uncommented(text: string): string {
  return text.replaceAll(/^(\s*)#(?! \S)/gm, '$1');
}

const erp = { engine: 'postgres', url: 'postgres://u:geheim@h/my%20erp' } as const;

/** What a new configuration says of the sample's database. */
const said = {
  application: 'my erp',
  server: { host: '127.0.0.1', port: 8080 },
  database: {
    engine: 'postgres',
    url: 'postgres://u:${ENV:ENTITYGATE_DATABASE_PASSWORD}@h/my%20erp',
  },
  mappings: 'mappings',
  readOnly: true,
};

describe('a new configuration', () => {
  test('names the variables that hold its secrets', () => {
    const { text, variables } = configText(erp, '.');
    expect(variables).toEqual(['ENTITYGATE_DATABASE_PASSWORD']);
    expect(parse(text)).toEqual(said);
    expect(text.split('\napplication:', 1)).toEqual([
      `# Written by entitygate init; docs/reference/configuration.md explains every setting.
# Secrets come from the environment: ENTITYGATE_DATABASE_PASSWORD.
`,
    ]);
    expect(text).toContain(
      '\nreadOnly: true # Clients read. Remove this line to let them write.\n',
    );
  });

  test('names none where there are no secrets', () => {
    const { text, variables } = configText({ engine: 'postgres', url: 'postgres://u@h/d' }, '.');
    expect(variables).toEqual([]);
    expect(parse(text)).toEqual({
      ...said,
      application: 'd',
      database: { engine: 'postgres', url: 'postgres://u@h/d' },
    });
    expect(text).not.toContain('Secrets');
  });

  test('proposes settings that are whole when they are uncommented', () => {
    const value = parse(uncommented(configText(erp, '.').text)) as Record<string, unknown>;
    expect(value).toEqual({
      ...said,
      server: {
        ...said.server,
        tls: { certificate: 'tls/fullchain.pem', key: 'tls/privkey.pem' },
      },
      authentication: {
        apiKeys: [{ name: 'reporting', hash: `sha256:${'0'.repeat(64)}`, roles: ['reader'] }],
        jwt: {
          jwks: 'https://login.example.com/.well-known/jwks.json',
          issuer: 'https://login.example.com/',
          audience: 'entitygate',
        },
      },
      roles: {
        reader: { dataclasses: { '*': { read: true } } },
        editor: { dataclasses: { '*': { read: true, create: true, update: true, delete: true } } },
      },
    });
  });

  test('proposes settings that there are', () => {
    const value: unknown = parse(uncommented(configText(erp, '.').text));
    expect(configSchema.safeParse(value)).toMatchObject({ success: true });
  });
});
