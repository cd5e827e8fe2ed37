import { z } from 'zod';

/** Standard output, as a target of the audit log. */
export const STDOUT = 'stdout';

const member = z
  .string()
  .regex(
    /^[^.]+\.[^.]+$/,
    'names no attribute: expected a dataclass and an attribute or relation of it, such as Employee.salary',
  );

/** The setting `audit`. */
export const auditSetting = z
  .strictObject({
    to: z
      .string()
      .min(1)
      .describe('stdout, or the file that a line is appended to for each entity that is written.'),
    values: z
      .union([z.enum(['none', 'all']), z.array(member)])
      .default('none')
      .describe(
        'Whose values are told, before and after: none, all, or a list of attributes and relations, such as Employee.salary.',
      ),
    required: z
      .boolean()
      .default(false)
      .describe('Nothing is written to the database while the audit log cannot be written.'),
  })
  .optional()
  .describe('An audit log of what is created, updated and deleted; left out, there is none.');

/** What an audit log is told. */
export type AuditSetting = Exclude<z.output<typeof auditSetting>, undefined>;
