import { z } from 'zod';
import { fieldsOf, isConnectionString } from './connection-string.ts';

/** The settings of each way to log in: those it needs, and those it may have besides. */
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

/** Of these ways to log in, the user and the password stand beside them, or in the URL. */
const OF_USERS: readonly string[] = ['default', 'ntlm', 'azure-active-directory-password'];

/** What of a user and a password a way to log in lacks, where no URL may have them. */
export function missingLogin(database: {
  readonly url?: string | undefined;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly authentication?: { readonly type: string } | undefined;
}): readonly ('user' | 'password')[] {
  const { url, authentication } = database;
  if (authentication === undefined || !OF_USERS.includes(authentication.type)) return [];
  const names = ['user', 'password'] as const;
  return names.filter((name) => database[name] === undefined && !saysLogin(url ?? '', name));
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
    domain: z.string().min(1).optional(),
    clientId: z.string().min(1).optional(),
    clientSecret: z.string().min(1).optional(),
    tenantId: z.string().min(1).optional(),
    token: z.string().min(1).optional(),
  })
  .superRefine(({ type, ...given }, context) => {
    const { needs, takes } = settings[type];
    const known: readonly string[] = [...needs, ...takes];
    for (const name of needs) {
      if (name in given) continue;
      context.addIssue({ code: 'custom', path: [name], message: `${type} needs it` });
    }
    for (const name of Object.keys(given)) {
      if (known.includes(name)) continue;
      context.addIssue({ code: 'custom', path: [name], message: `${type} has no use for it` });
    }
  });
