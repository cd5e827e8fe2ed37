import { readFile } from 'node:fs/promises';
import { isNode, LineCounter, parseDocument, type Document } from 'yaml';
import type { z } from 'zod';
import { nameHint } from '../base/names.ts';
import { StartupError, type StartupProblem } from '../base/errors.ts';

/** A YAML file that was read: its value, and where each part of it stands. */
export interface YamlFile {
  readonly path: string;
  readonly value: unknown;
  /** `file:line:column` of the value at a path of keys and indexes, or of the nearest part around it that exists. */
  readonly locate: (path: readonly PropertyKey[]) => string;
}

/**
 * Reads a YAML 1.2 file.
 * @throws StartupError naming the file, or the line, when it cannot be read or is not YAML
 */
export async function readYaml(path: string): Promise<YamlFile> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new StartupError([
      {
        where: path,
        message: missing ? 'there is no such file' : `cannot be read: ${(error as Error).message}`,
      },
    ]);
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${path}:${line}:${col}`;
  };
  if (document.errors.length > 0) {
    throw new StartupError(
      document.errors.map((error) => ({
        where: at(error.pos[0]),
        message: `this is not valid YAML: ${error.message}`,
      })),
    );
  }
  return {
    path,
    value: document.toJS(),
    locate: (keys) => locate(document, keys, path, at),
  };
}

function locate(
  document: Document,
  keys: readonly PropertyKey[],
  path: string,
  at: (offset: number) => string,
): string {
  for (let length = keys.length; length >= 0; length -= 1) {
    const node: unknown = document.getIn(keys.slice(0, length), true);
    if (isNode(node) && node.range) return at(node.range[0]);
  }
  return path;
}

/**
 * Validates a file against a schema.
 * @throws StartupError with one problem for each thing that is wrong, unknown keys with the nearest known ones
 */
export function validate<Schema extends z.ZodType>(
  file: YamlFile,
  schema: Schema,
): z.output<Schema> {
  const result = schema.safeParse(file.value ?? {});
  if (result.success) return result.data;
  throw new StartupError(result.error.issues.flatMap((issue) => describe(file, issue, schema)));
}

function describe(file: YamlFile, issue: z.core.$ZodIssue, schema: z.ZodType): StartupProblem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      where: file.locate([...issue.path, key]),
      message: `unknown setting "${key}".${nameHint(key, knownKeys(schema, issue.path))}`,
    }));
  }
  if (issue.code === 'invalid_union') {
    const inner = deepest(issue.errors.flat());
    if (inner !== null) {
      return describe(file, { ...inner, path: [...issue.path, ...inner.path] }, schema);
    }
  }
  const name = issue.path.map(String).join('.');
  return [
    {
      where: file.locate(issue.path),
      message: name === '' ? issue.message : `"${name}": ${issue.message}`,
    },
  ];
}

/** Of a union's complaints the one that reached deepest: the branch the user most likely meant. */
function deepest(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue | null {
  const rank = (issue: z.core.$ZodIssue): number =>
    issue.path.length + (issue.code === 'unrecognized_keys' ? 1 : 0);
  const best = Math.max(0, ...issues.map(rank));
  return best === 0 ? null : (issues.find((issue) => rank(issue) === best) ?? null);
}

/** The keys that an object schema knows at a path, seen through wrappers and unions. */
function knownKeys(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let level: SchemaShape[] = unwrap(schema as unknown as SchemaShape);
  for (const key of path) {
    level = level.flatMap(({ def }) => {
      const next = def.shape?.[String(key)] ?? def.valueType ?? def.element;
      return next === undefined ? [] : unwrap(next);
    });
  }
  return level.flatMap(({ def }) => Object.keys(def.shape ?? {}));
}

/** The parts of zod's schema definitions that {@link knownKeys} walks over. */
interface SchemaShape {
  readonly def: {
    readonly shape?: Readonly<Record<string, SchemaShape>>;
    readonly valueType?: SchemaShape;
    readonly element?: SchemaShape;
    readonly innerType?: SchemaShape;
    readonly options?: readonly SchemaShape[];
  };
}

function unwrap(schema: SchemaShape): SchemaShape[] {
  if (schema.def.innerType !== undefined) return unwrap(schema.def.innerType);
  if (schema.def.options !== undefined) return schema.def.options.flatMap(unwrap);
  return [schema];
}
