import { z } from 'zod';

export const text = z.string().min(1);

/** A text that matches a pattern. */
export function matching(pattern: RegExp, message: string): z.ZodString {
  return z.string().regex(pattern, message);
}

/** true or false. */
export function flag(fallback: boolean): z.ZodDefault<z.ZodBoolean> {
  return z.boolean().default(fallback);
}

export const optionalFlag = z.boolean().optional();

/** A whole number within limits. */
export function integer(least: number, most: number): z.ZodInt {
  return z.int().min(least).max(most);
}

/** A time of more than none. */
export function seconds(most: number): z.ZodNumber {
  return z.number().positive().max(most);
}

/** What is wrong with a setting: the path to it from the value that is checked. */
export interface SettingProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Finds the entries of `proxy` that would take a path of the gateway's own. @param what serves the path instead */
export function* overlapProblems(
  proxy: readonly { readonly prefix: string }[],
  path: string,
  what: string,
): Generator<SettingProblem> {
  for (const [index, { prefix }] of proxy.entries()) {
    if (prefix !== path && !prefix.startsWith(`${path}/`)) continue;
    yield { path: ['proxy', index, 'prefix'], message: `overlaps ${path}, ${what}` };
  }
}

/** Makes a check for `superRefine` that reports every problem found. */
export function reporting<Value>(
  problemsOf: (value: Value) => Iterable<SettingProblem>,
): (value: Value, context: z.RefinementCtx) => void {
  return (value, context) => {
    for (const { path, message } of problemsOf(value)) {
      context.addIssue({ code: 'custom', path: [...path], message });
    }
  };
}

/** Finds the indexes of texts that occur before, in upper or lower case. */
export function repeated(texts: readonly string[]): readonly number[] {
  const seen = new Set<string>();
  return texts.flatMap((one, index) => {
    const isRepeated = seen.has(one.toLowerCase());
    seen.add(one.toLowerCase());
    return isRepeated ? [index] : [];
  });
}

/** A text that is refused with the problem found in it, where there is one. */
export function checkedText(problemOf: (text: string) => string | null): z.ZodString {
  return z.string().superRefine((value, context) => {
    const message = problemOf(value);
    if (message !== null) context.addIssue({ code: 'custom', message });
  });
}

/** Letters, marks and digits of any script: none of them separates names in URLs and filters. */
export const NAME = '\\p{L}[\\p{L}\\p{M}\\p{N}_]*';

export const identifier = matching(
  new RegExp(`^${NAME}$`, 'u'),
  'names of the API begin with a letter and hold letters, digits and _ only',
);

/** The name of an attribute, a relation or a function; it stands beside the `uri` of an entity. */
export const member = identifier.refine((name) => name !== 'uri', {
  message: 'uri is the protocol’s own name, for the address of an entity: give another one',
});

/** A text about a part of the API, for its readers. */
export const description = text
  .optional()
  .describe('Text for readers of the API, in the catalog and the OpenAPI document.');

/** The name of a column or a parameter in the database. */
export const column = text;

/** The name of a table, a view or a routine, with its schema. */
export const databaseName = z.union([
  matching(
    /^[^.]+\.[^.]+$/,
    'is written schema.name; use { schema: …, name: … } when a name has a dot',
  ),
  z.strictObject({ schema: text, name: text }),
]);

/** Splits a name of the database. */
export function nameParts(name: z.output<typeof databaseName>): {
  readonly schema: string;
  readonly name: string;
} {
  if (typeof name !== 'string') return name;
  const [schema = '', own = ''] = name.split('.');
  return { schema, name: own };
}
