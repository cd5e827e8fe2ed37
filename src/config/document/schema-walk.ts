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

/** The schemas that apply at a path, seen through wrappers and unions. */
export function schemasAt(root: SchemaNode, path: readonly PropertyKey[]): SchemaNode[] {
  let level = unwrap(root);
  for (const key of path) {
    level = level.flatMap(({ def }) => {
      const next = own(def.shape, String(key)) ?? def.valueType ?? def.element;
      return next === undefined ? [] : unwrap(next);
    });
  }
  return level;
}

/** Of the forms of a setting those whose fixed values (`engine: postgres`) are those of the value. */
export function fitting(schemas: readonly SchemaNode[], value: unknown): SchemaNode[] {
  const entries = Object.entries(typeof value === 'object' && value !== null ? value : {});
  return schemas.filter(({ def }) =>
    entries.every(([key, part]) => own(def.shape, key)?.def.values?.includes(part) ?? true),
  );
}

/** The keys that objects of these schemas may have. */
export function keysOf(schemas: readonly SchemaNode[]): string[] {
  return [...new Set(schemas.flatMap(({ def }) => Object.keys(def.shape ?? {})))];
}

/** What values of these schemas look like: `a text`, `true or false`, `{ to, columns }`, a literal. */
export function forms(
  schemas: readonly SchemaNode[],
): { readonly text: string; readonly literal: boolean }[] {
  const found = schemas.flatMap(({ def }): { text: string; literal: boolean }[] => {
    const plain = (text: string): { text: string; literal: boolean }[] => [
      { text, literal: false },
    ];
    switch (def.type) {
      case 'literal':
        return (def.values ?? []).map((value) => ({ text: String(value), literal: true }));
      case 'enum':
        return Object.values(def.entries ?? {}).map((text) => ({ text, literal: true }));
      case 'object':
        return plain(objectForm(def.shape ?? {}));
      case 'record':
        return plain(NAMES);
      case 'array':
        return plain('a list');
      case 'string':
        return plain('a text');
      case 'boolean':
        return plain('true or false');
      case 'number':
        return plain(def.format === 'safeint' ? 'a whole number' : 'a number');
      default:
        return plain(def.type);
    }
  });
  return found.filter(
    ({ text }, index) => found.findIndex((other) => other.text === text) === index,
  );
}

const NAMES = 'names with their values';

/** The keys that have no default; where all have one, all keys if they are few. */
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

/** What is written for a key: `constructor` has a meaning to every object. */
function own(shape: SchemaNode['def']['shape'], key: string): SchemaNode | undefined {
  return shape !== undefined && Object.hasOwn(shape, key) ? shape[key] : undefined;
}
