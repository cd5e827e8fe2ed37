import { parseExpected, type Expected } from './expected.ts';

/** What a request is answered: on some engines, or on all others where they are left out. */
export interface ExpectedAnswer {
  readonly engines: readonly string[] | null;
  readonly status: number;
  /** Headers by their names in lower case; others are not looked at. */
  readonly headers: Readonly<Record<string, string>>;
  /** The whole body; undefined for an empty one. */
  readonly body: Expected | undefined;
}

/** A request with its answer, or SQL that another program runs. */
export interface Step {
  /** Where it begins and ends in its file, from 1. */
  readonly line: number;
  readonly lastLine: number;
  /** `SQL`, the method of HTTP, or what the tables have a program for. */
  readonly verb: string;
  /** Whose headers go with it, by a name that the tables know. */
  readonly user: string | null;
  /** The engines that it is for; null for all. */
  readonly engines: readonly string[] | null;
  /** What follows `/rest/`, the SQL, or what the program is told. */
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly answers: readonly ExpectedAnswer[];
}

/** The texts that names stand for. */
export interface Variants {
  readonly names: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A sequence of requests with a title. */
export interface TextCase {
  readonly title: string;
  /** Why it is left out on an engine, or on a database whose version has this name. */
  readonly skipped: Map<string, string>;
  /** It runs once for each text of a name, or for each row of texts of several names. */
  readonly variants: Variants[];
  readonly steps: Step[];
}

/** Cases that share tables, and a gateway on each engine. */
export interface CaseGroup {
  readonly about: string;
  /** The module in `integration/shapes/` with the tables, and the name of its export. */
  readonly module: string;
  readonly name: string;
  readonly cases: TextCase[];
  /** The functions of the module that declare more tests, which need a program. */
  readonly programs: string[];
}

/**
 * Reads a file of cases, as `test/README.md` describes them.
 * @param tables the only ones that the conformance suite runs
 * @throws Error with the line that cannot be read
 */
export function parseCases(
  text: string,
  file: string,
  tables?: readonly string[],
): readonly CaseGroup[] {
  const groups: CaseGroup[] = [];
  let user = { first: null as string | null, now: null as string | null };
  for (const { line, lastLine, text: whole } of linesOf(text)) {
    const [word = '', ...words] = whole.split(' ');
    const said = words.join(' ');
    const one = groups.at(-1)?.cases.at(-1);
    try {
      if (word === 'tables') {
        groups.push(groupOf(said, groups.at(-1), tables));
        user = { first: null, now: null };
      } else if (word === 'tests' && groups.length > 0) groups.at(-1)?.programs.push(said);
      else if (word === 'as') user = { first: one === undefined ? said : user.first, now: said };
      else if (word === '==') {
        user.now = user.first;
        const given = { skipped: new Map(), variants: [], steps: [] };
        groups.at(-1)?.cases.push({ title: said, ...given });
      } else if (one === undefined)
        throw new Error('expected lines "tables NAME: title" and "== title" before');
      else if (word === 'skip') {
        const [engine, why] = nameIn(said);
        one.skipped.set(engineNamed(engine), why);
      } else if (word === 'for') {
        const [names, texts] = nameIn(said);
        const rows = (JSON.parse(texts) as (string | string[])[]).map((row) => [row].flat());
        const variants = { names: names.split(', '), rows };
        const odd = rows.find((row) => row.length !== variants.names.length);
        if (odd !== undefined) throw new Error(`expected texts for ${names}: ${odd.join(', ')}`);
        one.variants.push(variants);
      } else one.steps.push({ line, lastLine, user: user.now, ...stepOf(word, said) });
    } catch (error) {
      throw new Error(`${file}:${line}: ${(error as Error).message}`, { cause: error });
    }
  }
  for (const { title, steps } of groups.flatMap(({ cases }) => cases)) {
    if (steps.length === 0) throw new Error(`${file}: the case "${title}" asks nothing`);
  }
  return groups;
}

/** The lines that begin something, each with the indented ones below it. */
function linesOf(text: string): { line: number; lastLine: number; text: string }[] {
  const begun: { line: number; lastLine: number; text: string }[] = [];
  for (const [index, one] of text.split('\n').entries()) {
    const line = index + 1;
    if (one.trim() === '' || one.startsWith('#')) continue;
    const before = begun.at(-1);
    if (one.startsWith(' ') && before !== undefined) {
      before.text += ` ${one.trim()}`;
      before.lastLine = line;
    } else {
      begun.push({ line, lastLine: line, text: one.trimEnd() });
    }
  }
  return begun;
}

/**
 * `nested.byRole: entities saved along with others`
 * @param before what stands before it: where it has no cases, and no tests, both have those that follow
 */
function groupOf(
  said: string,
  before: CaseGroup | undefined,
  known?: readonly string[],
): CaseGroup {
  const [tables, about] = nameIn(said);
  if (known?.includes(tables) === false) {
    const all = new Intl.ListFormat('en-GB').format(known);
    throw new Error(`conformance runs ${all}, not ${tables}`);
  }
  const [module = '', name = 'shape'] = tables.split('.');
  const cases = before?.cases.length === 0 && before.programs.length === 0 ? before.cases : [];
  return { about, module, name, cases, programs: [] };
}

function nameIn(said: string): [name: string, rest: string] {
  const [, name, rest] = /^([^:]+): (.+)$/.exec(said) ?? [];
  if (name === undefined || rest === undefined) throw new Error('expected a name and a colon');
  return [name, rest];
}

/** The engines, and words in the version of a database. */
const ENGINES = ['pglite', 'postgres', 'sqlserver', 'Babelfish'];

function engineNamed(name: string): string {
  if (ENGINES.includes(name)) return name;
  throw new Error(`there is no engine ${name}, only ${ENGINES.join(', ')}`);
}

function stepOf(word: string, said: string): Omit<Step, 'line' | 'lastLine' | 'user'> {
  const [, verb, names] = /^([A-Z]+)(?:\((.*)\))?$/.exec(word) ?? [];
  if (word === '→') throw new Error('an answer is indented below its request');
  if (verb === undefined) throw new Error(`expected a request or SQL, not ${word}`);
  const engines = names?.split(',').map(engineNamed) ?? null;
  const step = { verb, engines, text: said, headers: {}, body: null, answers: [] };
  if (verb === 'SQL') return step;
  const [asked = '', ...answers] = said.split(/(?:^| )→ /);
  if (/(?:→|->)(?: ?[(\d]|$)/.test(asked)) throw new Error('expected blanks around the arrow →');
  // A blank within quotes belongs to the URL.
  const [text = ''] = /^(?:"[^"]*"|[^\s"])*/.exec(asked) ?? [];
  const { headers, rest } = headersIn(asked.slice(text.length).trim());
  const body = rest === '' ? null : rest;
  if (verb === 'GET' && body?.startsWith('{') === false) {
    throw new Error(`a blank outside quotes ends a URL, and no GET has the body ${body}`);
  }
  return { ...step, text, headers, body, answers: answers.map(answerIn) };
}

