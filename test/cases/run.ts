import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { onEngines, type Served, type Shape } from '../integration/shapes/engines.ts';
import type { Answer } from '../targets/gateway.ts';
import { filled, type Names, recorded, withNames } from './expected.ts';
import { parseCases, type Step, type TextCase } from './parse.ts';

/** Whether requests without an answer are given the one that the embedded engine answers. */
const WRITES = process.env['UPDATE_CASES'] === '1';

/** The lines of the answers to requests that have none. */
type Unwritten = Map<Step, string>;

/** Runs the cases of a file on every engine. @param modules those of `integration/shapes/` that it names */
export function runCases(
  file: string,
  modules: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
): void {
  const unwritten: Unwritten = new Map();
  for (const group of parseCases(readFileSync(file, 'utf8'), file)) {
    const { about, module, name, cases, programs } = group;
    const shape = modules[module]?.[name] as Shape | undefined;
    if (shape === undefined) throw new Error(`${file}: there are no tables ${module}.${name}`);
    const others = programs.map((program) => {
      const tests = modules[module]?.[program] as ((served: Served) => void) | undefined;
      if (tests === undefined) throw new Error(`${file}: there are no tests ${module}.${program}`);
      return tests;
    });
    onEngines(about, shape, (served) => {
      for (const one of cases.flatMap(variantsOf)) {
        test(one.title, async ({ skip }) => {
          for (const [engine, reason] of one.skipped) if (isOn([engine], served)) skip(reason);
          for (const step of one.steps) await run(step, one.names, served, { file, unwritten });
        });
      }
      for (const tests of others) tests(served);
    });
  }
  if (WRITES) {
    afterAll(() => {
      write(file, unwritten);
    });
  }
}

/** A case for each combination of the texts that its names begin with. */
function variantsOf({ variants, ...one }: TextCase): (typeof one & { readonly names: Names })[] {
  let all: [title: string, names: readonly (readonly [string, string])[]][] = [[one.title, []]];
  for (const [name, texts] of variants) {
    all = all.flatMap(([title, names]) =>
      texts.map((text): (typeof all)[number] => [
        texts.length === 1 ? title : `${title}, ${text}`,
        [...names, [name, text]],
      ]),
    );
  }
  return all.map(([title, names]) => ({ ...one, title, names: new Map(names) }));
}

/** Whether an engine is named, or something that the version of its database holds. */
function isOn(names: readonly string[], { engine, gateway }: Served): boolean {
  return names.some((name) => name === engine || gateway.database.version.includes(name));
}

async function run(
  step: Step,
  names: Names,
  served: Served,
  { file, unwritten }: { readonly file: string; readonly unwritten: Unwritten },
): Promise<void> {
  if (step.engines !== null && !isOn(step.engines, served)) return;
  const text = withNames(step.text, names);
  if (step.verb === 'SQL') {
    await served.run(text);
    return;
  }
  const headers = mapped(step.headers, (value) => withNames(value, names));
  const body = step.body === null ? null : withNames(step.body, names);
  const url = `/rest/${text}`;
  const sent = { method: step.verb, headers, ...(body === null ? {} : { body }) };
  const answer = await served.gateway.get(url, sent);
  const own = step.answers.find(({ engines }) => engines !== null && isOn(engines, served));
  const expected = own ?? step.answers.find(({ engines }) => engines === null);
  if (expected === undefined) {
    if (!WRITES) throw new Error(`${file}:${step.line}: no answer yet, UPDATE_CASES=1 writes it`);
    if (!unwritten.has(step)) unwritten.set(step, answerLine(answer, names, url + (body ?? '')));
    return;
  }
  const told = mapped(expected.headers, (_, name) => String(answer.headers[name]));
  const actual = { status: answer.status, headers: told, body: bodyOf(answer) };
  const request = curl(`http://127.0.0.1:${served.gateway.port}${url}`, sent);
  expect(actual, `${file}:${step.line}\n${request}`).toEqual({
    status: expected.status,
    headers: mapped(expected.headers, (value, name) => filled(value, told[name], names)),
    body: expected.body === undefined ? undefined : filled(expected.body, actual.body, names),
  });
}

/** The JSON of an answer, or else its text; undefined where it is empty. */
function bodyOf({ body, text }: Answer): unknown {
  return body === undefined && text !== '' ? text : body;
}

function mapped<Value>(
  headers: Readonly<Record<string, string>>,
  to: (value: string, name: string) => Value,
): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, to(value, name)]),
  );
}

function curl(
  url: string,
  {
    method,
    headers,
    body,
  }: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
  },
): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const given = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  const data = body === undefined ? [] : [`-d ${quoted(body)}`];
  return ['curl -g', `-X ${method}`, ...given, ...data, quoted(url)].join(' ');
}

function answerLine(answer: Answer, names: Names, request: string): string {
  const body = bodyOf(answer);
  const text = body === undefined ? '' : ` ${recorded(body, names, request)}`;
  return `  → ${answer.status}${text}`;
}

/** Adds answers to a file, the last ones first. */
function write(file: string, unwritten: Unwritten): void {
  const lines = readFileSync(file, 'utf8').split('\n');
  const fromLast = [...unwritten].toSorted(([one], [other]) => other.lastLine - one.lastLine);
  for (const [{ lastLine }, answer] of fromLast) lines.splice(lastLine, 0, answer);
  writeFileSync(file, lines.join('\n'));
}
