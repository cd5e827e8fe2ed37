/**
 * What the gateway has to answer to changes, worked out from what was sent and from the specification alone: the row
 * that a new entity makes, the row as a change leaves it, the answers to both. Nothing of `src/` is used here.
 */
import { stringify } from 'lossless-json';
import type { Value } from '../fixtures/legacy/data.ts';
import { ExactNumber } from '../targets/gateway.ts';
import { facts, type DataclassName } from './dataclasses.ts';
import { columnOf, entity, relationFacts, uriOf, wanted, type Row, type Shape } from './oracle.ts';
import { justNow } from './values.ts';

/** What a client gives attributes and to-one relations; its related entities are given by their keys. */
export type Given = Readonly<Record<string, unknown>>;

/** An error and what came of it: codes and whole messages, in their order. */
export type Refusals = readonly (readonly [errCode: number, message: string])[];

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

/**
 * The row of a new entity.
 * @param columns those that stand in another form than they are given in
 */
export function newRow(dataclass: DataclassName, given: Given, columns: Row = {}): Row {
  const { attributes, relations, counted, dated } = facts(dataclass);
  const empty = [
    ...Object.values(attributes),
    ...Object.values(relations).flatMap((found) => ('one' in found ? Object.keys(found.on) : [])),
  ].map((column) => [column, null]);
  return computed(dataclass, {
    ...(Object.fromEntries(empty) as Row),
    ...defaults[dataclass],
    ...columnsOf(dataclass, given),
    ...columns,
    ...(counted ? { REC_VER: 1 } : {}),
    ...(dated ? { MOD_DT: justNow } : {}),
  });
}

/** A row after a change: its counter has gone on, and its timestamp is new. */
export function changedRow(
  dataclass: DataclassName,
  row: Row,
  given: Given,
  columns: Row = {},
): Row {
  const { counted, dated } = facts(dataclass);
  return computed(dataclass, {
    ...row,
    ...columnsOf(dataclass, given),
    ...columns,
    ...(counted ? { REC_VER: Number(row['REC_VER']) + 1 } : {}),
    ...(dated ? { MOD_DT: justNow } : {}),
  });
}

/** A saved entity (§4.6 rule 4). */
export function saved(dataclass: DataclassName, row: Row, shape: Shape = {}): object {
  return { __STATUS: { success: true }, ...known(dataclass, row, shape) };
}

/**
 * An entity as a dry run answers it: as it would be, with the stamp and the timestamp that it has.
 * @param current its row as it is; null where it is new
 */
export function dryRun(
  dataclass: DataclassName,
  row: Row,
  current: Row | null,
  shape: Shape = {},
): object {
  const answer = saved(dataclass, row, shape);
  const now = current === null ? {} : saved(dataclass, current);
  const told = Object.entries(answer).flatMap(([name, value]) => {
    if (name !== '__STAMP' && name !== '__TIMESTAMP') return [[name, value] as const];
    return current === null ? [] : [[name, (now as Given)[name]] as const];
  });
  return Object.fromEntries(told);
}

/** An entity that was not saved, because it has changed since it was read: as it is now (DECISIONS, "Updates"). */
export function conflict(dataclass: DataclassName, row: Row, shape: Shape = {}): object {
  const named = `${dataclass}(${shownKey(dataclass, row)})`;
  return {
    __STATUS: { status: 2, statusText: 'Stamp has changed', success: false },
    ...known(dataclass, row, shape),
    ...errors([
      [1263, `${named} has changed since it was read.`],
      [1517, `${named} was not saved.`],
    ]),
  };
}

/** An element of a body that failed; its key where it is known. */
export function failed(key: string | null, ...refusals: Refusals): object {
  return {
    __STATUS: { success: false },
    ...(key === null ? {} : { __KEY: key }),
    ...errors(refusals),
  };
}

/** `__ERROR` (§7), whole messages. */
export function errors(refusals: Refusals): object {
  return {
    __ERROR: refusals.map(([errCode, message]) => ({
      message,
      componentSignature: 'dbmg',
      errCode,
    })),
  };
}

/** Parts of a key as messages name them. */
export function shownKey(dataclass: DataclassName, row: Row): string {
  const { key, attributes } = facts(dataclass);
  return key.map((name) => String(row[attributes[name] ?? ''])).join(';');
}

/** JSON text of what a client sends; numbers that a double cannot hold with all their digits. */
export function jsonText(value: unknown): string {
  const digits = {
    test: (item: unknown) => item instanceof ExactNumber,
    stringify: (item: unknown) => (item as ExactNumber).digits,
  };
  return stringify(value, null, undefined, [digits]) ?? '';
}

function known(dataclass: DataclassName, row: Row, shape: Shape): object {
  return {
    __entityModel: dataclass,
    __DATACLASS: dataclass,
    ...entity(dataclass, row, wanted(shape), 'object'),
    ...(facts(dataclass).key.length === 0 ? {} : { uri: uriOf(dataclass, row) }),
  };
}

/** What is given, in columns and as the sample writes values. */
function columnsOf(dataclass: DataclassName, given: Given): Row {
  const { attributes, relations } = facts(dataclass);
  const columns: Record<string, Value> = {};
  for (const [name, value] of Object.entries(given)) {
    const column = attributes[name];
    if (column !== undefined) {
      columns[column] = stored(dataclass, name, value);
    } else if (relations[name] !== undefined) {
      const found = relationFacts(dataclass, name);
      if (!('one' in found)) throw new Error(`${dataclass}.${name} leads to many`);
      const [own = ''] = Object.keys(found.on);
      columns[own] = value as Value;
    } else {
      throw new Error(`${dataclass} has no ${name}`);
    }
  }
  return columns;
}

function stored(dataclass: DataclassName, name: string, value: unknown): Value {
  if (value === null) return null;
  if (value instanceof ExactNumber) return value.digits;
  return columnOf(dataclass, name).type === 'json' ? jsonText(value) : (value as Value);
}

/** Columns that the database computes. */
function computed(dataclass: DataclassName, row: Row): Row {
  if (dataclass === 'Employee') {
    return { ...row, FULL_NM: `${String(row['FIRST_NM'])} ${String(row['LAST_NM'])}` };
  }
  if (dataclass !== 'OrderLine') return row;
  const amount =
    (Number(row['QTY']) * Number(row['UNIT_PRC']) * (100 - Number(row['DISC]PCT']))) / 100;
  return { ...row, LINE_AMT: amount.toFixed(4) };
}
