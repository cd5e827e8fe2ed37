import {
  type ApiFunction,
  type ClientParameter,
  columnsOf,
} from '../../model/functions/function-types.ts';
import type { RoutineColumn } from '../../schema/types.ts';
import { isIdentifier, objectType, textLiteral, type TypeMember } from './typescript.ts';
import { columnValue, type ValueType } from './value-types.ts';

/** What the client knows of functions when it runs; those about which there is nothing to know are left out. */
export type FunctionDescriptions = Readonly<Record<string, object>>;

/** Prints functions as members of a type. @param indent blanks before the line that each begins in */
export function functionMembers(functions: Iterable<ApiFunction>, indent: string): TypeMember[] {
  return Array.from(functions, (called) => ({
    name: called.name,
    type: objectType(
      [
        { name: 'on', type: textLiteral(called.appliesTo) },
        { name: 'parameters', type: parametersType(called.parameters) },
        { name: 'result', type: resultType(called) },
      ],
      indent,
    ),
    doc: [called.description ?? ''],
  }));
}

/** Describes functions for the client. */
export function functionDescriptions(functions: Iterable<ApiFunction>): FunctionDescriptions {
  const descriptions: [string, object][] = [];
  for (const called of functions) {
    const { name, returns } = called;
    if (returns.kind === 'entities') descriptions.push([name, { entities: returns.dataclass }]);
    const forms = Object.fromEntries(
      resultColumns(called).flatMap(([column, { form }]) =>
        form === undefined ? [] : [[column, form]],
      ),
    );
    if (Object.keys(forms).length > 0) descriptions.push([name, { forms }]);
  }
  return Object.fromEntries(descriptions);
}

/** Prints the parameters as a tuple. A parameter in front of one that is needed cannot be left out. */
function parametersType(parameters: readonly ClientParameter[]): string {
  const lastNeeded = parameters.findLastIndex(({ optional }) => !optional);
  const elements = parameters.map(({ name, type }, index) => {
    const label = isIdentifier(name) ? name : `parameter${index + 1}`;
    return `${label}${index > lastNeeded ? '?' : ''}: ${columnValue(type).write} | null`;
  });
  return `[${elements.join(', ')}]`;
}

/** The columns, or the one value, of a result by their names in the answer; none where only the answer tells them. */
function resultColumns({ routine, returns }: ApiFunction): [name: string, type: ValueType][] {
  switch (returns.kind) {
    case 'value': {
      const [first] = columnsOf(routine) ?? [];
      return first === undefined ? [] : [['result', columnValue(first.type)]];
    }
    case 'output': {
      const output = routine.parameters.find(({ name }) => name === returns.parameter);
      return output === undefined ? [] : [['result', columnValue(output.type)]];
    }
    case 'row':
    case 'rows':
      return namedColumns(columnsOf(routine) ?? []);
    case 'nothing':
    case 'all':
    case 'entities':
      return [];
  }
}

/** A column without a name has that of its position in an answer. */
function namedColumns(columns: readonly RoutineColumn[]): [name: string, type: ValueType][] {
  return columns.map(({ name, type }, index) => [
    name === '' ? `column${index + 1}` : name,
    columnValue(type),
  ]);
}

function resultType(called: ApiFunction): string {
  const { returns } = called;
  const columns = resultColumns(called);
  switch (returns.kind) {
    case 'nothing':
      return 'null';
    case 'value':
    case 'output':
      return `${columns[0]?.[1].read ?? 'JsonValue'} | null`;
    case 'row':
      return `${rowType(columns)} | null`;
    case 'rows':
      return `readonly ${rowType(columns)}[]`;
    case 'all':
      return 'ProcedureResult';
    case 'entities':
      return `${returns.one ? 'EntityOf' : 'EntitiesOf'}<${textLiteral(returns.dataclass)}>`;
  }
}

function rowType(columns: readonly [name: string, type: ValueType][]): string {
  if (columns.length === 0) return '{ readonly [column: string]: JsonValue }';
  const members = columns.map(([name, { read }]) => {
    const own = isIdentifier(name) ? name : textLiteral(name);
    return `${own}: ${read} | null`;
  });
  return `{ ${members.join('; ')} }`;
}
