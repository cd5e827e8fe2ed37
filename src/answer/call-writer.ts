import type { CallResult } from '../run/call/call.ts';
import type { CalledAnswer, CalledColumn, CalledRows } from '../run/call/called-rows.ts';
import type { CallPlan } from '../plan/call/call.ts';
import type { Row } from '../database/database.ts';
import type { FunctionReturn } from '../model/functions/function-types.ts';
import { compileEntitySet, compileOne } from './entities/collection-writer.ts';
import { inOrder, listWriting, type Writing } from './entities/entity-writer.ts';

/** Compiles the writer of a call (DECISIONS, "Functions"): `{"result": …}`, an entity, or a collection. */
export function compileCall({
  called,
  answer,
}: CallPlan): (result: CallResult) => string | Writing {
  const { returns } = called;
  const isOne = returns.kind === 'entities' && returns.one;
  const writePage =
    answer === null
      ? () => NOTHING
      : isOne
        ? compileOne(answer.dataclass, answer.page, NOTHING)
        : compileEntitySet(answer);
  return (result) =>
    result.kind === 'entities'
      ? writePage(result.page)
      : inOrder(['{"result":', resultWriting(result.answer, returns), '}']);
}

/** The answer where there is no entity, or no result. */
const NOTHING = '{"result":null}';

function* resultWriting(
  { results, outputs, returned }: CalledAnswer,
  returns: FunctionReturn,
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

/** Compiles the writer of rows as objects. */
function compileRow({ columns }: CalledRows): (row: Row) => string {
  const names = uniqueNames(columns).map((name) => `${JSON.stringify(name)}:`);
  return (row) => {
    const members = columns.map(
      (column, index) => `${names[index] ?? ''}${cellText(column, row, index)}`,
    );
    return `{${members.join(',')}}`;
  };
}

/** Names the members of an object: a column without a name by its position; of two columns with one name the second gets a number. */
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
