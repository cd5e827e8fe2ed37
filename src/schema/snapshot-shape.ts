import { z } from 'zod';

/** A list of which the first wrong item alone is told: of hundreds of thousands, putting all into words would take long. */
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
const digits = z.int().min(0).nullable();
const fractionDigits = z.int().min(0);
const native = { native: text };

const type = z.discriminatedUnion('kind', [
  z.object({ ...native, kind: z.literal('boolean') }),
  z.object({
    ...native,
    kind: z.literal('integer'),
    bits: z.union([z.literal(8), z.literal(16), z.literal(32), z.literal(64)]),
    signed: flag,
  }),
  z.object({
    ...native,
    kind: z.literal('decimal'),
    precision: digits,
    scale: z.int().nullable(),
    range: z.object({ lowest: text, highest: text }).optional(),
    stepped: z.literal(true).optional(),
  }),
  z.object({
    ...native,
    kind: z.literal('float'),
    bits: z.union([z.literal(32), z.literal(64)]),
  }),
  z.object({
    ...native,
    kind: z.literal('text'),
    maxLength: digits,
    maxBytes: z.int().optional(),
    padded: flag,
    collation: text.optional(),
  }),
  z.object({ ...native, kind: z.literal('uuid') }),
  z.object({ ...native, kind: z.literal('date') }),
  z.object({
    ...native,
    kind: z.literal('timestamp'),
    zoned: flag,
    coarse: z
      .object({ first: text, last: text, step: z.union([z.literal('tick'), z.literal('minute')]) })
      .optional(),
    fractionDigits: fractionDigits.optional(),
    stepped: z.literal(true).optional(),
  }),
  z.object({
    ...native,
    kind: z.literal('time'),
    fractionDigits: fractionDigits.optional(),
  }),
  z.object({
    ...native,
    kind: z.literal('json'),
    asText: flag,
    items: z.lazy((): z.ZodType => type).optional(),
  }),
  z.object({ ...native, kind: z.literal('binary') }),
  z.object({ ...native, kind: z.literal('hex') }),
  z.object({
    ...native,
    kind: z.literal('opaque'),
    values: texts.optional(),
    maxBytes: z.int().optional(),
    fractionDigits: fractionDigits.optional(),
  }),
]);

const routineColumns = list(z.object({ name: text, type })).nullable();

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
      nameless: z.literal(true).optional(),
      table: z.object({ schema: text, name: text }).optional(),
    }),
  ),
  returns: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('none') }),
    z.object({ kind: z.literal('value'), type }),
    z.object({ kind: z.enum(['row', 'rows']), columns: routineColumns }),
  ]),
});

/** What a snapshot of a schema holds, to check a file by; the types of `types.ts` say what it means. */
export const schemaShape = z.object({
  ignoreCase: flag.optional(),
  notes: texts.optional(),
  routines: list(routine).optional(),
  tables: list(
    z.object({
      schema: text,
      name: text,
      kind: z.enum(['table', 'view']),
      columns: list(
        z.object({
          name: text,
          position: z.int(),
          type,
          nullable: flag,
          identity: flag,
          sequence: z.literal(true).optional(),
          computed: flag,
          hasDefault: flag,
          large: z.literal(true).optional(),
          sequentialGuids: z.literal(true).optional(),
        }),
      ),
      primaryKey: texts,
      indexes: list(z.object({ name: text, columns: texts, unique: flag })),
      foreignKeys: list(
        z.object({
          name: text,
          columns: texts,
          targetSchema: text,
          targetTable: text,
          targetColumns: texts,
          unenforced: z.literal(true).optional(),
        }),
      ),
      ignoreCase: flag.optional(),
      rowVersion: z
        .union([
          z.object({ kind: z.literal('column'), name: text }),
          z.object({ kind: z.literal('xmin') }),
        ])
        .nullable(),
      checks: list(z.object({ name: text, columns: texts })).optional(),
      instead: list(z.enum(['insert', 'update', 'delete'])).optional(),
      unlockable: z.literal(true).optional(),
      beforeInsert: z.literal(true).optional(),
      beforeDelete: z.literal(true).optional(),
      updatesMore: z.literal(true).optional(),
      isInherited: z.literal(true).optional(),
      contended: texts.optional(),
      readOnly: z.literal(true).optional(),
      leftOut: list(z.object({ name: text, why: text })).optional(),
      notes: texts.optional(),
    }),
  ),
});
