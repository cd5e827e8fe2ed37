import { nameHint } from '../../base/names.ts';
import type { FunctionSetting } from '../../config/settings/functions.ts';
import { areComparable } from '../../schema/type-rules.ts';
import {
  type ColumnType,
  findNamed,
  type PhysicalSchema,
  qualifiedName,
  type Routine,
  type RoutineColumn,
  type RoutineParameter,
} from '../../schema/types.ts';
import { missingIn } from '../lookup.ts';
import type { Dataclass } from '../types.ts';
import {
  type ClientParameter,
  columnsOf,
  type FunctionInput,
  type FunctionReturn,
} from './function-types.ts';

/** Reports a problem of the function's setting. */
type ReportProblem = (at: readonly string[], message: string) => null;

/** Works out what the parameters of one routine are given, and what clients get of its answer. */
export class FunctionBuilder {
  readonly inputs: FunctionInput[] = [];
  readonly parameters: ClientParameter[] = [];
  readonly #routine: Routine;
  /** The routine's name, for messages. */
  readonly #name: string;
  readonly #index: RoutineIndex;
  readonly #problem: ReportProblem;

  constructor(routine: Routine, index: RoutineIndex, problem: ReportProblem) {
    this.#routine = routine;
    this.#name = qualifiedName(routine);
    this.#index = index;
    this.#problem = problem;
  }

  /** Adds the parameters that clients give. */
  addClientParameters(settings: FunctionSetting['parameters']): void {
    for (const [index, setting] of settings.entries()) {
      const { name, type, optional } = typeof setting === 'string' ? { name: setting } : setting;
      const at = ['parameters', String(index)];
      const parameter = this.#free(name, at);
      if (parameter === null) continue;
      if (parameter.table !== undefined) {
        const why = 'is a table: only the keys of a collection can be given as one';
        this.#problem(at, `${parameter.name} ${why}`);
        continue;
      }
      const given = type === 'object' ? asJson(parameter.type) : parameter.type;
      if (given === null) {
        const why = `is of type ${parameter.type.native}: type object is for text`;
        this.#problem(at, `${parameter.name} ${why}`);
        continue;
      }
      this.parameters.push({
        name: parameter.name,
        type: given,
        optional: optional ?? parameter.optional ?? false,
      });
      this.inputs.push({ parameter, type: given, from: { kind: 'client', index } });
    }
  }

