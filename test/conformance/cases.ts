import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Fields } from '../cases/entities.ts';
import { parseCases } from '../cases/parse.ts';
import {
  type Place,
  reasonToSkip,
  runCase,
  type Unwritten,
  variantsOf,
  writesAtLast,
} from '../cases/run.ts';
import type { Gateway } from '../targets/gateway.ts';
import { change } from '../targets/sql.ts';
import type { Target } from '../targets/target.ts';
import { facts, type DataclassName } from './dataclasses.ts';
import { keysOf } from './keys.ts';
import { columnOf, entity, keyOf, rowsOf, wanted, type Row } from './oracle.ts';
import type { Case, SequenceCase } from './suite.ts';
import { newRow } from './write-oracle.ts';
import type { WriteCase } from './write-suite.ts';

/** What a `*.case.ts` file may export. */
interface CaseFile {
  /** Single requests. */
  readonly reads?: readonly Case[];
  /** Several requests that change no entities. */
  readonly sequences?: readonly SequenceCase[];
  /** Requests that change entities, each case its own. */
  readonly writes?: readonly WriteCase[];
}

/** The conformance cases of a target, by what they may change. */
export interface Cases {
  readonly reads: readonly Case[];
  readonly sequences: readonly SequenceCase[];
  readonly writes: readonly WriteCase[];
}

/** The files of this folder that hold cases, by name. */
async function caseFiles(): Promise<readonly string[]> {
  const names = await readdir(new URL('.', import.meta.url));
  return names.filter((name) => /\.cases?(?:\.ts)?$/.test(name)).toSorted();
}

/** Loads the cases of all files of this folder that hold some, or of these. */
export async function loadCases(target: Target, names?: readonly string[]): Promise<Cases> {
  const files = await Promise.all(
    (names ?? (await caseFiles())).map(async (name) => {
      const url = new URL(name, import.meta.url);
      return name.endsWith('.cases')
        ? textCases(fileURLToPath(url), target)
        : ((await import(url.href)) as CaseFile);
    }),
  );
  return {
    reads: files.flatMap(({ reads = [] }) => reads),
    sequences: files.flatMap(({ sequences = [] }) => sequences),
    writes: files.flatMap(({ writes = [] }) => writes),
  };
}

/** The cases of a file whose `tables` are the sample: `sample.reads` where they change nothing, `sample.exact` with `ignoreCase: false`, or `sample.writes`. */
function textCases(file: string, { engine }: Target): CaseFile {
  const unwritten: Unwritten = new Map();
  writesAtLast(file, unwritten);
  const groups = parseCases(readFileSync(file, 'utf8'), file);
  const casesOf = (wanted: string): SequenceCase[] =>
    groups
      .filter(({ module, name }) => module === 'sample' && name === wanted)
      .flatMap(({ cases }) => cases.flatMap(variantsOf))
      .map((one) => {
        const place = (gateway: Gateway): Place => ({
          engine,
          gateway,
          run: async (sql) => {
            await change(gateway.database, sql);
          },
          verbs: { KEYS: ({ text }) => keysOf(gateway, text) },
        });
        return {
          title: one.title,
          run: ({ gateway }) => runCase(one, place(gateway), { file, unwritten }, ofSample),
          reasonToSkip: (gateway) => reasonToSkip(one, place(gateway)),
        };
      });
  const exact = casesOf('exact').map((one) => ({ ...one, ignoreCase: false as const }));
  return { sequences: [...casesOf('reads'), ...exact], writes: casesOf('writes') };
}

/** The members of an entity of the sample, or of a new one of which a client has given the key alone. */
function ofSample(name: string, key: string): Fields {
  const dataclass = name as DataclassName;
  const known = (rowsOf(dataclass) as readonly Row[]).find((row) => keyOf(name, row) === key);
  const row = known ?? newRow(dataclass, givenBy(dataclass, key));
  const whole = Object.entries(entity(name, row, wanted({}), 'object'));
  return Object.fromEntries(whole.filter(([member]) => !['__KEY', '__STAMP'].includes(member)));
}

/** The attributes of a key. */
function givenBy(dataclass: DataclassName, key: string): Fields {
  const { key: names } = facts(dataclass);
  const [only = ''] = names;
  if (names.length > 1) return JSON.parse(key) as Fields;
  const isNumber = ['int', 'smallint', 'bigint'].includes(columnOf(dataclass, only).type);
  return { [only]: isNumber ? Number(key) : key };
}
