import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { parseCases } from '../cases/parse.ts';
import { loadCases } from '../conformance/cases.ts';
import { GoldenFile } from '../fixtures/golden-file.ts';
import { pgliteTarget } from '../targets/pglite.ts';
import { postgresTarget } from '../targets/postgres.ts';
import { sqlServerTarget } from '../targets/sqlserver.ts';
import type { Target } from '../targets/target.ts';

/** The engines that tests run on, in the order in which documents name them. */
export const engines: readonly Target[] = [pgliteTarget, postgresTarget, sqlServerTarget];

/** A test, and the engines that it runs on: none where it needs no database. */
export interface NamedTest {
  /** What stands around it and its own title, from the outside in. */
  readonly name: string;
  readonly engines: readonly string[];
  /** Whether it runs on all of these, or on some of them: what a file can get at is not what each of its tests does. */
  readonly isOnAll: boolean;
}

const JOINT = ' › ';

/**
 * The tests that a document names in this form: their file below `test/`, without `.case.ts`, `.cases`, `.test.ts` or `.golden`, and their title, or what
 * of it tells them apart: `…` stands for anything. A title may be that of a `describe`, or have it before it.
 */
export async function testsNamed(text: string): Promise<readonly NamedTest[]> {
  const [path = '', ...title] = text.split(JOINT);
  if (title.length === 0) return [];
  const parts = title.join(JOINT).split('…');
  const wanted = parts.map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('.*');
  const pattern = new RegExp(`(?:^|${JOINT})${wanted}$`, 's');
  return (await testsOf(path)).filter(({ name }) => pattern.test(name));
}

const known = new Map<string, Promise<readonly NamedTest[]>>();

function testsOf(path: string): Promise<readonly NamedTest[]> {
  const found = known.get(path) ?? readTests(path);
  known.set(path, found);
  return found;
}

async function readTests(path: string): Promise<readonly NamedTest[]> {
  if (path.startsWith('conformance/')) return conformanceTests(path);
  if (path.startsWith('golden/')) return goldensOf(path);
  const cases = textCasesOf(path);
  if (cases.length > 0) return cases;
  const file = join('test', `${path}.test.ts`);
  if (!existsSync(file)) return [];
  const reached = path.startsWith('integration/') ? enginesOf(file) : [];
  return titlesOf(file).map((name) => ({ name, engines: reached, isOnAll: false }));
}

function goldensOf(path: string): readonly NamedTest[] {
  const file = join('test', `${path}.golden`);
  if (!existsSync(file)) return [];
  const { goldens } = new GoldenFile(pathToFileURL(file));
  return [...goldens.keys()].map((name) => ({ name, engines: [], isOnAll: true }));
}

/** The cases of a file of requests with their answers, and the tests beside its tables, behind what they are about. */
function textCasesOf(path: string): readonly NamedTest[] {
  const file = join('test', `${path}.cases`);
  if (!existsSync(file)) return [];
  const groups = parseCases(readFileSync(file, 'utf8'), file);
  const named = groups.flatMap(({ about, module, cases, programs }) => {
    const tables = join('test/integration/shapes', `${module}.ts`);
    const others = programs.length === 0 ? [] : titlesOf(tables);
    return [...cases.map(({ title }) => title), ...others].map((title) => about + JOINT + title);
  });
  return named.map((name) => ({
    name,
    engines: engines.map((engine) => engine.name),
    isOnAll: false,
  }));
}

/** The cases of a file of the conformance suite. */
async function conformanceTests(path: string): Promise<readonly NamedTest[]> {
  const file = ['.case.ts', '.cases']
    .map((ending) => join('test', path + ending))
    .find((one) => existsSync(one));
  if (file === undefined) return [];
  const cases = await Promise.all(
    engines.map((target) => loadCases(target, [file.slice(file.lastIndexOf('/') + 1)])),
  );
  const titles = cases.flatMap(({ reads, sequences, writes }) =>
    [...reads, ...sequences, ...writes].map(({ title }) => title),
  );
  return [...new Set(titles)].map((title) => ({
    name: title,
    engines: engines
      .filter(({ skip }) => !skip.some((skipped) => skipped.cases.includes(title)))
      .map(({ name }) => name),
    isOnAll: true,
  }));
}

/** The engines that a test file gets at: those that it, or a file that it imports, has the name of. */
function enginesOf(file: string, seen = new Set<string>()): string[] {
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  const own = engines.map(({ name }) => name).filter((name) => text.includes(`name: '${name}'`));
  const imported = Array.from(
    text.matchAll(/^import (?!type)[^;]*? from '(\.[^']+)';$/gm),
    ([, path = '']) => join(dirname(file), path),
  ).filter((path) => path.startsWith('test/') && !seen.has(path));
  const all = new Set([...own, ...imported.flatMap((path) => enginesOf(path, seen))]);
  return engines.map(({ name }) => name).filter((name) => all.has(name));
}

/** The titles in a test file as they are written, `${…}` as `…`, each behind those of what stands around it. */
function titlesOf(file: string): string[] {
  const titles: string[] = [];
  const visit = (node: ts.Node, around: string): void => {
    const own = ts.isCallExpression(node) ? titleOf(node) : null;
    const name = own === null ? around : around === '' ? own : around + JOINT + own;
    if (own !== null) titles.push(name);
    ts.forEachChild(node, (child) => {
      visit(child, name);
    });
  };
  const text = readFileSync(file, 'utf8');
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true), '');
  return titles;
}

/** The title that a call gives a test or describe; null of any other call, of one that never runs, and where the title is not text. */
function titleOf({ expression, arguments: [title, body] }: ts.CallExpression): string | null {
  if (title === undefined || body === undefined) return null;
  if (!/^(?:it|test|describe)\b(?!\.(?:skip|todo)\b)/.test(expression.getText())) return null;
  if (ts.isStringLiteralLike(title)) return title.text;
  if (!ts.isTemplateExpression(title)) return null;
  return title.head.text + title.templateSpans.map(({ literal }) => `…${literal.text}`).join('');
}
