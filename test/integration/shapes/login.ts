import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hashPassword, passwordHashText } from '../../../src/access/auth/password-hash.ts';
import { pgliteTarget } from '../../targets/pglite.ts';
import { ManualClock, waiting } from '../sets.ts';
import type { Served, Shape } from './engines.ts';
import { sample, settingsIn, withKeys } from './sample.ts';

/** The password of all users. */
export const PASSWORD = 'geheimwort';
const password = passwordHashText(await hashPassword(PASSWORD));

/** Writes a file of users with that password: ada and bob, who have a role, and an administrator. */
export async function writeUsers(folder: string, role: string, disabled = false): Promise<string> {
  const path = join(folder, 'users.yaml');
  const [ada, bob] = [
    { password, roles: [role], disabled },
    { password, roles: [role] },
  ];
  const users = { ada, bob, root: { password, roles: ['admin'] } };
  await writeFile(path, JSON.stringify({ users }));
  return path;
}

const clock = new ManualClock();

/** Users whose password is `geheimwort`, and guests. `WAIT 121` lets so many seconds pass. */
export const shape: Shape = {
  ...sample,
  engines: ['pglite'],
  clock,
  verbs: { WAIT: waiting(clock) },
  prepare: async (folder) =>
    settingsIn({
      authentication: { anonymous: ['guest'], users: await writeUsers(folder, 'sales') },
      roles: {
        guest: { dataclasses: { Country: { read: true } } },
        sales: { dataclasses: { '*': { read: true }, Company: { read: true, update: true } } },
      },
    }),
};

/** The same users, and nobody else. */
export const usersOnly: Shape = {
  ...sample,
  engines: ['pglite'],
  prepare: async (folder) =>
    settingsIn({ authentication: { users: await writeUsers(folder, 'admin') } }),
};

const { apiKeys, users } = withKeys({ ann: { roles: ['admin'] }, bob: { roles: ['admin'] } });

/** Users whom the database is told of. */
export const told: Shape = {
  ...sample,
  engines: ['pglite'],
  users,
  open: async () => {
    const opened = await pgliteTarget.open();
    return { ...opened, database: { ...opened.database, tellUser: true } };
  },
  settings: settingsIn({ authentication: { apiKeys } }),
};

/** What changes the file of users. */
export function disabledUser(served: Served): void {
  test('a session is over as soon as its user may not log in any more', async () => {
    const { gateway, mappings } = served;
    const folder = join(mappings, '..');
    const logIn = async (): Promise<readonly [number, string]> => {
      const sent = { method: 'POST', body: JSON.stringify(['ada', PASSWORD]) };
      const { status, headers } = await gateway.get('/rest/$directory/login', sent);
      return [status, String(headers['entitygate-session'])];
    };
    const [, session] = await logIn();
    await writeUsers(folder, 'sales', true);
    // The file is looked at once a second at most.
    const poll = { interval: 200 };
    const headers = { 'entitygate-session': session };
    const read = async (): Promise<number> =>
      (await gateway.get('/rest/Company?$top=0', { headers })).status;
    await expect.poll(read, poll).toBe(401);
    await writeUsers(folder, 'sales');
    await expect.poll(async () => (await logIn())[0], poll).toBe(200);
  });
}
