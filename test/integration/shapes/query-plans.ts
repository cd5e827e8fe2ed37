import type { Shape } from './engines.ts';
import { sample, settingsIn, withKeys } from './sample.ts';

const { apiKeys, users } = withKeys({
  admin: { roles: ['admin'] },
  clerk: { roles: ['clerk'] },
});

/** Plans are told in the names of the API alone. */
export const shape: Shape = { ...sample, engines: ['pglite'] };

/** Nothing is told of plans. */
export const none: Shape = { ...shape, settings: { queryPlans: 'none' } };

/** SQL is told to those who see everything; a clerk does not see all companies. */
export const sql: Shape = {
  ...shape,
  users,
  settings: settingsIn({
    queryPlans: 'sql',
    authentication: { apiKeys },
    roles: {
      clerk: {
        dataclasses: { '*': { read: true }, Company: { read: true, where: 'ID < 4711' } },
      },
    },
  }),
};