  /** Adds the parameters that are given an entity's key. */
  addKey(setting: FunctionSetting['key'], owner: Dataclass): void {
    if (setting === undefined || !this.#needKey('key', owner)) return;
    const names = this.#partNames(setting, owner, ['key']);
    for (const [part, attribute] of owner.key.entries()) {
      const name = names?.[part];
      if (name === undefined) continue;
      const parameter = this.#free(name, ['key']);
      if (parameter === null) continue;
      const { type } = parameter;
      const isBytes = attribute.columnType.kind === 'hex' && type.kind === 'binary';
      if (!areComparable(attribute.columnType, type) && !isBytes) {
        const message = `${parameter.name} is of type ${type.native}, and ${owner.name}.${attribute.name} of ${attribute.columnType.native}`;
        this.#problem(['key'], message);
        continue;
      }
      const bound: ColumnType = isBytes ? { kind: 'hex', native: type.native } : type;
      this.inputs.push({ parameter, type: bound, from: { kind: 'key', part } });
    }
  }

  /** Adds the parameter that is given the keys of all entities of a collection. */
  addKeys(setting: string | undefined, owner: Dataclass): void {
    if (setting === undefined || !this.#needKey('keys', owner)) return;
    const parameter = this.#free(setting, ['keys']);
    if (parameter === null) return;
    const form = keysForm(parameter, owner);
    if (form === null) {
      const message = `${parameter.name} is of type ${parameter.type.native}: keys go into text or JSON, an array of the key’s type, or a table type`;
      this.#problem(['keys'], message);
      return;
    }
    this.inputs.push({ parameter, type: parameter.type, from: { kind: 'keys', form } });
  }

  /** Reports parameters that are given nothing, and have no default. */
  checkRequired(): void {
    const given = new Set(this.inputs.map(({ parameter }) => parameter));
    const missing = this.#routine.parameters.filter(
      (parameter) => isRequired(parameter) && !given.has(parameter),
    );
    if (missing.length === 0) return;
    const why = `has no default for ${namesOf(missing).join(', ')}: name it among the parameters`;
    this.#problem(['parameters'], `${this.#name} ${why}`);
  }

  /** What clients get of the answer, by default what the routine returns; null where the setting is wrong, which is reported. */
  returns(
    setting: FunctionSetting['returns'],
    dataclassNamed: (name: string) => Dataclass | null,
  ): FunctionReturn | null {
    const { kind, returns } = this.#routine;
    const isProcedure = kind === 'procedure';
    if (setting === undefined) {
      if (isProcedure) return { kind: 'all' };
      return { kind: returns.kind === 'none' ? 'nothing' : returns.kind };
    }
    if (typeof setting === 'string') {
      if (isProcedure) return { kind: setting };
      if (setting === 'all') {
        return this.#problem(['returns'], `${this.#name} is a function: all is for procedures`);
      }
      return { kind: returns.kind === 'none' ? 'nothing' : setting };
    }
    if ('output' in setting) return this.#outputReturn(setting.output);
    const dataclass = dataclassNamed(setting.dataclass);
    if (dataclass === null || !this.#needKey('returns', dataclass)) return null;
    const key =
      setting.key === undefined ? [] : this.#partNames(setting.key, dataclass, ['returns', 'key']);
    if (key === null) return null;
    const columns = columnsOf(this.#routine);
    const names = dataclass.key.map(
      ({ name, column }, part) => key[part] ?? this.#keyColumn(columns ?? [], name, column.name),
    );
    const unknown = columns === null ? undefined : names.find((name) => !isColumn(columns, name));
    if (unknown !== undefined) {
      const hint = nameHint(unknown, namesOf(columns ?? []));
      const why = `returns no column ${unknown}, which the key of ${dataclass.name} needs.${hint}`;
      return this.#problem(['returns'], `${this.#name} ${why}`);
    }
    return { kind: 'entities', dataclass: dataclass.name, one: setting.one, key: names };
  }

  /** The column of the rows that holds a part of a key: by the name of its column, or else of its attribute. */
  #keyColumn(columns: readonly RoutineColumn[], attribute: string, column: string): string {
    const [only, ...more] = columns;
    if (this.#routine.returns.kind === 'value' && only !== undefined && more.length === 0) {
      return only.name;
    }
    return [column, attribute].find((name) => isColumn(columns, name)) ?? column;
  }

  #outputReturn(name: string): FunctionReturn | null {
    const parameter = this.#index.parameter(this.#routine, name);
    if (parameter !== undefined && parameter.direction !== 'in') {
      return { kind: 'output', parameter: parameter.name };
    }
    const outputs = this.#routine.parameters.filter(({ direction }) => direction !== 'in');
    const why = `has no parameter ${name} that goes out.${nameHint(name, namesOf(outputs))}`;
    return this.#problem(['returns', 'output'], `${this.#name} ${why}`);
  }

  /** Finds a parameter that goes in and is given nothing yet; null where there is none, which is reported. */
  #free(name: string, at: readonly string[]): RoutineParameter | null {
    const parameter = this.#index.parameter(this.#routine, name);
    if (parameter === undefined) {
      const hint = nameHint(name, namesOf(this.#routine.parameters));
      return this.#problem(at, `${this.#name} has no parameter ${name}.${hint}`);
    }
    if (parameter.direction === 'out') {
      return this.#problem(at, `the parameter ${parameter.name} goes out only`);
    }
    if (this.inputs.some((input) => input.parameter === parameter)) {
      return this.#problem(at, `the parameter ${parameter.name} is given twice`);
    }
    return parameter;
  }

  #needKey(at: string, { name, key }: Dataclass): boolean {
    if (key.length === 0) this.#problem([at], `${name} has no key`);
    return key.length > 0;
  }

  /** Reads one name for each part of a key, in key order; null where one is missing, which is reported. */
  #partNames(
    setting: string | Readonly<Record<string, string>>,
    { name, key }: Dataclass,
    at: readonly string[],
  ): readonly string[] | null {
    const parts = namesOf(key);
    const listed = parts.join(', ');
    if (typeof setting === 'string') {
      if (parts.length === 1) return [setting];
      const why = `has several parts: expected a name for each of ${listed}`;
      return this.#problem(at, `the key of ${name} ${why}`);
    }
    const isComplete =
      Object.keys(setting).every((part) => parts.includes(part)) &&
      parts.every((part) => setting[part] !== undefined);
    if (isComplete) return parts.map((part) => setting[part] ?? '');
    const why = `is ${listed}: expected a name for each, and nothing else`;
    return this.#problem(at, `the key of ${name} ${why}`);
  }
}