interface WithHeaders {
  readonly headers: Readonly<Record<string, string>>;
  readonly rest: string;
}

/** Reads `[Name: value]` as often as it stands there. */
function headersIn(text: string): WithHeaders {
  const [found = '', name = '', value = ''] = /^\[([A-Za-z][\w-]*): ([^\]]*)\] ?/.exec(text) ?? [];
  if (/^\[(?!true\b|false\b|null\b)[A-Za-z]/.test(text) && found === '') {
    throw new Error(`expected a name, a colon and a blank in the header ${text}`);
  }
  if (found === '') return { headers: {}, rest: text };
  const { headers, rest } = headersIn(text.slice(found.length));
  return { headers: { [name.toLowerCase()]: value, ...headers }, rest };
}

/** Reads what follows an arrow. */
export function answerIn(text: string): ExpectedAnswer {
  const [found, names, status] = /^(?:\(([^)]*)\) )?(\d{3})(?: |$)/.exec(text) ?? [];
  if (found === undefined) throw new Error('expected a status behind the arrow');
  const { headers, rest } = headersIn(text.slice(found.length));
  const body = rest === '' ? undefined : parseExpected(rest);
  const engines = names?.split(',').map(engineNamed) ?? null;
  return { engines, status: Number(status), headers, body };
}
