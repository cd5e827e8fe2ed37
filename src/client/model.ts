import { ExactNumber, isObject, simplestNumber } from './json.ts';
import type { ModelTypes } from './shapes.ts';

/** A form of values that JSON alone does not tell, or that is requested in its own way. */
export type ValueForm = 'bigint' | 'decimal' | 'image';

/** The members of an object: the forms of values, and the dataclasses that relations lead to; others are as JSON has them. */
export interface MemberForms {
  readonly forms: Readonly<Record<string, Form>>;
  readonly relations?: Readonly<Record<string, string>>;
}

/** The form of a value, or of an object; undefined where it is as JSON has it. */
export type Form = ValueForm | MemberForms | undefined;

/** The result of a function: its form, or the dataclass of the entities that it is. */
export interface FunctionDescription {
  readonly result?: Form;
  readonly entities?: string;
}

/** Functions by their names; those that are not named have results as JSON has them. */
export type FunctionDescriptions = Readonly<Record<string, FunctionDescription>>;

/** A dataclass as the client knows it when it runs. */
export interface DataclassDescription extends MemberForms {
  /** The attributes of its key, in order. */
  readonly key: readonly string[];
  readonly functions: FunctionDescriptions;
}

/** A model as the client knows it when it runs, and, for the compiler only, its types. */
export interface ModelDescription<Types extends ModelTypes = ModelTypes> {
  readonly dataclasses: Readonly<Record<string, DataclassDescription>>;
  readonly functions: FunctionDescriptions;
  readonly singletons: Readonly<Record<string, FunctionDescriptions>>;
  readonly types?: Types;
}

/** Gives the values of an answer their forms, in place. A page and a list have the form of their items. */
export function inForm(value: unknown, form: Form, model: ModelDescription): unknown {
  if (!isObject(value)) return valueInForm(value, form);
  const { forms, relations = {} } = typeof form === 'object' ? form : { forms: {} };
  for (const [name, member] of Object.entries(value)) {
    const isItem = Array.isArray(value) || name === '__ENTITIES';
    const own = model.dataclasses[relations[name] ?? ''] ?? forms[name];
    value[name] = inForm(member, isItem ? form : own, model);
  }
  return value;
}

/** The gateway may send numbers that a double rounds as texts (`bigNumbersAsStrings`). */
function valueInForm(value: unknown, form: Form): unknown {
  const isNumber = typeof value === 'number' || value instanceof ExactNumber;
  const isExact = form === 'bigint' || form === 'decimal';
  if (isExact && (isNumber || typeof value === 'string')) {
    return form === 'bigint' ? BigInt(String(value)) : String(value);
  }
  return value instanceof ExactNumber ? simplestNumber(value) : value;
}

/** The form of the values at the end of a path of relations. */
export function formAt(
  path: string,
  dataclass: DataclassDescription | undefined,
  model: ModelDescription,
): Form {
  const [name = '', ...rest] = path.split('.');
  if (rest.length === 0) return dataclass?.forms[name];
  return formAt(rest.join('.'), model.dataclasses[dataclass?.relations?.[name] ?? ''], model);
}
