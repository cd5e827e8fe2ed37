import { createRequire } from 'node:module';
import type postgresql from 'node-sql-parser/build/postgresql.js';
import { harmlessFunctions, namesIn, type SqlToken, sqlTokens, wordFirst } from './sql-tokens.ts';

/** The dialects that expressions are written in. */
export type SqlDialect = 'postgres' | 'tsql';

/** A column as an expression names it. */
export interface NamedPart {
  readonly name: string;
  readonly isQuoted: boolean;
}

/**
 * Reads an expression of a mapping file: one expression over one row, without subquery, aggregate or window, whose functions are harmless or among
 * `options.functions`. A parser of the dialect and the tokens of the text have to agree, and what the parser cannot read is refused; it never prints
 * the text, as it does not know all of the dialects. Returns the text, cut where it names columns, or what is wrong, as the rest of a sentence.
 */
export function readExpression(
  text: string,
  options: { readonly dialect: SqlDialect; readonly functions: readonly string[] },
): (string | NamedPart)[] | string {
  const { dialect, functions } = options;
  const tokens = sqlTokens(text, dialect);
  if (typeof tokens === 'string') return tokens;
  const words = inWords(tokens);
  const tree = parsed(words.map(({ word }) => word).join(' '), dialect);
  if (tree === null) return `is not an expression that can be read as ${LANGUAGES[dialect]}`;
  const found: Found = { columns: [], functions: [] };
  try {
    visit(tree, found, dialect);
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
  const allowed = new Set(functions.map((name) => name.toLowerCase()));
  const written = new Map(words.map(({ word, token }) => [word, token.name]));
  const unknown = found.functions
    .map((parts) => parts.map((part) => (written.get(part) ?? part).toLowerCase()).join('.'))
    .find((name) => !harmlessFunctions[dialect].has(name) && !allowed.has(name));
  if (unknown !== undefined) {
    return `calls ${unknown}, which is not known to be harmless: name it in sqlFunctions of the configuration if it is`;
  }
  return partsOf(text, words, found.columns);
}

const LANGUAGES = { postgres: 'PostgreSQL’s SQL', tsql: 'T-SQL' } as const;

/** Why an expression is refused, as the rest of a sentence. */
class Refusal extends Error {}

/** The names that the parser finds in an expression. */
interface Found {
  readonly columns: string[];
  /** Their parts: with the schema where it is written. */
  readonly functions: string[][];
}

/** A token, and the word that the parser gets for it. */
interface Word {
  readonly token: SqlToken;
  readonly word: string;
}

/** Replaces quoted names by words: parsers take some for texts, and others apart. */
function inWords(tokens: readonly SqlToken[]): Word[] {
  const taken = new Set(tokens.map(({ name }) => name.toLowerCase()));
  let prefix = 'quoted';
  while ([...taken].some((name) => name.startsWith(prefix))) prefix += '_';
  return tokens.map((token, index) => ({
    token,
    word: token.kind === 'quoted' ? `${prefix}${index}` : token.text,
  }));
}

type Node = Readonly<Record<string, unknown>>;

const require = createRequire(import.meta.url);

/** Parses one expression; null where the text is none, or more. */
function parsed(text: string, dialect: SqlDialect): Node | null {
  const database = dialect === 'tsql' ? 'transactsql' : 'postgresql';
  // Loaded with the first expression: most gateways have none, and the parser takes some MB.
  const { Parser } = require(`node-sql-parser/build/${database}.js`) as typeof postgresql;
  try {
    const { ast } = new Parser().parse(`SELECT (${text})`, { database });
    const [only, ...more] = Array.isArray(ast) ? ast : [ast];
    if (only?.type !== 'select' || more.length > 0) return null;
    const [column, ...others] = only.columns as Node[];
    const expression = column?.['expr'];
    const isOne = others.length === 0 && isNode(expression) && expression['type'] !== 'expr_list';
    return isOne ? expression : null;
  } catch {
    return null;
  }
}

/** The kinds of nodes in an expression over one row. */
const EXPRESSIONS: ReadonlySet<unknown> = namesIn(
  'bigint binary_expr bool boolean case cast column_ref else expr_list extract full_hex_string function hex_string',
  'interval null number origin single_quote_string string unary_expr var_string when',
);

const WINDOW = 'has a window: it is computed for each row by itself';

/** Visits a node and all below it, in the order of the text. @throws Refusal for what an expression may not have */
function visit(node: Node, found: Found, dialect: SqlDialect): void {
  const type = node['type'] as string | undefined;
  if ('ast' in node || type === 'select') throw new Refusal('has a subquery');
  if (type === 'aggr_func') {
    throw new Refusal('has an aggregate: it is computed for each row by itself');
  }
  if (type === 'window_func') throw new Refusal(WINDOW);
  if (type !== undefined && !EXPRESSIONS.has(type)) {
    throw new Refusal(`has a part (${type}) that cannot be checked`);
  }
  if (type === 'function') {
    visitFunction(node, found, dialect);
    return;
  }
  if (type === 'column_ref') {
    if (isPresent(node['table']) || isPresent(node['schema']) || isPresent(node['db'])) {
      throw new Refusal('names a column with its table: write its name alone');
    }
    found.columns.push(columnName(node['column']));
    if (isNode(node['options'])) visit(node['options'], found, dialect);
    return;
  }
  for (const [name, value] of Object.entries(node)) {
    if (name === 'target' || name === 'loc') continue;
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) visit(child, found, dialect);
    }
  }
}

