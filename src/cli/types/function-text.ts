import {
  type ApiFunction,
  type ClientParameter,
  columnsOf,
} from '../../model/functions/function-types.ts';
import {
  columnValue,
  isIdentifier,
  objectType,
  textLiteral,
  type TypeMember,
  type ValueType,
} from './typescript.ts';

/** The name that the types of each dataclass begin with. */
export type TypeNames = ReadonlyMap<string, string>;

/** What the client knows of functions when it runs; those about which there is nothing to know are left out. */
export type FunctionDescriptions = Readonly<Record<string, object>>;

/** Prints functions as members of a type. @param indent blanks before the line that each begins in */
export function functionMembers(
  functions: Iterable<ApiFunction>,
  names: TypeNames,
  indent: string,
): TypeMember[] {
  return Array.from(functions, (called) => ({
    name: called.name,
    type: objectType(
      [
        { name: 'on', type: textLiteral(called.appliesTo) },
        { name: 'parameters', type: parametersType(called.parameters) },
        { name: 'result', type: resultType(called, names) },
      ],
      indent,
    ),
    doc: [called.description ?? ''],
  }));
}

/** Describes functions for the client. */
export function functionDescriptions(functions: Iterable<ApiFunction>): FunctionDescriptions {
  const descriptions = Array.from(functions, (called): [string, object] => {
    const { name, returns } = called;
    if (returns.kind === 'entities') return [name, { entities: returns.dataclass }];
    const result = resultForm(called);
    return [name, result === undefined ? {} : { result }];
  });
  return Object.fromEntries(descriptions.filter(([, told]) => Object.keys(told).length > 0));
}

/** The form of a value, or those of the columns of rows; undefined where JSON tells all. */
function resultForm(called: ApiFunction): string | object | undefined {
  const columns = resultColumns(called);
  const { kind } = called.returns;
  if (kind === 'value' || kind === 'output') return columns[0]?.[1].form;
  const forms = columns.filter(([, { form }]) => form !== undefined);
  if (forms.length === 0) return undefined;
  return { forms: Object.fromEntries(forms.map(([name, { form }]) => [name, form])) };
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
      // A column without a name has that of its position in an answer.
      return (columnsOf(routine) ?? []).map(({ name, type }, index) => [
        name === '' ? `column${index + 1}` : name,
        columnValue(type),
      ]);
    case 'nothing':
    case 'all':
    case 'entities':
      return [];
  }
}

function resultType(called: ApiFunction, names: TypeNames): string {
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
      return `${returns.one ? 'EntityOf' : 'EntitiesOf'}<${names.get(returns.dataclass) ?? returns.dataclass}Types>`;
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
