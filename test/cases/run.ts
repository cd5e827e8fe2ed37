import { readFileSync, writeFileSync } from 'node:fs';
import { METHODS } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { reason } from '../../src/base/errors.ts';
import { onEngines, type Served, type Shape, type Verb } from '../integration/shapes/engines.ts';
import { readJson, type Answer, type Gateway, type Sent } from '../targets/gateway.ts';
import { Entities, type Fresh } from './entities.ts';
import { filled, type Names, recorded, withNames } from './expected.ts';
import { answerIn, parseCases, type Step, type TextCase } from './parse.ts';

/** Whether requests without an answer are given the one that the embedded engine answers. */
const WRITES = process.env['UPDATE_CASES'] === '1';

/** The answers to requests that have none; null where none are written. */
type Unwritten = Map<Step, string> | null;

/** Runs the cases of a file on every engine. @param modules those of `integration/shapes/` that it names */
export function runCases(
  file: string,
  modules: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
): void {
  const unwritten = unwrittenOf(file);
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
          const place = placeOf(served);
          const reason = reasonToSkip(one, place);
          if (reason !== null) skip(reason);
          await runCase(one, place, { file, unwritten });
        });
      }
      for (const tests of others) tests(served);
    });
  }
}

/** A case whose names have their first values. */
export type NamedCase = Omit<TextCase, 'variants'> & {
  readonly names: ReadonlyMap<string, string>;
};

/** What cases can ask besides requests, by its word. */
export type Verbs = Readonly<Record<string, (asked: Parameters<Verb>[1]) => ReturnType<Verb>>>;

/** Where a case runs. */
export interface Place {
  readonly engine: string;
  readonly gateway: Gateway;
  /** Changes the database as another program does. */
  readonly run: (sql: string) => Promise<void>;
  /** As those of a {@link Shape}. */
  readonly users?: Shape['users'];
  readonly verbs?: Verbs;
}

function placeOf(served: Served): Place {
  const { engine, gateway, shape } = served;
  const verbs = Object.entries(shape.verbs ?? {}).map(
    ([name, verb]) => [name, (asked: Parameters<Verb>[1]) => verb(served, asked)] as const,
  );
  return {
    engine,
    gateway,
    run: (sql) => served.run(sql),
    users: shape.users,
    verbs: Object.fromEntries(verbs),
  };
}

/** Why a case is left out of a place; null where it runs. */
export function reasonToSkip({ skipped }: NamedCase, place: Place): string | null {
  return [...skipped].find(([engine]) => isOn([engine], place))?.[1] ?? null;
}

/** Sends the requests of a case. @param fresh how the tables say that an entity is answered */
export async function runCase(
  one: NamedCase,
  place: Place,
  source: Source,
  fresh?: Fresh,
): Promise<void> {
  const entities = new Entities(fresh);
  const names = new Map(one.names);
  for (const step of one.steps) {
    try {
      await run(step, names, entities, place, source);
    } catch (error) {
      const { message } = error as Error;
      if (message.startsWith(source.file)) throw error;
      throw new Error(`${source.file}:${step.line}: ${message}`, { cause: error });
    }
  }
}

/** The file of a case, and what it has no answers to yet. */
export interface Source {
  readonly file: string;
  readonly unwritten: Unwritten;
}

/** Collects the answers that a file has not had, and writes them after its tests. */
export function unwrittenOf(file: string): Unwritten {
  if (!WRITES) return null;
  const unwritten: Unwritten = new Map();
  afterAll(() => {
    write(file, unwritten);
  });
  return unwritten;
}

/** A case for each combination of the texts that its names begin with. */
export function variantsOf({ variants, ...one }: TextCase): NamedCase[] {
  let all: { title: string; names: readonly (readonly [string, string])[] }[] = [
    { title: one.title, names: [] },
  ];
  for (const { names: own, rows } of variants) {
    all = all.flatMap(({ title, names }) =>
      rows.map((row) => ({
        title: rows.length === 1 ? title : `${title}, ${row[0] ?? ''}`,
        names: [...names, ...own.map((name, index) => [name, row[index] ?? ''] as const)],
      })),
    );
  }
  return all.map(({ title, names }) => ({ ...one, title, names: new Map(names) }));
}

/** Whether an engine is named, or something that the version of its database holds. */
function isOn(names: readonly string[], { engine, gateway }: Place): boolean {
  return names.some((name) => name === engine || gateway.database.version.includes(name));
}

