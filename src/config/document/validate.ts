import type { z } from 'zod';
import { isRecord } from '../../base/collections.ts';
import { nameHint } from '../../base/names.ts';
import { excerpt, isSecretName, LONGEST_SHOWN } from '../../base/text.ts';
import { MOST_TOLD, StartupError, type StartupProblem } from '../../base/errors.ts';
import { fitting, forms, keysOf, type SchemaNode, schemasAt } from './schema-walk.ts';
import { mayHoldSecret } from '../settings/connection-string.ts';
import type { YamlFile } from './yaml.ts';

type Issue = z.core.$ZodIssue;

/** How many problems of a file are described: enough to report the first ones by line, whatever their order is. */
const MOST_DESCRIBED = 10 * MOST_TOLD;

/** Validates a file against a schema. @throws StartupError with one problem for each mistake, unknown keys with the nearest known ones */
export function validate<Schema extends z.ZodType>(
  file: YamlFile,
  schema: Schema,
): z.output<Schema> {
  const paths = prototypeKeys(file.value, []);
  const unnameable = paths.slice(0, MOST_TOLD).map((path) => ({
    where: file.locate(path, 'key'),
    message: '"__proto__" cannot be a name: give another one',
  }));
  if (unnameable.length > 0) throw new StartupError(unnameable, paths.length - unnameable.length);
  const result = schema.safeParse(file.value ?? {});
  if (result.success) return result.data;
  const root = schema as unknown as SchemaNode;
  const { issues } = result.error;
  const problems = issues.slice(0, MOST_DESCRIBED).flatMap((issue) => describe(file, issue, root));
  throw new StartupError(
    problems.toSorted((a, b) => line(a) - line(b)),
    Math.max(0, issues.length - MOST_DESCRIBED),
  );
}

/** Finds keys `__proto__`, which schemas of records skip silently. */
function prototypeKeys(value: unknown, path: readonly string[]): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '__proto__' ? [[...path, key]] : prototypeKeys(inner, [...path, key]),
  );
}

function line({ where }: StartupProblem): number {
  return Number(/:(\d+):\d+$/.exec(where ?? '')?.[1] ?? 0);
}

/** Describes what is wrong with the value of a setting, without its name. */
export function complaint(root: SchemaNode, issue: Issue, value: unknown): string {
  const { code } = issue;
  if (code === 'invalid_type' || code === 'invalid_union' || code === 'invalid_value') {
    const wanted = forms(schemasAt(root, issue.path));
    const choices = wanted.filter(({ literal }) => literal).map(({ text }) => text);
    const hint = typeof value === 'string' ? nearest(value, choices) : '';
    return `expected ${list(wanted.map(({ text }) => text))}, found ${found(issue, value)}${hint === '' ? '' : `.${hint}`}`;
  }
  if (code !== 'too_small' && code !== 'too_big') return issue.message;
  const least = code === 'too_small';
  const limit = least ? issue.minimum : issue.maximum;
  if (issue.origin === 'string') {
    if (least && limit === 1) return 'is empty';
    return `expected a text of ${limit} characters or ${least ? 'more' : 'less'}`;
  }
  const unit = issue.origin === 'array' ? (limit === 1 ? ' entry' : ' entries') : '';
  const [outside, inside] = least ? ['more than', 'at least'] : ['less than', 'at most'];
  const comparison = issue.inclusive === false ? outside : inside;
  return `expected ${comparison} ${limit}${unit}, found ${found(issue, value)}`;
}

function describe(file: YamlFile, issue: Issue, root: SchemaNode): StartupProblem[] {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') {
    const known = keysOf(fitting(schemasAt(root, path), valueAt(file.value, path)));
    const unknown = issue.keys.filter((key) => !known.includes(key));
    if (unknown.length > 0) return unknownKeys(file, path, unknown, known);
    // Each key is known, but not beside the others: another form of the same setting has it.
    return describe(file, { code: 'invalid_type', expected: 'object', path, message: '' }, root);
  }
  if (issue.code === 'invalid_key') {
    const message = `"${excerpt(String(path.at(-1)))}": ${issue.issues[0]?.message ?? issue.message}`;
    return [{ where: file.locate(path, 'key'), message }];
  }
  const inner = issue.code === 'invalid_union' ? likeliest(file, issue, root) : null;
  if (inner !== null) return inner;
  const name = excerpt(path.map(String).join('.'), 3 * LONGEST_SHOWN);
  const value = valueAt(file.value, path);
  const message =
    complaint(root, issue, value) +
    (issue.code === 'custom' ? '' : quoteHint(value, forms(schemasAt(root, path))));
  return [{ where: file.locate(path), message: name === '' ? message : `"${name}": ${message}` }];
}

