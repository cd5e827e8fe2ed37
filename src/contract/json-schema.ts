/** A JSON Schema of the draft 2020-12, or another object of an OpenAPI document (https://spec.openapis.org/oas/v3.1.0). */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A path of the document, and what it takes. */
export type PathEntry = readonly [path: string, item: JsonObject];

/** Makes a schema take null as well. */
export function nullable(schema: JsonObject): JsonObject {
  const { type, enum: values, anyOf: alternatives } = schema;
  if (isList(alternatives)) return { ...schema, anyOf: [...alternatives, NULL] };
  if (type === undefined) return schema['$ref'] === undefined ? schema : anyOf(schema, NULL);
  return {
    ...schema,
    type: [type, 'null'].flat(),
    ...(isList(values) ? { enum: [...values, null] } : {}),
  };
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

export const NULL: JsonObject = { type: 'null' };
export const TEXT: JsonObject = { type: 'string' };
export const FLAG: JsonObject = { type: 'boolean' };
export const COUNT: JsonObject = { type: 'integer', minimum: 0 };

/** A schema that one of others has to accept. */
export function anyOf(...schemas: readonly JsonObject[]): JsonObject {
  const [only, ...more] = schemas;
  return only !== undefined && more.length === 0 ? only : { anyOf: schemas };
}

export function arrayOf(items: JsonObject): JsonObject {
  return { type: 'array', items };
}

/** The content of a request or an answer in JSON, and in other media types. */
export function jsonContent(schema: JsonObject, others: JsonObject = {}): JsonObject {
  return { content: { 'application/json': { schema }, ...others } };
}

/** An object with these properties and no others. @param optional the names of those that may be missing; all others are required */
export function objectOf(properties: JsonObject, optional: readonly string[] = []): JsonObject {
  return { ...openObject(properties, optional), additionalProperties: false };
}

/**
 * An object with the properties of others, these, and no more. The others have to leave their properties open.
 * @param open references to the others @param optional the names of those of these that may be missing
 */
export function extending(
  open: readonly JsonObject[],
  properties: JsonObject,
  optional: readonly string[] = [],
): JsonObject {
  const own = Object.keys(properties).length === 0 ? {} : openObject(properties, optional);
  return { allOf: open, ...own, unevaluatedProperties: false };
}

/** An object with these properties, and perhaps more, for {@link extending}. */
export function openObject(properties: JsonObject, optional: readonly string[] = []): JsonObject {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
}

/** The sections of the components that have parts. */
export const SECTIONS = ['schemas', 'responses', 'parameters', 'requestBodies', 'headers'] as const;

/** A section of the components. */
export type Section = (typeof SECTIONS)[number];

/** A reference to a part of the document's components. */
export function ref(section: Section, name: string): JsonObject {
  return { $ref: `#/components/${section}/${name}` };
}

/** A reference to a schema of the components. */
export function schemaRef(name: string): JsonObject {
  return ref('schemas', name);
}

/**
 * The name of a dataclass's component. Components have ASCII names; names of dataclasses hold no hyphen, so that no two become one.
 * @param part one of the dataclass's several components; empty for the entity
 */
export function componentName(dataclass: string, part = ''): string {
  const plain = dataclass.replace(
    /\W/gu,
    (letter) => `-${letter.codePointAt(0)?.toString(16) ?? ''}`,
  );
  return part === '' ? plain : `${plain}.${part}`;
}