function visitFunction(node: Node, found: Found, dialect: SqlDialect): void {
  if (isPresent(node['over'])) throw new Refusal(WINDOW);
  const { name: names, schema } = node['name'] as { name: { value: string }[]; schema?: unknown };
  const parts = names.map(({ value }) => value);
  found.functions.push(isNode(schema) ? [String(schema['value']), ...parts] : parts);
  const { args } = node;
  if (!isNode(args)) return;
  const values = (args['value'] as readonly unknown[] | undefined) ?? [];
  const isWordFirst = dialect === 'tsql' && wordFirst.has(parts.join('.').toLowerCase());
  for (const [index, value] of values.entries()) {
    if (!isNode(value)) continue;
    // The parser takes the word for a column.
    const isWord = isWordFirst && index === 0 && value['type'] === 'column_ref';
    if (!isWord) visit(value, found, dialect);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}

function isPresent(value: unknown): boolean {
  return value !== null && value !== undefined;
}

function columnName(column: unknown): string {
  if (!isNode(column)) return String(column);
  const { expr } = column;
  return isNode(expr) ? String(expr['value']) : '';
}

/** Cuts the text where tokens name what the parser takes for columns; where the two do not agree, it is refused. */
function partsOf(
  text: string,
  words: readonly Word[],
  columns: readonly string[],
): (string | NamedPart)[] | string {
  const names = new Set(columns);
  const named = words.filter(({ word }, index) => names.has(word) && isName(words, index));
  const sorted = (all: readonly string[]): string => JSON.stringify([...all].sort());
  if (sorted(named.map(({ word }) => word)) !== sorted(columns)) {
    return 'cannot be read for certain: quote the names of its columns';
  }
  const parts: (string | NamedPart)[] = [];
  let at = 0;
  for (const { token } of named) {
    const { start, end, name, kind } = token;
    parts.push(text.slice(at, start), { name, isQuoted: kind === 'quoted' });
    at = end;
  }
  parts.push(text.slice(at));
  return parts;
}

/** Whether a token can name a column: it is not a function's name, part of a dotted name, or a function's first word. */
function isName(words: readonly Word[], index: number): boolean {
  const textAt = (at: number): string => words[at]?.token.text.toLowerCase() ?? '';
  const kind = words[index]?.token.kind;
  if (kind !== 'quoted' && kind !== 'word') return false;
  if (['.', '('].includes(textAt(index + 1))) return false;
  if (kind === 'quoted') return true;
  const opener = textAt(index - 2);
  return !(textAt(index - 1) === '(' && (wordFirst.has(opener) || opener === 'extract'));
}
