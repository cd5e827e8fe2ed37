/** The parts of zod's schema definitions that messages are written from. */
export interface SchemaNode {
  readonly def: {
    readonly type: string;
    readonly shape?: Readonly<Record<string, SchemaNode>>;
    readonly valueType?: SchemaNode;
    readonly element?: SchemaNode;
    readonly innerType?: SchemaNode;
    readonly options?: readonly SchemaNode[];
    readonly values?: readonly unknown[];
    readonly entries?: Readonly<Record<string, string>>;
    readonly format?: string;
  };
}

/** Returns the schemas that apply at a path, through wrappers and unions. */
export function schemasAt(root: SchemaNode, path: readonly PropertyKey[]): SchemaNode[] {
  let level = unwrap(root);
  for (const key of path) {
    level = level.flatMap(({ def }) => {
      const next = ownProperty(def.shape, String(key)) ?? def.valueType ?? def.element;
      return next === undefined ? [] : unwrap(next);
    });
  }
  return level;
}

/** Returns the schemas whose fixed values (`engine: postgres`) are those of the value. */
export function fitting(schemas: readonly SchemaNode[], value: unknown): SchemaNode[] {
  const entries = Object.entries(typeof value === 'object' && value !== null ? value : {});
  return schemas.filter(({ def }) =>
    entries.every(([key, part]) => ownProperty(def.shape, key)?.def.values?.includes(part) ?? true),
  );
}

/** Returns the keys that objects of these schemas may have. */
export function keysOf(schemas: readonly SchemaNode[]): string[] {
  return [...new Set(schemas.flatMap(({ def }) => Object.keys(def.shape ?? {})))];
}

/** What a value of a schema looks like: `a text`, `{ to, columns }`, or a literal. */
interface Form {
  readonly text: string;
  readonly literal: boolean;
}

/** Describes the values that fit one of these schemas, each form once. */
export function forms(schemas: readonly SchemaNode[]): readonly Form[] {
  const found = schemas.flatMap(({ def }): Form[] => {
    const { values, entries } = def;
    const literals = values ?? (entries === undefined ? null : Object.values(entries));
    if (literals === null) return [{ text: kindOf(def), literal: false }];
    return literals.map((value) => ({ text: String(value), literal: true }));
  });
  return found.filter(({ text }, index) => found.findIndex((one) => one.text === text) === index);
}

function kindOf(def: SchemaNode['def']): string {
  switch (def.type) {
    case 'object':
      return objectForm(def.shape ?? {});
    case 'record':
      return NAMES;
    case 'array':
      return 'a list';
    case 'string':
      return 'a text';
    case 'boolean':
      return 'true or false';
    case 'number':
      return def.format === 'safeint' ? 'a whole number' : 'a number';
    default:
      return def.type;
  }
}

const NAMES = 'names with their values';

/** Lists the keys that have no default; where all have one, all keys if they are few. */
function objectForm(shape: Readonly<Record<string, SchemaNode>>): string {
  const keys = Object.keys(shape);
  const needed = keys.filter(
    (key) => !['optional', 'default', 'prefault'].includes(shape[key]?.def.type ?? ''),
  );
  if (needed.length === 0 && keys.length > 6) return NAMES;
  return `{ ${(needed.length > 0 ? needed : keys).join(', ')} }`;
}

function unwrap(schema: SchemaNode): SchemaNode[] {
  if (schema.def.innerType !== undefined) return unwrap(schema.def.innerType);
  if (schema.def.options !== undefined) return schema.def.options.flatMap(unwrap);
  return [schema];
}

/** Returns the schema of a key; every object inherits `constructor`. */
function ownProperty(shape: SchemaNode['def']['shape'], key: string): SchemaNode | undefined {
  return shape !== undefined && Object.hasOwn(shape, key) ? shape[key] : undefined;
}
