import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Fields } from '../cases/entities.ts';
import { parseCases } from '../cases/parse.ts';
import { type Place, reasonToSkip, runCase, unwrittenOf, variantsOf } from '../cases/run.ts';
import type { Gateway } from '../targets/gateway.ts';
import type { Value } from '../fixtures/legacy/data.ts';
import { change } from '../targets/sql.ts';
import type { Target } from '../targets/target.ts';
import { catalogOf } from './catalog.ts';
import { contentVerbs } from './contents.ts';
import { facts, type DataclassName } from './dataclasses.ts';
import { keysOf } from './keys.ts';
import { columnOf, entity, keyOf, rowsOf, wanted, type Row } from './oracle.ts';
import { justNow } from './values.ts';
import type { Cases, SequenceCase } from './suite.ts';

/** What a `*.case.ts` file may export. */
type CaseFile = Partial<Cases>;

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
  const unwritten = unwrittenOf(file);
  const tables = ['reads', 'exact', 'writes'].map((name) => `sample.${name}`);
  const groups = parseCases(readFileSync(file, 'utf8'), file, tables);
  const casesOf = (wanted: string): SequenceCase[] =>
    groups
      .filter(({ name }) => name === wanted)
      .flatMap(({ cases }) => cases.flatMap(variantsOf))
      .map((one) => {
        const place = (gateway: Gateway): Place => ({
          engine,
          gateway,
          run: async (sql) => {
            await change(gateway.database, sql);
          },
          verbs: {
            KEYS: ({ text }) => keysOf(gateway, text),
            CATALOG: ({ text }) => catalogOf(gateway, text),
            ...contentVerbs(gateway),
          },
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
  const row = known ?? newRow(dataclass, key);
  const whole = Object.entries(entity(name, row, wanted({}), 'object'));
  return Object.fromEntries(whole.filter(([member]) => !['__KEY', '__STAMP'].includes(member)));
}

/** What the database gives columns that nobody names. */
const defaults: Readonly<Partial<Record<DataclassName, Row>>> = {
  Assignment: { ALLOC_PCT: '100', BILL_FL: true },
  Company: { IS_CUST: true },
  Country: { EU_FL: false },
  Document: { CREA_TS: justNow },
  Employee: { ACTIVE_FL: true },
  Holiday: { HALF_FL: false },
  Order: { STAT_CD: 'NW', TOT_AMT: '0', PAID_FL: false },
  OrderLine: { QTY: 1, 'DISC]PCT': '0' },
  Product: { STOCK_QTY: 0 },
  Project: { STAT_CD: 0 },
};

/** The row of a new entity, as far as its key tells. */
function newRow(dataclass: DataclassName, key: string): Row {
  const { attributes, dated } = facts(dataclass);
  const given = Object.entries(givenBy(dataclass, key));
  return {
    ...defaults[dataclass],
    ...Object.fromEntries(given.map(([name, value]) => [attributes[name] ?? '', value])),
    ...(dated ? { MOD_DT: justNow } : {}),
  };
}

/** The attributes of a key. */
function givenBy(dataclass: DataclassName, key: string): Readonly<Record<string, Value>> {
  const { key: names } = facts(dataclass);
  const [only = ''] = names;
  if (names.length > 1) return JSON.parse(key) as Readonly<Record<string, Value>>;
  const isNumber = ['int', 'smallint', 'bigint'].includes(columnOf(dataclass, only).type);
  return { [only]: isNumber ? Number(key) : key };
}