function unknownKeys(
  file: YamlFile,
  path: readonly PropertyKey[],
  keys: readonly string[],
  known: readonly string[],
): StartupProblem[] {
  return keys.map((key, index) => {
    const hint = index < MOST_DESCRIBED ? nameHint(key, known) : '';
    return {
      where: file.locate([...path, key], 'key'),
      message: `unknown setting "${excerpt(key)}".${hint}`,
    };
  });
}

/** Returns the problems of the branch of a union that the user most likely meant, or null where none stands out. */
function likeliest(
  file: YamlFile,
  { path, errors }: Extract<Issue, { code: 'invalid_union' }>,
  root: SchemaNode,
): StartupProblem[] | null {
  const value = valueAt(file.value, path);
  const branches = errors.filter((issues) => !issues.some(isWhollyOther));
  if (isRecord(value)) {
    const known = keysOf(schemasAt(root, path));
    const unknown = Object.keys(value).filter((key) => !known.includes(key));
    if (unknown.length > 0) return unknownKeys(file, path, unknown, known);
  }
  const whole = branches.filter((issues) => !issues.some((issue) => isOtherShape(issue, value)));
  const [branch] = whole;
  if (branch === undefined || whole.length > 1) return null;
  return branch.flatMap((issue) =>
    describe(file, { ...issue, path: [...path, ...issue.path] }, root),
  );
}

function isWhollyOther({ path, code }: Issue): boolean {
  return path.length === 0 && (code === 'invalid_type' || code === 'invalid_value');
}

function isOtherShape({ path, code }: Issue, value: unknown): boolean {
  if (code === 'unrecognized_keys') return path.length === 0;
  return code === 'invalid_type' && path.length === 1 && valueAt(value, path) === undefined;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
        ? (inner as Record<PropertyKey, unknown>)[key]
        : undefined,
    value,
  );
}

/** Settings where a secret may have been written by mistake. */
const SECRET_SETTINGS = new Set(['url', 'apiKeys', 'users']);

/** Shows a value, or only its kind where it may be secret. */
function found({ path }: Issue, value: unknown): string {
  // A URL may hold a login; a key or a password may stand where its entry belongs.
  const isSecret =
    path.some((key) => SECRET_SETTINGS.has(String(key)) || isSecretName(String(key))) ||
    path.at(-1) === 'jwt' ||
    (typeof value === 'string' && mayHoldSecret(value));
  return isSecret ? kindOf(value) : shown(value);
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'names with their values';
  if (typeof value === 'boolean') return 'true or false';
  return typeof value === 'string' ? 'a text' : 'a number';
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  // JSON has no infinite numbers.
  if (typeof value !== 'object') {
    return excerpt(typeof value === 'number' ? String(value) : JSON.stringify(value));
  }
  const keys = Object.keys(value);
  return keys.length === 0 ? '{}' : `{ ${excerpt(keys.slice(0, LONGEST_SHOWN).join(', '))} }`;
}

/** Suggests quotes, or none: without them YAML reads `0042` as a number. */
function quoteHint(value: unknown, wanted: readonly { readonly text: string }[]): string {
  const wants = (pattern: RegExp): boolean => wanted.some(({ text }) => pattern.test(text));
  if (typeof value === 'number' || typeof value === 'boolean') {
    return wants(/^a text$/) ? '. Write it in quotes.' : '';
  }
  if (typeof value !== 'string') return '';
  const isNumber = /^-?\d+(?:\.\d+)?$/.test(value) && wants(/number$/);
  const isBoolean = /^(?:true|false)$/.test(value) && wants(/^true or false$/);
  return isNumber || isBoolean ? '. Write it without quotes.' : '';
}

function nearest(value: string, choices: readonly string[]): string {
  const hint = nameHint(value, choices);
  return hint.startsWith(' Did') ? hint : '';
}

function list(texts: readonly string[]): string {
  const last = texts.at(-1) ?? 'something else';
  return texts.length < 2 ? last : `${texts.slice(0, -1).join(', ')} or ${last}`;
}
