import { z } from 'zod';

/** A list of which only the first wrong item is reported: describing hundreds of thousands would take long. */
function list<Item extends z.ZodType>(item: Item): z.ZodType<z.output<Item>[]> {
  return z.custom<z.output<Item>[]>().superRefine((items, context) => {
    if (!Array.isArray(items)) {
      context.addIssue({ code: 'custom', message: 'is not a list' });
      return;
    }
    for (const [index, one] of items.entries()) {
      const issue = item.safeParse(one).error?.issues[0];
      if (issue === undefined) continue;
      context.addIssue({ ...issue, path: [index, ...issue.path] });
      return;
    }
  });
}

const text = z.string();
const texts = list(text);
const flag = z.boolean();
const set = z.literal(true).optional();
const digits = z.int().min(0);
const fractionDigits = digits.optional();
const maxBytes = z.int().optional();

function kind<Kind extends string, Rest extends z.ZodRawShape>(name: Kind, rest: Rest) {
  return z.object({ native: text, kind: z.literal(name), ...rest });
}

const type = z.discriminatedUnion('kind', [
  kind('boolean', {}),
  kind('integer', { bits: z.literal([8, 16, 32, 64]), signed: flag }),
  kind('decimal', {
    precision: digits.nullable(),
    scale: z.int().nullable(),
    range: z.object({ lowest: text, highest: text }).optional(),
    stepped: set,
  }),
  kind('float', { bits: z.literal([32, 64]) }),
  kind('text', {
    maxLength: digits.nullable(),
    maxBytes,
    padded: flag,
    collation: text.optional(),
  }),
  kind('uuid', {}),
  kind('date', {}),
  kind('timestamp', {
    zoned: flag,
    coarse: z.object({ first: text, last: text, step: z.enum(['tick', 'minute']) }).optional(),
    fractionDigits,
    stepped: set,
  }),
  kind('time', { fractionDigits }),
  kind('json', { asText: flag, items: z.lazy((): z.ZodType => type).optional() }),
  kind('binary', {}),
  kind('hex', {}),
  kind('opaque', { values: texts.optional(), maxBytes, fractionDigits }),
]);

const routine = z.object({
  schema: text,
  name: text,
  kind: z.enum(['procedure', 'function']),
  parameters: list(
    z.object({
      name: text,
      type,
      direction: z.enum(['in', 'out', 'inout']),
      optional: flag.optional(),
      nameless: set,
      table: z.object({ schema: text, name: text }).optional(),
    }),
  ),
  returns: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('none') }),
    z.object({ kind: z.literal('value'), type }),
    z.object({
      kind: z.enum(['row', 'rows']),
      columns: list(z.object({ name: text, type })).nullable(),
    }),
  ]),
});

const column = z.object({
  name: text,
  position: z.int(),
  type,
  nullable: flag,
  identity: flag,
  sequence: set,
  computed: flag,
  hasDefault: flag,
  large: set,
  sequentialGuids: set,
});

const foreignKey = z.object({
  name: text,
  columns: texts,
  targetSchema: text,
  targetTable: text,
  targetColumns: texts,
  unenforced: set,
});

const table = z.object({
  schema: text,
  name: text,
  kind: z.enum(['table', 'view']),
  columns: list(column),
  primaryKey: texts,
  indexes: list(z.object({ name: text, columns: texts, unique: flag })),
  foreignKeys: list(foreignKey),
  ignoreCase: flag.optional(),
  rowVersion: z
    .union([
      z.object({ kind: z.literal('column'), name: text }),
      z.object({ kind: z.literal('xmin') }),
    ])
    .nullable(),
  checks: list(z.object({ name: text, columns: texts })).optional(),
  instead: list(z.enum(['insert', 'update', 'delete'])).optional(),
  unlockable: set,
  beforeInsert: set,
  beforeDelete: set,
  updatesMore: set,
  isInherited: set,
  contended: texts.optional(),
  readOnly: set,
  leftOut: list(z.object({ name: text, why: text })).optional(),
  notes: texts.optional(),
});

/** The shape of a schema in a file; `types.ts` says what its members mean. */
export const schemaShape = z.object({
  ignoreCase: flag.optional(),
  notes: texts.optional(),
  routines: list(routine).optional(),
  tables: list(table),
});
