import { z } from 'zod';
import { ADMIN } from '../../base/principal.ts';
import { matching, text } from './fields.ts';

const right = z.union([z.boolean(), text]).default(false);

function whether(what: string): string {
  return `Whether entities may be ${what}: true, false, or a filter that they have to meet.`;
}

const granted = z.strictObject({
  where: text
    .optional()
    .describe(
      'A filter that entities have to meet whatever is done with them, such as region = $claims.region.',
    ),
  read: right.describe(whether('read')),
  create: right.describe(whether('created')),
  update: right.describe(whether('updated')),
  delete: right.describe(whether('deleted')),
  aggregates: z
    .boolean()
    .default(true)
    .describe('Whether $groupby and $compute may compute something of many entities.'),
  attributes: z
    .record(z.string(), z.enum(['hidden', 'readOnly']))
    .default({})
    .describe('Attributes that the role cannot see, or cannot write.'),
});

const role = z.strictObject({
  execute: z
    .union([z.boolean(), z.array(text)])
    .default(false)
    .describe(
      'Which functions may be called: true for all, or names such as Employee.raise, Prices.quote, Employee.* or recalculate.',
    ),
  mcp: z
    .enum(['read', 'write'])
    .default('read')
    .describe(
      'Whether agents may only read by this role, or also create, update, delete and call functions that change data.',
    ),
  dataclasses: z
    .record(z.string(), granted)
    .describe('What may be done with each dataclass; * stands for all that are not named.'),
});

/** The setting `roles`: what the users of each role may see and do. */
export const rolesSetting = z
  .record(
    matching(
      /^[A-Za-z][\w-]*$/,
      'is not a name of a role: expected letters, digits, - and _',
    ).refine((name) => name !== ADMIN, 'is built in: it may see and do everything'),
    role,
  )
  .optional()
  .describe('What each role may read and do. Left out, every user may do everything.');

export type RoleSettings = NonNullable<z.output<typeof rolesSetting>>;

export type GrantSetting = RoleSettings[string]['dataclasses'][string];
