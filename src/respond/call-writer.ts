import type { CallResult } from '../execute/call.ts';
import type { CalledAnswer, CalledColumn, CalledRows } from '../execute/called-rows.ts';
import type { PrintedCall } from '../execute/print-call.ts';
import type { Row } from '../database/database.ts';
import { compileEntity } from './entity-writer.ts';
import { compileEntitySet } from './entity-set-writer.ts';
import { listWriting } from './list-writing.ts';

/** Writes what a call came to as the JSON text of the answer (DECISIONS, "Functions"), in steps. */
export type CallWriter = (result: CallResult) => Generator<void, string>;

/** Compiles the writer of a printed call: `{"result": …}`, an entity, or a collection. */
export function compileCall({ plan: { called }, answer }: PrintedCall): CallWriter {
  const writePage = answer === null ? null : compilePage(called.returns, answer);
  return function* (result) {
    if (result.kind === 'entities') {
      return writePage === null ? NOTHING : yield* writePage(result.page);
    }
    return `{"result":${yield* resultWriting(result.answer, called)}}`;
  };
}

type Called = PrintedCall['plan']['called'];
type Page = Extract<CallResult, { kind: 'entities' }>['page'];

/** The answer where there is no entity, or nothing at all. */
const NOTHING = '{"result":null}';

function compilePage(
  returns: Called['returns'],
  printed: NonNullable<PrintedCall['answer']>,
): (page: Page) => Generator<void, string> {
  if (returns.kind !== 'entities' || !returns.one) return compileEntitySet(printed);
  const name = JSON.stringify(printed.plan.dataclass.name);
  const head = `"__entityModel":${name},"__DATACLASS":${name},`;
  const write = compileEntity(printed.page.shape, printed.page, 'object', { head });
  // eslint-disable-next-line require-yield -- one entity is one step
  return function* ({ fetched, rowOf, globalStamp }) {
    const index = rowOf[0] ?? -1;
    const row = fetched.rows[index];
    if (row === undefined) return NOTHING;
    return write(row, index, fetched, { globalStamp, relatedEntities: 0 });
  };
}

function* resultWriting(
  { results, outputs, returned }: CalledAnswer,
  { returns }: Called,
): Generator<void, string> {
  const [first] = results;
  switch (returns.kind) {
    case 'nothing':
    case 'entities':
      return 'null';
    case 'value': {
      const column = first?.columns[0];
      const row = first?.rows[0];
      return column === undefined || row === undefined ? 'null' : cellText(column, row, 0);
    }
    case 'row': {
      const row = first?.rows[0];
      return first === undefined || row === undefined ? 'null' : compileRow(first)(row);
    }
    case 'rows':
      return yield* rowsWriting(first);
    case 'output':
      return outputs.get(returns.parameter) ?? 'null';
    case 'all': {
      const members = [...outputs].map(([name, text]) => `${JSON.stringify(name)}:${text}`);
      const sets: string[] = [];
      for (const result of results) sets.push(yield* rowsWriting(result));
      return `{"returnValue":${returned},"output":{${members.join(',')}},"resultSets":[${sets.join(',')}]}`;
    }
  }
}

function* rowsWriting(result: CalledRows | undefined): Generator<void, string> {
  if (result === undefined) return '[]';
  return `[${yield* listWriting(result.rows, compileRow(result), ',')}]`;
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
