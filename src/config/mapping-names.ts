import { z } from 'zod';
import { matching, text } from './settings/fields.ts';

/** Letters, marks and digits are those of any script: what parts names in URLs and filters is none of them. */
export const NAME = '\\p{L}[\\p{L}\\p{M}\\p{N}_]*';

/** A name of the API. */
export const identifier = matching(
  new RegExp(`^${NAME}$`, 'u'),
  'names of the API begin with a letter and hold letters, digits and _ only',
);

/** An attribute's, relation's or function's name; an entity's address stands beside them. */
export const member = identifier.refine((name) => name !== 'uri', {
  message: 'uri is the protocol’s own name, for the address of an entity: give another one',
});

/** The name of a column or a parameter of the database's. */
export const column = text;

/** The name of a table, a view or a routine, with its schema. */
export const databaseName = z.union([
  matching(
    /^[^.]+\.[^.]+$/,
    'is written schema.name; use { schema: …, name: … } when a name has a dot',
  ),
  z.strictObject({ schema: text, name: text }),
]);

/** A name of the database's as its parts. */
export function nameParts(name: z.output<typeof databaseName>): {
  readonly schema: string;
  readonly name: string;
} {
  if (typeof name !== 'string') return name;
  const [schema = '', own = ''] = name.split('.');
  return { schema, name: own };
}