async function run(
  step: Step,
  names: Names,
  entities: Entities,
  place: Place,
  { file, unwritten }: Source,
): Promise<void> {
  if (step.engines !== null && !isOn(step.engines, place)) return;
  const text = withNames(step.text, names);
  if (step.verb === 'SQL') {
    await place.run(text).catch((error: unknown) => {
      throw new Error(`SQL ${text}: ${reason(error)}`, { cause: error });
    });
    return;
  }
  const user = step.user === null ? {} : place.users?.[step.user];
  if (user === undefined) throw new Error(`there is no user ${step.user}${only(place.users)}`);
  const headers = { ...user, ...mapped(step.headers, (value) => withNames(value, names)) };
  const body = step.body === null ? null : withNames(step.body, names);
  const url = text.startsWith('/') ? text : `/rest/${text}`;
  const request = { method: step.verb, headers, ...(body === null ? {} : { body }) };
  const own = place.verbs?.[step.verb];
  if (own === undefined && !METHODS.includes(step.verb)) {
    throw new Error(`the tables have no verb ${step.verb}${only(place.verbs)}`);
  }
  const answer = await (own?.({ text, headers, body }) ?? place.gateway.get(url, request));
  if (answer === null) return;
  const sent = jsonOf(body);
  const before = unwritten?.get(step);
  const expected =
    step.answers.find(({ engines }) => engines !== null && isOn(engines, place)) ??
    step.answers.find(({ engines }) => engines === null) ??
    (before === undefined ? undefined : answerIn(before));
  if (expected === undefined) {
    if (unwritten === null) throw new Error('no answer yet, UPDATE_CASES=1 writes it');
    const asked = `${url}${body ?? ''} ${step.text}${step.body ?? ''}`;
    const text = readFileSync(file, 'utf8');
    unwritten.set(step, answerText(answer, names, asked, entities, sent, text));
  } else {
    const told = mapped(expected.headers, (_, name) => String(answer.headers[name]));
    const actual = { status: answer.status, headers: told, body: bodyOf(answer) };
    const asked = own === undefined ? curl(place.gateway, url, request) : `${step.verb} ${text}`;
    const whole =
      expected.body === undefined
        ? undefined
        : filled(expected.body, actual.body, names, entities, sent);
    const misfit = before === undefined ? '' : ': the answer written before does not fit here';
    expect(actual, `${file}:${step.line}${misfit}\n${asked}\n`).toEqual({
      status: expected.status,
      headers: mapped(expected.headers, (value, name) => filled(value, told[name], names)),
      body: whole,
    });
  }
  // A dry run keeps nothing.
  if (!text.includes('$refresh=true')) entities.keep(answer.body);
}

/** What there is, by its names. */
function only(known: object = {}): string {
  const names = Object.keys(known);
  return names.length === 0 ? '' : `, only ${names.join(', ')}`;
}

/** What a body says; undefined where it is not JSON. */
function jsonOf(body: string | null): unknown {
  try {
    return body === null ? undefined : readJson(body);
  } catch {
    return undefined;
  }
}

/** The JSON of an answer, or else its text; undefined where it is empty. */
function bodyOf({ body, text }: Omit<Answer, 'bytes'>): unknown {
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

/** A request as a command, which repeats it. */
export function curl(
  { port }: Pick<Gateway, 'port'>,
  url: string,
  { method = 'GET', headers = {}, body }: Sent,
): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const given = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  const data = body === undefined ? [] : [`-d ${quoted(String(body))}`];
  const address = quoted(`http://127.0.0.1:${port}${url.replaceAll(' ', '%20')}`);
  return ['curl -g', `-X ${method}`, ...given, ...data, address].join(' ');
}

type Asked = readonly [request: string, entities: Entities, sent: unknown, file: string];

function answerText(answer: Omit<Answer, 'bytes'>, names: Names, ...asked: Asked): string {
  const body = bodyOf(answer);
  const text = body === undefined ? '' : ` ${recorded(body, names, ...asked)}`;
  return `${answer.status}${text}`;
}

/** Adds answers to a file, the last ones first. */
function write(file: string, unwritten: ReadonlyMap<Step, string>): void {
  const lines = readFileSync(file, 'utf8').split('\n');
  const fromLast = [...unwritten].toSorted(([one], [other]) => other.lastLine - one.lastLine);
  for (const [{ lastLine }, answer] of fromLast) lines.splice(lastLine, 0, `  → ${answer}`);
  writeFileSync(file, lines.join('\n'));
}
