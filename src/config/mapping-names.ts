import { z } from 'zod';
import { matching, text } from './settings/fields.ts';

/** Letters, marks and digits of any script: none of them separates names in URLs and filters. */
export const NAME = '\\p{L}[\\p{L}\\p{M}\\p{N}_]*';

/** A name of the API. */
export const identifier = matching(
  new RegExp(`^${NAME}$`, 'u'),
  'names of the API begin with a letter and hold letters, digits and _ only',
);

/** The name of an attribute, a relation or a function; it stands beside the `uri` of an entity. */
export const member = identifier.refine((name) => name !== 'uri', {
  message: 'uri is the protocol’s own name, for the address of an entity: give another one',
});

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
