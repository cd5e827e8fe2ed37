import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { Ajv2020 } from 'ajv/dist/2020.js';

type Schema = Readonly<Record<string, unknown>>;

/** A rule for one part of a schema. @returns what is wrong, or null */
type Rule = (schema: Schema, isRoot: boolean) => string | null;

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const KEY = /^[a-zA-Z0-9_.-]{1,64}$/;

const rootIsObject: Rule = ({ type, anyOf, oneOf, allOf, enum: values, not }, isRoot) => {
  const others = [anyOf, oneOf, allOf, values, not].some((one) => one !== undefined);
  return isRoot && (type !== 'object' || others) ? 'the root is not a plain object' : null;
};
const plainKeys: Rule = ({ properties }) =>
  Object.keys((properties ?? {}) as Schema).find((key) => !KEY.test(key)) ?? null;
const itemsOfArrays: Rule = ({ type, items }) =>
  type === 'array' && (typeof items !== 'object' || Object.keys(items ?? {}).length === 0)
    ? 'an array without items'
    : null;
const oneType: Rule = ({ type, anyOf }) =>
  (typeof type === 'string') === (anyOf === undefined) ? null : `type ${JSON.stringify(type)}`;
const requiredExists: Rule = ({ required, properties }) =>
  ((required ?? []) as string[]).find(
    (name) => !Object.hasOwn((properties ?? {}) as Schema, name),
  ) ?? null;
const textEnums: Rule = ({ type, enum: values }) =>
  values === undefined || (type === 'string' && (values as unknown[]).every((one) => one !== ''))
    ? null
    : 'an enum of other values than texts';
/** Others are refused, or dropped. */
const KNOWN = new Set(
  'type anyOf items properties required enum description title default minimum maximum maxItems maxLength additionalProperties'.split(
    ' ',
  ),
);
const knownWords: Rule = (schema) => Object.keys(schema).find((word) => !KNOWN.has(word)) ?? null;

/** What each kind of client refuses, of its documents and reports of bugs. */
const CLIENTS: Readonly<Record<string, readonly Rule[]>> = {
  'VS Code': [rootIsObject, itemsOfArrays],
  OpenAI: [rootIsObject, plainKeys, itemsOfArrays, requiredExists],
  Gemini: [rootIsObject, plainKeys, itemsOfArrays, oneType, requiredExists, textEnums, knownWords],
  Claude: [rootIsObject, plainKeys, oneType],
};

function* partsOf(schema: Schema, isRoot = true): Generator<readonly [Schema, boolean]> {
  yield [schema, isRoot];
  const { properties = {}, items, anyOf = [] } = schema;
  const within = [...Object.values(properties as Schema), ...(anyOf as Schema[]), items];
  for (const one of within) if (one !== undefined) yield* partsOf(one as Schema, false);
}

/** What is wrong with a tool: by JSON Schema, and by the rules of clients. */
export function problemsOf({
  name,
  inputSchema,
  outputSchema = { type: 'object' },
}: Pick<Tool, 'name' | 'inputSchema' | 'outputSchema'>): string[] {
  const ajv = new Ajv2020({ strict: true });
  const invalid = [inputSchema, outputSchema].filter((schema) => !ajv.validateSchema(schema));
  for (const schema of [inputSchema, outputSchema]) ajv.compile(schema);
  const refused = Object.entries(CLIENTS).flatMap(([client, rules]) =>
    [...partsOf(inputSchema)].flatMap(([part, isRoot]) =>
      rules.flatMap((rule) => {
        const wrong = rule(part, isRoot);
        return wrong === null ? [] : [`${client}: ${wrong} in ${JSON.stringify(part)}`];
      }),
    ),
  );
  return [
    ...(NAME.test(name) ? [] : [`the name ${name}`]),
    ...(outputSchema.properties === undefined ? ['no output schema'] : []),
    ...invalid.map((schema) => `not a schema: ${JSON.stringify(schema)}`),
    ...refused,
  ];
}
