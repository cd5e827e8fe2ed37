import { nameHint } from '../../base/names.ts';
import type { FunctionSetting } from '../../config/settings/functions.ts';
import { areComparable } from '../../schema/type-rules.ts';
import {
  findNamed,
  qualifiedName,
  type ColumnType,
  type Routine,
  type RoutineParameter,
} from '../../schema/types.ts';
import {
  columnsOf,
  type ClientParameter,
  type FunctionInput,
  type FunctionReturn,
} from './function-types.ts';
import type { RoutineIndex } from './routine-index.ts';
import type { Dataclass } from '../types.ts';

/** Tells of a problem at a place below the function's setting. */
type Problem = (at: readonly string[], message: string) => void;

/** Works out what the parameters of one routine are given, and what of its answer clients get. */
export class FunctionBuilder {
  readonly inputs: FunctionInput[] = [];
  readonly parameters: ClientParameter[] = [];
  readonly #routine: Routine;
  readonly #index: RoutineIndex;
  readonly #problem: Problem;

  constructor(routine: Routine, index: RoutineIndex, problem: Problem) {
    this.#routine = routine;
    this.#index = index;
    this.#problem = problem;
  }

  addClientParameters(settings: FunctionSetting['parameters']): void {
    for (const [index, setting] of settings.entries()) {
      const { name, type, optional } = typeof setting === 'string' ? { name: setting } : setting;
      const at = ['parameters', String(index)];
      const parameter = this.#free(name, at);
      if (parameter === null) continue;
      if (parameter.table !== undefined) {
        this.#problem(
          at,
          `${parameter.name} is a table: only the keys of a collection can be given as one`,
        );
        continue;
      }
      const given = type === 'object' ? asJson(parameter.type) : parameter.type;
      if (given === null) {
        this.#problem(
          at,
          `${parameter.name} is of type ${parameter.type.native}: type object is for text`,
        );
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

  /** The parameters that are given an entity's key. */
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

  /** The parameter that is given the keys of all entities of a collection. */
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

  /**
   * What of the answer clients get; by itself what the routine returns.
   * @param dataclassNamed finds a dataclass, or tells that there is none
   * @returns null where it is wrong
   */
  returns(
    setting: FunctionSetting['returns'],
    dataclassNamed: (name: string) => Dataclass | null,
  ): FunctionReturn | null {
    const { kind, returns } = this.#routine;
    if (setting === undefined) {
      if (kind === 'procedure') return { kind: 'all' };
      return { kind: returns.kind === 'none' ? 'nothing' : returns.kind };
    }
    if (typeof setting === 'string') return this.#plainReturn(setting);
    if ('output' in setting) return this.#outputReturn(setting.output);
    const dataclass = dataclassNamed(setting.dataclass);
    if (dataclass === null) return null;
    if (!this.#needKey('returns', dataclass)) return null;
    const key =
      setting.key === undefined
        ? undefined
        : this.#partNames(setting.key, dataclass, ['returns', 'key']);
    if (key === null) return null;
    const names = dataclass.key.map(
      ({ name, column }, part) => key?.[part] ?? this.#columnFor(name, column.name),
    );
    const columns = columnsOf(this.#routine);
    for (const name of columns === null ? [] : names) {
      if (findNamed(columns ?? [], name, (column) => column.name, true) !== undefined) continue;
      const hint = nameHint(
        name,
        (columns ?? []).map((column) => column.name),
      );
      this.#problem(
        ['returns'],
        `${qualifiedName(this.#routine)} returns no column ${name}, which the key of ${dataclass.name} needs.${hint}`,
      );
      return null;
    }
    return { kind: 'entities', dataclass: dataclass.name, one: setting.one, key: names };
  }

  /** A key's part stands in the rows under the name of its column, or else of its attribute. */
  #columnFor(attribute: string, column: string): string {
    const columns = columnsOf(this.#routine) ?? [];
    const [only, ...more] = columns;
    if (this.#routine.returns.kind === 'value' && only !== undefined && more.length === 0) {
      return only.name;
    }
    const found = [column, attribute].find(
      (name) => findNamed(columns, name, (one) => one.name, true) !== undefined,
    );
    return found ?? column;
  }

  #plainReturn(kind: 'value' | 'row' | 'rows' | 'all' | 'nothing'): FunctionReturn | null {
    if (kind === 'all' && this.#routine.kind === 'function') {
      this.#problem(
        ['returns'],
        `${qualifiedName(this.#routine)} is a function: all is for procedures`,
      );
      return null;
    }
    const isEmpty = this.#routine.kind === 'function' && this.#routine.returns.kind === 'none';
    return { kind: isEmpty ? 'nothing' : kind };
  }

  #outputReturn(name: string): FunctionReturn | null {
    const parameter = this.#index.parameter(this.#routine, name);
    if (parameter !== undefined && parameter.direction !== 'in') {
      return { kind: 'output', parameter: parameter.name };
    }
    const outputs = this.#routine.parameters.filter(({ direction }) => direction !== 'in');
    const hint = nameHint(
      name,
      outputs.map((output) => output.name),
    );
    this.#problem(
      ['returns', 'output'],
      `${qualifiedName(this.#routine)} has no parameter ${name} that goes out.${hint}`,
    );
    return null;
  }

  /** A parameter that goes in and is given nothing yet. */
  #free(name: string, at: readonly string[]): RoutineParameter | null {
    const parameter = this.#index.parameter(this.#routine, name);
    if (parameter === undefined) {
      const names = this.#routine.parameters.map((one) => one.name);
      this.#problem(
        at,
        `${qualifiedName(this.#routine)} has no parameter ${name}.${nameHint(name, names)}`,
      );
      return null;
    }
    const why =
      parameter.direction === 'out'
        ? 'goes out only'
        : this.inputs.some((input) => input.parameter === parameter)
          ? 'is given twice'
          : null;
    if (why === null) return parameter;
    this.#problem(at, `the parameter ${parameter.name} ${why}`);
    return null;
  }

  #needKey(at: string, { name, key }: Dataclass): boolean {
    if (key.length > 0) return true;
    this.#problem([at], `${name} has no key`);
    return false;
  }

  /** One name for each part of a key, in key order. */
  #partNames(
    setting: string | Readonly<Record<string, string>>,
    { name, key }: Dataclass,
    at: readonly string[],
  ): readonly string[] | null {
    if (typeof setting === 'string') {
      if (key.length === 1) return [setting];
      const parts = key.map((part) => part.name).join(', ');
      this.#problem(
        at,
        `the key of ${name} has several parts: expected a name for each of ${parts}`,
      );
      return null;
    }
    const unknown = Object.keys(setting).find((part) => key.every((one) => one.name !== part));
    const missing = key.find((part) => setting[part.name] === undefined);
    if (unknown !== undefined || missing !== undefined) {
      const parts = key.map((part) => part.name).join(', ');
      this.#problem(
        at,
        `the key of ${name} is ${parts}: expected a name for each, and nothing else`,
      );
      return null;
    }
    return key.map((part) => setting[part.name] ?? '');
  }
}

/** Text that is given JSON; JSON as it is; null for any other type. */
function asJson(type: ColumnType): ColumnType | null {
  if (type.kind === 'json') return type;
  return type.kind === 'text' ? { kind: 'json', asText: true, native: type.native } : null;
}

/** How keys go into a parameter; null where they do not. */
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
