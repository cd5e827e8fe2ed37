import type { z } from 'zod';
import type { ClaimsSettings } from '../config/settings/authentication.ts';
import { UsageError } from './command.ts';

export const grantOptions = {
  role: { type: 'string', multiple: true },
  claim: { type: 'string', multiple: true },
} as const;

/** Reads the claims of `--claim name=value`; a repeated name has a list. @throws UsageError */
export function claimsOf(options: readonly string[]): ClaimsSettings {
  const claims = new Map<string, string | string[]>();
  for (const option of options) {
    const [, name, value = ''] = /^([^=]+)=(.*)$/s.exec(option) ?? [];
    if (name === undefined) {
      throw new UsageError(`--claim ${option}: expected a name and a value, as region=North`);
    }
    const before = claims.get(name);
    claims.set(name, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(claims);
}

/** Validates a value. @param names the option, or the word of the usage, of each of its parts @throws UsageError with the first problem */
export function checked<Schema extends z.ZodType>(
  schema: Schema,
  value: z.input<Schema>,
  names: Readonly<Record<string, string>>,
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const [inner] = issue?.code === 'invalid_key' ? issue.issues : [issue];
  const message = inner?.code === 'too_small' ? 'is empty' : (inner?.message ?? 'is not valid');
  throw new UsageError(`${names[String(issue?.path[0] ?? '')] ?? ''}: ${message}`);
}