function namesOf(items: readonly { readonly name: string }[]): string[] {
  return items.map(({ name }) => name);
}

function isColumn(columns: readonly RoutineColumn[], name: string): boolean {
  return findNamed(columns, name, (column) => column.name, true) !== undefined;
}

/** The type of a parameter that is given JSON; null where it cannot be. */
function asJson(type: ColumnType): ColumnType | null {
  if (type.kind === 'json') return type;
  return type.kind === 'text' ? { kind: 'json', asText: true, native: type.native } : null;
}

/** The form in which keys go into a parameter; null where they do not. */
function keysForm(
  { type, table }: RoutineParameter,
  { key }: Dataclass,
): 'array' | 'json' | 'table' | null {
  if (table !== undefined) return 'table';
  if (type.kind === 'text') return 'json';
  if (type.kind !== 'json') return null;
  if (type.items === undefined) return 'json';
  const [only, ...others] = key;
  const fits =
    only !== undefined && others.length === 0 && areComparable(only.columnType, type.items);
  return fits ? 'array' : null;
}

/** Finds routines as the database does. Several of one name differ in their parameters (PostgreSQL). */
export class RoutineIndex {
  readonly #routines: readonly Routine[] | null;
  readonly #ignoreCase: boolean;
  readonly #file: string | undefined;

  /** @param file that the schema was read from, where that is not the database */
  constructor({ routines, ignoreCase = false }: PhysicalSchema, file?: string) {
    this.#routines = routines ?? null;
    this.#ignoreCase = ignoreCase;
    this.#file = file;
  }

  /** Finds the routine of a name that takes parameters of these names; a message where there is none, or more than one. */
  find(named: Pick<Routine, 'schema' | 'name'>, taken: readonly string[]): Routine | string {
    if (this.#routines === null) {
      return 'the snapshot of the schema was made before routines were looked for: make it again by "entitygate schema"';
    }
    const wanted = qualifiedName(named);
    const exact = this.#routines.filter((routine) => qualifiedName(routine) === wanted);
    const found = exact.length > 0 || !this.#ignoreCase ? exact : this.#folded(wanted);
    if (found.length === 0) {
      const names = new Set(this.#routines.map(qualifiedName));
      const missing = missingIn(this.#file, `procedure or function ${wanted}`, 'call');
      return missing + nameHint(wanted, names);
    }
    const [only, ...others] = found;
    if (only !== undefined && others.length === 0) return only;
    const fitting = found.filter((routine) => this.#takes(routine, taken));
    const [first, ...more] = fitting.toSorted((a, b) => a.parameters.length - b.parameters.length);
    if (first === undefined) {
      return `none of the ${found.length} functions ${wanted} takes the parameters ${taken.join(', ')}`;
    }
    if (more[0]?.parameters.length !== first.parameters.length) return first;
    return `${fitting.length} functions ${wanted} take these parameters: make one under another name that calls the one that is meant`;
  }

  /** The parameter of a routine with a name; undefined where there is none. */
  parameter({ parameters }: Routine, name: string): RoutineParameter | undefined {
    const plain = name.replace(/^@/, '');
    return findNamed(parameters, plain, (parameter) => parameter.name, this.#ignoreCase);
  }

  #folded(wanted: string): Routine[] {
    const folded = wanted.toLowerCase();
    return (this.#routines ?? []).filter(
      (routine) => qualifiedName(routine).toLowerCase() === folded,
    );
  }

  #takes(routine: Routine, taken: readonly string[]): boolean {
    const given = new Set(taken.map((name) => this.parameter(routine, name)));
    return (
      !given.has(undefined) &&
      routine.parameters.every((parameter) => given.has(parameter) || !isRequired(parameter))
    );
  }
}

/** Whether the database is known to have no default for a parameter. */
export function isRequired({ direction, optional }: RoutineParameter): boolean {
  return direction === 'in' && optional === false;
}
