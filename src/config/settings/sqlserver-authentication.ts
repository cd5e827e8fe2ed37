import { z } from 'zod';
import { reporting, type SettingProblem, text } from './fields.ts';
import { fieldsOf, isConnectionString } from './connection-string.ts';

/** The settings that each way to log in needs, and those it may have. */
const settings = {
  default: { needs: [], takes: [] },
  ntlm: { needs: ['domain'], takes: [] },
  'azure-active-directory-default': { needs: [], takes: ['clientId'] },
  'azure-active-directory-password': { needs: ['clientId'], takes: ['tenantId'] },
  'azure-active-directory-access-token': { needs: ['token'], takes: [] },
  'azure-active-directory-msi-vm': { needs: [], takes: ['clientId'] },
  'azure-active-directory-msi-app-service': { needs: [], takes: ['clientId'] },
  'azure-active-directory-service-principal-secret': {
    needs: ['clientId', 'clientSecret', 'tenantId'],
    takes: [],
  },
} as const satisfies Record<string, { needs: readonly string[]; takes: readonly string[] }>;

const types = Object.keys(settings) as (keyof typeof settings)[];

/** The ways to log in that need a user and a password as well, beside them or in the URL. */
const OF_USERS: readonly string[] = ['default', 'ntlm', 'azure-active-directory-password'];

interface Login {
  readonly url?: string | undefined;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly authentication?: { readonly type: string } | undefined;
}

/** Reports a missing user or password of a way to log in that needs them. */
export function* missingLogin(database: Login): Generator<SettingProblem> {
  const { url = '', authentication } = database;
  if (authentication === undefined || !OF_USERS.includes(authentication.type)) return;
  for (const name of ['user', 'password'] as const) {
    if (database[name] !== undefined || saysLogin(url, name)) continue;
    yield { path: [name], message: `${authentication.type} needs it, here or in the url` };
  }
}

function saysLogin(url: string, name: 'user' | 'password'): boolean {
  if (isConnectionString(url)) {
    const names = { user: ['user id', 'uid', 'user'], password: ['password', 'pwd'] }[name];
    return names.some((one) => fieldsOf(url).has(one));
  }
  const [, user = '', password = ''] = /^[a-z]+:\/\/([^:@/]*)(?::([^@]*))?@/i.exec(url) ?? [];
  return { user, password }[name] !== '';
}

/** How the gateway logs in to a SQL Server, as the driver offers it. */
export const sqlServerAuthentication = z
  .strictObject({
    type: z.enum(types),
    domain: text.optional(),
    clientId: text.optional(),
    clientSecret: text.optional(),
    tenantId: text.optional(),
    token: text.optional(),
  })
  .superRefine(
    reporting(function* ({ type, ...given }) {
      const { needs, takes } = settings[type];
      const known: readonly string[] = [...needs, ...takes];
      for (const name of needs) {
        if (!(name in given)) yield { path: [name], message: `${type} needs it` };
      }
      for (const name of Object.keys(given)) {
        if (!known.includes(name)) yield { path: [name], message: `${type} has no use for it` };
      }
    }),
  );
