import type { CallResult } from '../run/call/call.ts';
import type { CalledAnswer, CalledColumn, CalledRows } from '../run/call/called-rows.ts';
import type { CallPlan } from '../plan/call/call.ts';
import type { Row } from '../database/database.ts';
import { compileEntity } from './entities/entity-writer.ts';
import { compileEntitySet } from './entities/entity-set-writer.ts';
import { listWriting, type Writing } from './entities/list-writing.ts';

/** Writes what a call came to as the JSON text of the answer (DECISIONS, "Functions"), text by text. */
export type CallWriter = (result: CallResult) => Writing;

/** Compiles the writer of a printed call: `{"result": …}`, an entity, or a collection. */
export function compileCall({ called, answer }: CallPlan): CallWriter {
  const writePage = answer === null ? null : compilePage(called.returns, answer);
  return function* (result) {
    if (result.kind === 'entities') {
      if (writePage === null) yield NOTHING;
      else yield* writePage(result.page);
      return;
    }
    yield '{"result":';
    yield* resultWriting(result.answer, called);
    yield '}';
  };
}

type Called = CallPlan['called'];
type Page = Extract<CallResult, { kind: 'entities' }>['page'];

/** The answer where there is no entity, or nothing at all. */
const NOTHING = '{"result":null}';

function compilePage(
  returns: Called['returns'],
  plan: NonNullable<CallPlan['answer']>,
): (page: Page) => Writing {
  if (returns.kind !== 'entities' || !returns.one) return compileEntitySet(plan);
  const name = JSON.stringify(plan.dataclass.name);
  const head = `"__entityModel":${name},"__DATACLASS":${name},`;
  const write = compileEntity(plan.page.shape, plan.page, 'object', { head });
  return function* ({ fetched, rowOf, globalStamp }) {
    const index = rowOf[0] ?? -1;
    const row = fetched.rows[index];
    const answer = { globalStamp, relatedEntities: 0 };
    yield row === undefined ? NOTHING : write(row, index, fetched, answer);
  };
}

function* resultWriting(
  { results, outputs, returned }: CalledAnswer,
  { returns }: Called,
): Writing {
  const [first] = results;
  switch (returns.kind) {
    case 'nothing':
    case 'entities':
      yield 'null';
      return;
    case 'value': {
      const column = first?.columns[0];
      const row = first?.rows[0];
      yield column === undefined || row === undefined ? 'null' : cellText(column, row, 0);
      return;
    }
    case 'row': {
      const row = first?.rows[0];
      yield first === undefined || row === undefined ? 'null' : compileRow(first)(row);
      return;
    }
    case 'rows':
      return yield* rowsWriting(first);
    case 'output':
      yield outputs.get(returns.parameter) ?? 'null';
      return;
    case 'all': {
      const members = [...outputs].map(([name, text]) => `${JSON.stringify(name)}:${text}`);
      yield `{"returnValue":${returned},"output":{${members.join(',')}},"resultSets":[`;
      yield* listWriting(results, rowsWriting, ',');
      yield ']}';
      return;
    }
  }
}

function* rowsWriting(result: CalledRows | undefined): Writing {
  yield '[';
  if (result !== undefined) yield* listWriting(result.rows, compileRow(result), ',');
  yield ']';
}

/** The writer of rows as objects. */
function compileRow({ columns }: CalledRows): (row: Row) => string {
  const names = uniqueNames(columns).map((name) => `${JSON.stringify(name)}:`);
  return (row) => {
    const members = columns.map(
      (column, index) => `${names[index] ?? ''}${cellText(column, row, index)}`,
    );
    return `{${members.join(',')}}`;
  };
}

/** The names of members: a column without a name has its place, and of two with one name the second has a number. */
function uniqueNames(columns: readonly CalledColumn[]): string[] {
  const used = new Set<string>();
  return columns.map(({ name }, index) => {
    const plain = name === '' ? `column${index + 1}` : name;
    let unique = plain;
    for (let number = 2; used.has(unique); number += 1) unique = `${plain}_${number}`;
    used.add(unique);
    return unique;
  });
}

function cellText({ reader }: CalledColumn, row: Row, index: number): string {
  const value = row[index];
  return value === null || value === undefined ? 'null' : reader.json(value);
}
